package dev.quire.news.writing;

import dev.quire.news.place.Atlas;
import dev.quire.news.place.Region;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Facts about weather, snow and air, all of one cold winter. */
final class WeatherDesk {
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("EEEE d MMMM", Locale.ENGLISH);
    private static final LocalDate FIRST_DAY = LocalDate.of(2012, 11, 20);
    private static final int DAYS = 30;

    /** Days whose evening is over before the polls open. */
    private static final int PAST_DAYS = DAYS - 1;

    private static final LocalDate FIRST_SNOW = LocalDate.of(2012, 12, 3);
    private static final int SNOW_DAYS = 16;

    /** Where it is this mild, no snow settles before January. */
    private static final int MILD = 4;

    private WeatherDesk() {}

    /** Tomorrow's weather in one district: each district and day once. */
    static Assignment weather(int number, Dice dice, Atlas atlas) {
        int pair = ElectionDesk.spread(number, atlas.districts().size() * DAYS);
        var district = atlas.districts().get(pair / DAYS);
        int day = pair % DAYS;
        int low = mildness(district.region()) - day / 3 - dice.between(0, 5);
        int high = low + dice.between(6, 11);
        var date = FIRST_DAY.plusDays(day);
        var sky = sky(high, dice);
        var facts =
                new Facts()
                        .with("tomorrow", DAY.format(date.plusDays(1)))
                        .with("low", degrees(low))
                        .with("high", degrees(high))
                        .with("felt", degrees(low - dice.between(2, 7)))
                        .with("low2", degrees(low - dice.between(-3, 2)))
                        .with("high2", degrees(high - dice.between(-3, 3)))
                        .with("low3", degrees(low - dice.between(-4, 2)))
                        .with("sky", sky)
                        .with("wind", dice.between(6, 46))
                        .with("gusts", dice.between(48, 81))
                        .with("from", dice.oneOf("north", "north-west", "west", "north-east"))
                        .with("humidity", dice.between(28, 83))
                        .with("pressure", 1_012 + dice.between(0, 24))
                        .with("sunrise", "7:%02d a.m.".formatted(15 + day * 28 / DAYS))
                        .with("sunset", "5:%02d p.m.".formatted(10 + dice.between(0, 8)))
                        .with("chance", chance(sky, dice))
                        .withTenths("ground", dice.between(-42, 61))
                        .with("height", dice.between(5, 30))
                        .withTenths("mean", (low + high) * 5L)
                        .withTenths("normal", (low + high) * 5L + dice.between(-38, 52))
                        .with("washing", dice.between(3, 9))
                        .with("visibility", dice.between(4, 28))
                        .with("station", dice.between(90, 950))
                        .with("meters", dice.between(12, 480))
                        .withTenths("wave", dice.between(4, 39));
        return new Assignment(
                district, date.atTime(dice.between(5, 17), dice.between(0, 59)), facts);
    }

    /** How a district gets rid of its snow: each cold district and day once. */
    static Assignment snow(int number, Dice dice, Atlas atlas) {
        var districts =
                atlas.districts().stream()
                        .filter(district -> mildness(district.region()) < MILD)
                        .toList();
        int pair = ElectionDesk.spread(number, districts.size() * SNOW_DAYS);
        var district = districts.get(pair / SNOW_DAYS);
        var date = FIRST_SNOW.plusDays(pair % SNOW_DAYS);
        var facts =
                new Facts()
                        .with("day", DAY.format(date))
                        .withTenths("depth", dice.between(12, 214))
                        .with("salt", dice.between(14, 780))
                        .with("stock", dice.between(800, 6_900))
                        .with("lorries", dice.between(6, 74))
                        .with("ploughs", dice.between(3, 39))
                        .with("workers", dice.between(40, 1_150))
                        .with("kilometres", dice.between(38, 690))
                        .with("lanes", dice.between(12, 310))
                        .with("slopes", dice.between(4, 63))
                        .with(
                                "started",
                                "%d:%02d a.m.".formatted(dice.between(1, 4), dice.between(0, 59)))
                        .with(
                                "clear",
                                "%d:%02d a.m.".formatted(dice.between(6, 8), dice.between(0, 59)))
                        .with("boxes", dice.between(60, 1_480))
                        .with("shovels", dice.between(90, 2_600))
                        .with("calls", dice.between(18, 870))
                        .with("falls", dice.between(2, 46))
                        .with("buses", dice.between(3, 58))
                        .with("late", dice.between(8, 44))
                        .with("pipes", dice.between(5, 390))
                        .with("meters", dice.between(9, 620))
                        .with("cold", degrees(-dice.between(4, 19)))
                        .with("schools", dice.between(2, 54))
                        .with("won", dice.between(28, 940))
                        .with("volunteers", dice.between(30, 980));
        return new Assignment(
                district, date.atTime(dice.between(10, 17), dice.between(0, 59)), facts);
    }

