package dev.quire.news;

import static dev.quire.test.User.user;

import dev.quire.test.User;

/** The URLs and users of the paper. */
public final class Paper {
    public static final String FRONT_PAGE = "/main/home.nhn";
    public static final String AN_ARTICLE = "/main/read.nhn?oid=014&aid=0000004665";
    public static final String THE_ELECTION = "/president2012/index.nhn";
    public static final String ELECTION_NEWS = "/president2012/news/index.nhn";
    public static final String THE_NIGHT_SO_FAR = "/president2012/trend/index.nhn";
    public static final String THE_CANDIDATES = "/president2012/candidate/index.nhn";
    public static final String POLITICS = "/main.nhn?mode=LSD&sid=100";
    public static final String ENTERTAINMENT = "/main.nhn?mode=LSD&sid=106";
    public static final String KEPT_ARTICLES = "/main/scrap/index.nhn";
    public static final String NEWSROOM = "/editor/index.nhn";

    public static final String LIVE_COUNT = "/fragment/live";
    public static final String CANDIDATES = "/fragment/candidates";
    public static final String MAP = "/fragment/map";
    public static final String MOST_READ = "/fragment/most-read";
    public static final String FOOTER = "/fragment/footer";
    public static final String GREETING = "/fragment/greeting";
    public static final String SCRAP_COUNT = "/fragment/scrap-count";

    public static final User FIRST_READER = user("reader1").logsIn("/login", "paper-first");
    public static final User SECOND_READER = user("reader2").logsIn("/login", "paper-second");
    public static final User EDITOR = user("editor1").logsIn("/login", "paper-night");

    private Paper() {}
}
