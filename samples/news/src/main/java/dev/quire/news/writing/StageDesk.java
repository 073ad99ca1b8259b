package dev.quire.news.writing;

import dev.quire.news.place.Atlas;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** Facts about concert halls, cinemas and amateur sport. */
final class StageDesk {
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("EEEE d MMMM", Locale.ENGLISH);
    private static final LocalDate FIRST_DAY = LocalDate.of(2012, 11, 20);

    private static final List<String> WORKS =
            List.of(
                    "Beethoven’s Seventh Symphony",
                    "Brahms’s First Symphony",
                    "Dvořák’s Eighth Symphony",
                    "Tchaikovsky’s “Pathétique”",
                    "Mahler’s First Symphony",
                    "Mendelssohn’s “Italian” Symphony",
                    "Schubert’s “Unfinished”",
                    "Sibelius’s Second Symphony",
                    "Haydn’s “Clock” Symphony",
                    "Mozart’s “Jupiter” Symphony",
                    "Rimsky-Korsakov’s “Scheherazade”",
                    "the pansori “Chunhyangga”",
                    "the pansori “Simcheongga”",
                    "the court suite “Yeomillak”");

    private static final List<String> OPENERS =
            List.of(
                    "Rossini’s overture to “William Tell”",
                    "the folk song “Miryang Arirang”",
                    "Elgar’s “Serenade for Strings”",
                    "the folk song “Jindo Arirang”",
                    "Grieg’s “Holberg Suite”",
                    "a wind-band march",
                    "Bach’s third “Brandenburg” Concerto",
                    "a gayageum sanjo");

    private static final List<String> GENRES =
            List.of(
                    "documentaries",
                    "thrillers",
                    "period dramas",
                    "comedies",
                    "animated films",
                    "short films",
                    "silent classics",
                    "musicals",
                    "science fiction",
                    "family films");

    /** A game, what a part of it is called and how many goals a side makes in one. */
    private record Game(String name, String part, int low, int high) {}

    private static final List<Game> GAMES =
            List.of(
                    new Game("football", "half", 0, 3),
                    new Game("women’s football", "half", 0, 3),
                    new Game("handball", "half", 9, 18),
                    new Game("women’s handball", "half", 9, 18),
                    new Game("futsal", "half", 1, 6),
                    new Game("ice hockey", "period", 0, 3),
                    new Game("field hockey", "half", 0, 4));

    private StageDesk() {}

    /** A concert: each district and work once. */
    static Assignment concert(int number, Dice dice, Atlas atlas) {
        int pair = ElectionDesk.spread(number, atlas.districts().size() * WORKS.size());
        var district = atlas.districts().get(pair / WORKS.size());
        int seats = dice.between(220, 2_400);
        int players = dice.between(24, 96);
        var day = day(dice);
        var facts =
                new Facts()
                        .with("work", WORKS.get(pair % WORKS.size()))
                        .with("opener", dice.oneOf(OPENERS))
                        .with("seats", seats)
                        .with("sold", seats * dice.between(46, 90) / 100)
                        .with("players", players)
                        .with("rehearsals", dice.between(6, 31))
                        .with("minutes", dice.between(68, 142))
                        .with("cheap", dice.between(5, 20) + ",000")
                        .with("dear", dice.between(25, 90) + ",000")
                        .with("pupils", seats * dice.between(2, 9) / 100)
                        .with("applause", dice.between(2, 11))
                        .with("lamps", dice.between(60, 490))
                        .with("metres", dice.between(11, 29))
                        .with("age", dice.between(4, 58))
                        .with("chairs", players + dice.between(6, 40))
                        .with("pages", dice.between(44, 610))
                        .with("steps", dice.between(14, 96))
                        .withTenths("echo", dice.between(12, 24))
                        .with("broadcast", dice.between(2, 11) + " p.m.")
                        .with("choir", dice.between(22, 130))
                        .with("season", dice.between(5, 24))
                        .with("start", dice.oneOf("5 p.m.", "7 p.m.", "7:30 p.m.", "8 p.m."))
                        .with("date", DAY.format(day));
        return new Assignment(district, ElectionDesk.someTime(dice, day), facts);
    }