    /** What is in the air of a district: each district and day once. */
    static Assignment air(int number, Dice dice, Atlas atlas) {
        int pair = ElectionDesk.spread(number, atlas.districts().size() * PAST_DAYS);
        var district = atlas.districts().get(pair / PAST_DAYS);
        int day = pair % PAST_DAYS;
        var date = FIRST_DAY.plusDays(day);
        int dust = dice.between(18, 128);
        var facts =
                new Facts()
                        .with("day", DAY.format(date))
                        .with("dust", dust)
                        .with("word", dust <= 30 ? "good" : dust <= 80 ? "moderate" : "poor")
                        .with("peak", dust + dice.between(9, 61))
                        .with("peakHour", dice.between(7, 11) + " a.m.")
                        .with("lowest", Math.max(6, dust - dice.between(6, 34)))
                        .with("lowHour", dice.between(1, 5) + " p.m.")
                        .with("fine", dust * dice.between(38, 71) / 100)
                        .with("ozone", "0.0" + dice.between(10, 48))
                        .with("nitrogen", "0.0" + dice.between(11, 59))
                        .with("monthMean", dust + dice.between(-14, 19))
                        .with("stations", dice.between(2, 7))
                        .with("inlet", dice.between(3, 21))
                        .with("samples", dice.between(96, 1_420))
                        .with("filters", dice.between(4, 48))
                        .with("visibility", dice.between(3, 24))
                        .with("wind", dice.between(2, 31))
                        .with("layer", dice.between(14, 118) * 10L)
                        .with("jupiter", dice.between(38, 74))
                        .with("meteors", dice.between(3, 82))
                        .with("hour", dice.between(8, 11) + " p.m.")
                        .with("watchers", dice.between(6, 240))
                        .with("lamps", dice.between(120, 9_600))
                        .with("schools", dice.between(2, 31))
                        .with("litres", dice.between(16, 24) + "." + dice.between(1, 9));
        return new Assignment(
                district, date.plusDays(1).atTime(dice.between(6, 10), dice.between(0, 59)), facts);
    }

    /** Degrees above zero of a late November night. */
    private static int mildness(Region region) {
        return switch (region) {
            case JEJU -> 9;
            case BUSAN, ULSAN, GYEONGNAM, JEONNAM -> 4;
            case GWANGJU, DAEGU, JEONBUK, GYEONGBUK -> 2;
            case DAEJEON, SEJONG, CHUNGNAM -> 0;
            case SEOUL, INCHEON, GYEONGGI, CHUNGBUK -> -1;
            case GANGWON -> -4;
        };
    }

    private static String sky(int high, Dice dice) {
        return high < 2
                ? dice.oneOf("snow showers", "clear and bitter", "overcast with light snow")
                : dice.oneOf("sunny", "partly cloudy", "overcast", "sunny with high cloud");
    }

    /** Chance of rain or snow in percent, as one may expect from such a sky. */
    private static int chance(String sky, Dice dice) {
        int tenths =
                sky.contains("snow")
                        ? dice.between(6, 9)
                        : sky.contains("overcast") ? dice.between(3, 6) : dice.between(0, 2);
        return tenths * 10;
    }

    private static String degrees(int celsius) {
        return celsius < 0 ? "−" + -celsius + "°C" : celsius + "°C";
    }
}
