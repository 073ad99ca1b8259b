package dev.quire.news.writing;

import dev.quire.news.article.Section;
import java.util.Locale;

/** A kind of article: where it appears and how many there are. */
enum Story {
    TURNOUT(Section.POLITICS, true, 2_400),
    POLLING_PLACE(Section.POLITICS, true, 1_400),
    COUNTING_HALL(Section.POLITICS, true, 900),
    PLEDGE(Section.POLITICS, true, 900),
    PRICES(Section.ECONOMY, false, 2_000),
    JOBS(Section.ECONOMY, false, 900),
    BUS(Section.SOCIETY, false, 1_800),
    SNOW(Section.SOCIETY, false, 1_300),
    WEATHER(Section.LIFE, false, 2_000),
    LIBRARY(Section.LIFE, false, 1_100),
    AIR(Section.SCIENCE, false, 1_300),
    CONCERT(Section.ENTERTAINMENT, false, 1_400),
    CINEMA(Section.ENTERTAINMENT, false, 1_200),
    MATCH(Section.SPORT, false, 1_400);

    private final Section section;
    private final boolean election;
    private final int articles;

    Story(Section section, boolean election, int articles) {
        this.section = section;
        this.election = election;
        this.articles = articles;
    }

    Section section() {
        return section;
    }

    boolean isOnElection() {
        return election;
    }

    int articles() {
        return articles;
    }

    /** Name of the file with its facts and wordings. */
    String file() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
