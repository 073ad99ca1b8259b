package dev.quire.news.writing;

import dev.quire.news.place.Atlas;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** Facts about markets, work, buses and libraries. */
final class TownDesk {
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("d MMMM", Locale.ENGLISH);
    private static final LocalDate FIRST_DAY = LocalDate.of(2012, 11, 20);

    /** What is sold: its measure and its usual price in won. */
    private record Good(String name, String measure, int won, String origin) {}

    private static final List<Good> GOODS =
            List.of(
                    new Good("cabbage", "head", 3_100, "Haenam"),
                    new Good("radish", "kilogram", 1_300, "Jeju"),
                    new Good("garlic", "kilogram", 8_400, "Uiseong"),
                    new Good("dried chilli", "600-gram bag", 13_900, "Yeongyang"),
                    new Good("mackerel", "kilogram", 5_900, "Busan"),
                    new Good("pollack", "kilogram", 4_200, "Sokcho"),
                    new Good("squid", "kilogram", 6_300, "Ulleung"),
                    new Good("pears", "ten-piece box", 31_000, "Naju"),
                    new Good("apples", "ten-piece box", 24_500, "Cheongsong"),
                    new Good("tangerines", "five-kilogram box", 14_200, "Seogwipo"),
                    new Good("persimmons", "ten-piece box", 9_800, "Sangju"),
                    new Good("rice", "20-kilogram sack", 46_800, "Icheon"),
                    new Good("eggs", "thirty-piece tray", 5_600, "Pocheon"),
                    new Good("spring onions", "bundle", 3_200, "Jindo"),
                    new Good("oysters", "kilogram", 9_300, "Tongyeong"),
                    new Good("seaweed", "hundred-sheet pack", 7_700, "Wando"),
                    new Good("sweet potatoes", "kilogram", 3_900, "Haenam"),
                    new Good("spinach", "bundle", 2_800, "Pohang"));

    private static final List<String> TRADES =
            List.of(
                    "machine tools",
                    "car parts",
                    "food packing",
                    "care homes",
                    "hotels",
                    "parcel depots",
                    "shipyards",
                    "call centres",
                    "software",
                    "textiles",
                    "building sites",
                    "hospitals");

    private static final List<String> SHELVES =
            List.of(
                    "picture books",
                    "local history",
                    "cookery",
                    "travel",
                    "poetry",
                    "large-print novels",
                    "science for children",
                    "gardening",
                    "language courses",
                    "comics");

    private TownDesk() {}

    /** The price of one good at one market: each pair once. */
    static Assignment prices(int number, Dice dice, Atlas atlas) {
        int pair = ElectionDesk.spread(number, atlas.districts().size() * GOODS.size());
        var district = atlas.districts().get(pair / GOODS.size());
        var good = GOODS.get(pair % GOODS.size());
        int now = round(good.won() * dice.between(820, 1_240) / 1_000);
        int week = round(now * dice.between(900, 1_110) / 1_000);
        int year = round(good.won() * dice.between(800, 1_200) / 1_000);
        int low = round(now * dice.between(840, 930) / 1_000);
        int high = round(now * dice.between(1_080, 1_210) / 1_000);
        var day = day(dice);
        var facts =
                new Facts()
                        .with("good", good.name())
                        .with("measure", good.measure())
                        .with("origin", good.origin())
                        .with("price", now)
                        .with("week", week)
                        .with("year", year)
                        .with("low", low)
                        .with("high", high)
                        .with("moved", now == week ? "unchanged" : now > week ? "up" : "down")
                        .with("step", Math.abs(now - week))
                        .with("market", dice.oneOf("covered", "weekly", "wholesale", "morning"))
                        .with("stalls", dice.between(14, 320))
                        .with("sellers", dice.between(3, 41))
                        .with("crates", dice.between(110, 5_900))
                        .with("lorries", dice.between(2, 37))
                        .with("sold", dice.between(52, 97))
                        .with(
                                "auction",
                                "%d:%02d a.m.".formatted(dice.between(3, 6), dice.between(0, 59)))
                        .with("kilometres", dice.between(18, 412))
                        .with("fuel", 1_700 + dice.between(0, 240))
                        .with("frost", dice.between(2, 13))
                        .with("shoppers", dice.between(340, 7_400))
                        .with("basket", round(dice.between(24_000, 61_000)))
                        .with("date", DAY.format(day));
        return new Assignment(district, ElectionDesk.someTime(dice, day), facts);
    }

