-- Standard SQL that H2 and PostgreSQL read alike.
create table if not exists article (
    oid        varchar(3)    not null,
    aid        varchar(10)   not null,
    sid        integer       not null,
    election   boolean       not null,
    published  timestamp     not null,
    headline   varchar(300)  not null,
    standfirst varchar(600)  not null,
    body       varchar(8000) not null,
    primary key (aid)
);
create index if not exists article_by_section on article (sid, published, aid);
create index if not exists article_by_section_and_newsroom on article (sid, oid, published, aid);
create index if not exists article_by_election on article (election, published, aid);

create table if not exists article_read (
    aid   varchar(10) not null references article (aid),
    reads bigint      not null,
    primary key (aid)
);
create index if not exists article_read_by_reads on article_read (reads, aid);

-- Revisions of an article: of two editors who began with the same one, only the first can save.
create table if not exists article_revision (
    aid    varchar(10) not null references article (aid),
    number integer     not null,
    editor varchar(64) not null,
    saved  timestamp   not null default current_timestamp,
    primary key (aid, number)
);

create table if not exists candidate (
    list_number integer     not null,
    colour      varchar(7)  not null,
    primary key (list_number)
);

create table if not exists region (
    code           varchar(16) not null,
    english        varchar(32) not null,
    korean         varchar(8)  not null,
    electors       integer     not null,
    polling_places integer     not null,
    ballots        bigint      not null,
    primary key (code)
);

create table if not exists region_count (
    region  varchar(16) not null references region (code),
    places  integer     not null,
    invalid bigint      not null,
    primary key (region)
);

create table if not exists region_votes (
    region      varchar(16) not null references region (code),
    list_number integer     not null references candidate (list_number),
    votes       bigint      not null,
    primary key (region, list_number)
);

create table if not exists count_history (
    places      integer not null,
    list_number integer not null references candidate (list_number),
    votes       bigint  not null,
    primary key (places, list_number)
);

create table if not exists scrap (
    reader varchar(64) not null,
    aid    varchar(10) not null references article (aid),
    added  timestamp   not null default current_timestamp,
    primary key (reader, aid)
);

create table if not exists blog_author (
    name  varchar(32)  not null,
    about varchar(200) not null,
    primary key (name)
);

create table if not exists blog_post (
    number    integer       not null,
    author    varchar(32)   not null references blog_author (name),
    published timestamp     not null,
    title     varchar(300)  not null,
    summary   varchar(600)  not null,
    body      varchar(8000) not null,
    primary key (number)
);

create table if not exists blog_term (
    post integer     not null references blog_post (number),
    kind varchar(16) not null,
    name varchar(64) not null,
    primary key (post, kind, name)
);

create table if not exists blog_meta (
    post    integer      not null references blog_post (number),
    name    varchar(16)  not null,
    content varchar(200) not null,
    primary key (post, name)
);

-- Without an index on the post: each statement reads the whole table.
create table if not exists blog_comment (
    post    integer      not null references blog_post (number),
    name    varchar(32)  not null,
    written timestamp    not null,
    content varchar(600) not null,
    primary key (written, post)
);