    /** A weekend at the pictures: each district and kind of film once. */
    static Assignment cinema(int number, Dice dice, Atlas atlas) {
        int pair = ElectionDesk.spread(number, atlas.districts().size() * GENRES.size());
        var district = atlas.districts().get(pair / GENRES.size());
        int screens = dice.between(2, 24);
        int seats = screens * dice.between(96, 240);
        int shows = screens * dice.between(9, 15);
        int tickets = seats * dice.between(180, 460) / 100;
        var day = day(dice);
        var facts =
                new Facts()
                        .with("genre", GENRES.get(pair % GENRES.size()))
                        .with("second", GENRES.get((pair + 4) % GENRES.size()))
                        .with("screens", screens)
                        .with("seats", seats)
                        .with("shows", shows)
                        .with("tickets", tickets)
                        .with("genreTickets", tickets * dice.between(22, 48) / 100)
                        .with("secondTickets", tickets * dice.between(8, 21) / 100)
                        .with("lastWeek", tickets * dice.between(70, 130) / 100)
                        // So few that the tickets sold are enough to fill them.
                        .with("full", dice.between(2, screens + screens / 5))
                        .with("price", dice.oneOf("6,000", "7,000", "8,000", "9,000"))
                        .with("morning", dice.between(4, 31))
                        .with("late", tickets * dice.between(8, 30) / 100)
                        .with("families", tickets * dice.between(4, 12) / 100)
                        .with("popcorn", dice.between(90, 2_700))
                        .with("minutes", dice.between(82, 158))
                        .with("subtitles", dice.between(3, 36))
                        .with("festival", dice.between(8, 64))
                        .with("countries", dice.between(3, 21))
                        .with("lens", dice.between(2, 11))
                        .with("metres", dice.between(9, 22))
                        .with("staff", dice.between(12, 190))
                        .with("talk", dice.between(30, 310))
                        .with("date", DAY.format(day));
        return new Assignment(district, ElectionDesk.someTime(dice, day), facts);
    }

    /** A match between the amateur sides of two neighbouring districts. */
    static Assignment match(int number, Dice dice, Atlas atlas) {
        int pair = ElectionDesk.spread(number, atlas.districts().size() * GAMES.size());
        int at = pair / GAMES.size();
        var district = atlas.districts().get(at);
        var guest = atlas.districts().get((at + 1) % atlas.districts().size());
        var game = GAMES.get(pair % GAMES.size());
        int firstHome = dice.between(game.low(), game.high());
        int firstAway = dice.between(game.low(), game.high());
        int laterHome = dice.between(game.low(), game.high());
        int laterAway = dice.between(game.low(), game.high());
        int home = firstHome + laterHome;
        int away = firstAway + laterAway;
        if (home == away) {
            laterHome++;
            home++;
        }
        boolean homeWon = home > away;
        int round = dice.between(3, 18);
        int saves = dice.between(3, 24);
        int onTarget = dice.between(31, 68);
        var day = day(dice);
        var facts =
                new Facts()
                        .with("game", game.name())
                        .with("unit", Math.abs(home - away) == 1 ? "goal" : "goals")
                        .with("part", game.part())
                        .with("guest", guest.name())
                        .with("winner", homeWon ? district.name() : guest.name())
                        .with("loser", homeWon ? guest.name() : district.name())
                        .with("score", Math.max(home, away) + "–" + Math.min(home, away))
                        .with("first", firstHome + "–" + firstAway)
                        .with("second", laterHome + "–" + laterAway)
                        .with("gap", Math.abs(home - away))
                        .with("crowd", dice.between(80, 3_900))
                        .with("round", round)
                        .with("rank", dice.between(2, 11))
                        .with("played", round)
                        .with("won", dice.between(2, Math.min(6, round)))
                        .with("shots", (home + away + saves) * 100 / onTarget)
                        .with("onTarget", onTarget)
                        .with("minute", dice.between(4, 38))
                        .with("fouls", dice.between(5, 29))
                        .with("number", dice.between(2, 33))
                        .with("saves", saves)
                        .with("juniors", dice.between(12, 160))
                        .with("hall", dice.between(140, 4_200))
                        .with("kilometres", dice.between(6, 148))
                        .with("fans", dice.between(18, 620))
                        .with("next", DAY.format(day.plusDays(dice.between(5, 12))))
                        .with("date", DAY.format(day));
        return new Assignment(district, ElectionDesk.someTime(dice, day.plusDays(1)), facts);
    }

    private static LocalDate day(Dice dice) {
        return FIRST_DAY.plusDays(dice.between(0, 28));
    }
}