    /** A job fair. */
    static Assignment jobs(int number, Dice dice, Atlas atlas) {
        int pair = ElectionDesk.spread(number, atlas.districts().size() * TRADES.size());
        var district = atlas.districts().get(pair / TRADES.size());
        int firms = dice.between(12, 140);
        int vacancies = firms * dice.between(3, 14);
        int visitors = vacancies * dice.between(2, 6);
        var day = day(dice);
        var facts =
                new Facts()
                        .with("trade", TRADES.get(pair % TRADES.size()))
                        .with("second", TRADES.get((pair + 5) % TRADES.size()))
                        .with("firms", firms)
                        .with("vacancies", vacancies)
                        .with("visitors", visitors)
                        .with("tradeVacancies", vacancies * dice.between(18, 44) / 100)
                        .with("secondVacancies", vacancies * dice.between(6, 17) / 100)
                        .with("hired", vacancies * dice.between(8, 26) / 100)
                        .with("invited", vacancies * dice.between(30, 90) / 100)
                        .with("wage", round(dice.between(1_580_000, 2_960_000)))
                        .with("under30", dice.between(28, 56))
                        .with("over50", dice.between(9, 27))
                        .with("interviews", dice.between(180, 2_900))
                        .with("minutes", dice.between(6, 24))
                        .with("photos", dice.between(45, 720))
                        .with("letters", dice.between(60, 940))
                        .with("courses", dice.between(3, 29))
                        .with("places", dice.between(40, 860))
                        .with("weeks", dice.between(4, 26))
                        .with("electors", district.electors())
                        .with("lastYear", vacancies * dice.between(74, 122) / 100)
                        .with("booth", dice.between(1, firms))
                        .with("date", DAY.format(day));
        return new Assignment(district, ElectionDesk.someTime(dice, day.plusDays(1)), facts);
    }

    /** A changed bus route. */
    static Assignment bus(int number, Dice dice, Atlas atlas) {
        int districts = atlas.districts().size();
        var district = atlas.districts().get(number % districts);
        int interval = dice.between(6, 34);
        int stops = dice.between(18, 74);
        // Numbers grow with each round through the districts: none is used twice in one of them.
        int route = 10 + number / districts * 90 + dice.between(0, 89);
        var day = day(dice);
        var facts =
                new Facts()
                        .with("route", route)
                        .with("stops", stops)
                        .with("newStops", dice.between(2, 9))
                        .withTenths("length", (long) stops * dice.between(3, 7))
                        .with("ride", stops * dice.between(70, 130) / 60)
                        .with("interval", interval)
                        .with("before", interval + dice.between(2, 14))
                        .with("buses", dice.between(4, 29))
                        .with("lowFloor", dice.between(2, 4))
                        .with("drivers", dice.between(10, 66))
                        .with("passengers", dice.between(640, 14_800))
                        .with("expected", dice.between(90, 2_900))
                        .with(
                                "first",
                                "%d:%02d a.m.".formatted(dice.between(4, 5), dice.between(10, 59)))
                        .with(
                                "last",
                                "%d:%02d p.m.".formatted(dice.between(9, 11), dice.between(0, 59)))
                        .with("shelters", dice.between(3, 26))
                        .with("screens", dice.between(2, 31))
                        .with("fare", dice.oneOf("1,050", "1,100", "1,150", "1,200"))
                        .with("letters", dice.between(28, 1_340))
                        .with("meetings", dice.between(2, 9))
                        .with("school", dice.between(120, 1_900))
                        .with("cost", dice.between(40, 960))
                        .with("spare", dice.between(1, 5))
                        .with("from", DAY.format(day.plusDays(dice.between(2, 9))))
                        .with("late", dice.between(2, 12));
        return new Assignment(district, ElectionDesk.someTime(dice, day), facts);
    }

    /** A library and what is borrowed there: each district and shelf once. */
    static Assignment library(int number, Dice dice, Atlas atlas) {
        int pair = ElectionDesk.spread(number, atlas.districts().size() * SHELVES.size());
        var district = atlas.districts().get(pair / SHELVES.size());
        int loans = dice.between(1_900, 48_000);
        int books = dice.between(14_000, 260_000);
        var day = day(dice);
        var facts =
                new Facts()
                        .with("shelf", SHELVES.get(pair % SHELVES.size()))
                        .with("other", SHELVES.get((pair + 3) % SHELVES.size()))
                        .with("loans", loans)
                        .with("lastYear", loans * dice.between(78, 118) / 100)
                        .with("shelfLoans", loans * dice.between(9, 31) / 100)
                        .with("books", books)
                        .with("bought", books * dice.between(10, 48) / 1_000)
                        .with("seats", dice.between(60, 740))
                        .with("members", district.electors() * dice.between(60, 310) / 1_000)
                        .with("newCards", dice.between(110, 3_200))
                        .with("evening", dice.between(7, 10) + " p.m.")
                        .with("readers", dice.between(14, 92))
                        .with("sessions", dice.between(4, 38))
                        .with("volunteers", dice.between(5, 71))
                        .with("waiting", dice.between(8, 260))
                        .with("overdue", dice.between(90, 2_600))
                        .with("vans", dice.between(2, 5))
                        .with("halts", dice.between(8, 46))
                        .with("schools", dice.between(3, 34))
                        .with("repair", dice.between(45, 900))
                        .with("days", dice.between(9, 21))
                        .with("date", DAY.format(day));
        return new Assignment(district, ElectionDesk.someTime(dice, day), facts);
    }

    private static LocalDate day(Dice dice) {
        return FIRST_DAY.plusDays(dice.between(0, 28));
    }

    /** To tens below 10,000 won, to hundreds above. */
    private static int round(int won) {
        int step = won < 10_000 ? 10 : 100;
        return won / step * step;
    }
}
