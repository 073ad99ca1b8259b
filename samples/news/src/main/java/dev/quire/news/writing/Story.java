package dev.quire.news.writing;

import dev.quire.news.article.Section;
import java.util.Locale;

/** A kind of article: where it appears, how many there are and who finds out the facts. */
enum Story {
    TURNOUT(Section.POLITICS, true, 2_400, ElectionDesk::turnout),
    POLLING_PLACE(Section.POLITICS, true, 1_400, ElectionDesk::pollingPlace),
    COUNTING_HALL(Section.POLITICS, true, 900, ElectionDesk::countingHall),
    PLEDGE(Section.POLITICS, true, 900, ElectionDesk::pledge),
    PRICES(Section.ECONOMY, false, 2_000, TownDesk::prices),
    JOBS(Section.ECONOMY, false, 900, TownDesk::jobs),
    BUS(Section.SOCIETY, false, 1_800, TownDesk::bus),
    SNOW(Section.SOCIETY, false, 1_300, WeatherDesk::snow),
    WEATHER(Section.LIFE, false, 2_000, WeatherDesk::weather),
    LIBRARY(Section.LIFE, false, 1_100, TownDesk::library),
    AIR(Section.SCIENCE, false, 1_300, WeatherDesk::air),
    CONCERT(Section.ENTERTAINMENT, false, 1_400, StageDesk::concert),
    CINEMA(Section.ENTERTAINMENT, false, 1_200, StageDesk::cinema),
    MATCH(Section.SPORT, false, 1_400, StageDesk::match);

    private final Section section;
    private final boolean election;
    private final int articles;

    @SuppressWarnings("ImmutableEnumChecker") // references to static methods
    private final Desk desk;

    Story(Section section, boolean election, int articles, Desk desk) {
        this.section = section;
        this.election = election;
        this.articles = articles;
        this.desk = desk;
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

    Desk desk() {
        return desk;
    }

    /** Name of the file that says how it is told. */
    String file() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
