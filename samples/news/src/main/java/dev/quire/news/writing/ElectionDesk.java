package dev.quire.news.writing;

import dev.quire.news.place.Atlas;
import dev.quire.news.place.District;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;

/** Facts about election day, the count and the campaign. */
final class ElectionDesk {
    static final LocalDate ELECTION_DAY = LocalDate.of(2012, 12, 19);

    private static final int FIRST_HOUR = 7;
    private static final int LAST_HOUR = 17;
    private static final int CLOSING_HOUR = 18;

    /** Polling places that reporters visit in one district. */
    private static final int VISITED_PLACES = 9;

    /** Permille of all voters who have voted by 6 a.m., 7 a.m. and so on to 6 p.m. */
    private static final List<Integer> VOTED_BY_HOUR =
            List.of(0, 36, 84, 152, 243, 344, 452, 551, 642, 735, 828, 924, 1_000);

    private static final List<String> BUILDINGS =
            List.of(
                    "a primary-school gymnasium",
                    "the canteen of a middle school",
                    "a community centre",
                    "the reading room of a public library",
                    "a day centre for the elderly",
                    "the lobby of a health centre",
                    "a fire-station garage",
                    "a village hall",
                    "the ground floor of an apartment office",
                    "a sports hall",
                    "a youth training centre",
                    "the exhibition room of a cultural centre");

    /** What a pledge is about, what is counted and where the money would go. */
    private record Policy(String topic, String things, String places, String measure) {}

    private static final List<Policy> POLICIES =
            List.of(
                    new Policy("child care", "nursery places", "public nurseries", "opening hours"),
                    new Policy("rented housing", "flats at a capped rent", "estates", "deposits"),
                    new Policy("care of the old", "home visits a week", "clinics", "night shifts"),
                    new Policy("school meals", "free lunches a day", "schools", "local produce"),
                    new Policy("small shops", "loans to shopkeepers", "markets", "card fees"),
                    new Policy("rail", "seats a day on commuter trains", "stations", "late trains"),
                    new Policy("farm incomes", "contracts with growers", "depots", "fuel costs"),
                    new Policy("night buses", "departures after midnight", "routes", "fares"),
                    new Policy("job training", "apprenticeships", "workshops", "weekend courses"),
                    new Policy("flood defence", "metres of embankment", "streams", "pumps"),
                    new Policy("clean energy", "roofs with solar panels", "plants", "tariffs"),
                    new Policy("hospitals", "beds outside the capital", "hospitals", "waiting"));

    private ElectionDesk() {}

    /** How many have voted in a district by an hour: each pair once. */
    static Assignment turnout(int number, Dice dice, Atlas atlas) {
        int hours = LAST_HOUR - FIRST_HOUR + 1;
        int pair = spread(number, atlas.districts().size() * hours);
        var district = atlas.districts().get(pair / hours);
        int hour = FIRST_HOUR + pair % hours;
        int voted = voted(district, hour);
        int before = voted(district, hour - 1);
        int places = district.pollingPlaces();
        var facts =
                new Facts()
                        .with("hour", hour(hour))
                        .with("previous", hour(hour - 1))
                        .with("electors", district.electors())
                        .with("voted", voted)
                        .with("lastHour", voted - before)
                        .with("perMinute", Math.max(2, (voted - before) / 60))
                        .with("remaining", district.electors() - voted)
                        .withTenths("turnout", permille(voted, district.electors()))
                        .withTenths("turnoutBefore", permille(before, district.electors()))
                        .withTenths(
                                "regionTurnout",
                                district.region().turnoutPermille()
                                        * VOTED_BY_HOUR.get(hour - 6)
                                        / 1_000)
                        .with("places", places)
                        .with("perPlace", voted / places)
                        .with("busiest", dice.between(1, places))
                        .with("busiestVoters", voted / places * dice.between(118, 163) / 100)
                        .with("wait", dice.between(2, 19))
                        .with("booths", (long) places * dice.between(5, 8))
                        .with("officials", (long) places * dice.between(9, 14))
                        .with("calls", dice.between(24, 389))
                        .with("rides", dice.between(11, 147))
                        .with("frost", dice.between(3, 14))
                        .with("day", "election day")
                        .with("left", hoursLeft(hour));
        return new Assignment(district, ELECTION_DAY.atTime(hour, dice.between(4, 40)), facts);
    }

    /** One polling place: some of each district that has enough of them, each once. */
    static Assignment pollingPlace(int number, Dice dice, Atlas atlas) {
        var districts =
                atlas.districts().stream()
                        .filter(district -> district.pollingPlaces() >= VISITED_PLACES)
                        .toList();
        int pair = spread(number, districts.size() * VISITED_PLACES);
        var district = districts.get(pair / VISITED_PLACES);
        int places = district.pollingPlaces();
        int place = 1 + pair % VISITED_PLACES * places / VISITED_PLACES;
        int electors = district.electors() / places + dice.between(-240, 240);
        int firstHour = electors * dice.between(28, 55) / 1_000;
        var facts =
                new Facts()
                        .with("place", place)
                        .with("places", places)
                        .with("building", dice.oneOf(BUILDINGS))
                        .with("electors", electors)
                        .with("firstHour", firstHour)
                        .with("queue", dice.between(6, 78))
                        .with("opened", "5:" + dice.between(30, 58) + " a.m.")
                        .with("booths", dice.between(4, 9))
                        .with("officials", dice.between(8, 15))
                        .with("observers", dice.between(2, 8))
                        .with("walk", dice.between(12, 94) * 10L)
                        .with("stop", dice.between(40, 640))
                        .with("steps", dice.between(2, 17))
                        .with("ramp", dice.between(18, 96) + " metres")
                        .with("lamps", dice.between(6, 44))
                        .with("heaters", dice.between(2, 9))
                        .with("seal", 100_000 + dice.between(0, 899_999))
                        .with("papers", electors + dice.between(20, 120))
                        .with("cups", dice.between(90, 480))
                        .with("oldest", dice.between(88, 103))
                        .with("seconds", 36L * dice.between(45, 80) / firstHour)
                        .with("chairs", dice.between(10, 60));
        return new Assignment(
                district, ELECTION_DAY.atTime(dice.between(6, 11), dice.between(0, 59)), facts);
    }

    /** Work in the hall where a district is counted. */
    static Assignment countingHall(int number, Dice dice, Atlas atlas) {
        var district = atlas.districts().get(spread(number, 7 * atlas.districts().size()) / 7);
        int places = district.pollingPlaces();
        int tables = dice.between(6, 28);
        int hour = dice.between(18, 20);
        int minute =
                switch (hour) {
                    case 18 -> dice.between(35, 59);
                    case 19 -> dice.between(0, 59);
                    // The site opens at 20:32.
                    default -> dice.between(0, 29);
                };
        int minutes = (hour - 18) * 60 + minute - 30;
        int arrived = Math.max(1, places * (dice.between(22, 48) + minutes * 4 / 10) / 100);
        int ballots = district.electors() * district.region().turnoutPermille() / 1_000;
        int checked = ballots / places * arrived * dice.between(24, 71) / 100;
        int farthest = dice.between(4, 48);
        var facts =
                new Facts()
                        .with("hall", dice.oneOf("gymnasium", "indoor stadium", "sports centre"))
                        .with("time", "%d:%02d p.m.".formatted(hour - 12, minute))
                        .with("places", places)
                        .with("arrived", arrived)
                        .with("missing", places - arrived)
                        .with("tables", tables)
                        .with("counters", (long) tables * dice.between(8, 12))
                        .with("machines", dice.between(2, 14))
                        .with("perMinute", dice.between(180, 340))
                        .with("observers", dice.between(9, 64))
                        .with("checked", checked)
                        .with("unclear", 3 + checked * dice.between(2, 11) / 1_000)
                        .with("firstBox", "6:%02d p.m.".formatted(dice.between(12, 34)))
                        .with("firstPlace", dice.between(1, places))
                        .with("lastPlace", dice.between(1, places))
                        .with("farthest", farthest)
                        .with("drive", 5 + farthest * dice.between(12, 19) / 10)
                        .with("lorries", 2 + places * dice.between(20, 70) / 100)
                        .with("meals", dice.between(140, 890))
                        .with("seats", dice.between(60, 420))
                        .with("bundles", checked / 100)
                        .with("recounted", dice.between(2, 31))
                        .with("electors", district.electors());
        return new Assignment(district, ELECTION_DAY.atTime(hour, minute), facts);
    }

    /** What a campaign promises a district. */
    static Assignment pledge(int number, Dice dice, Atlas atlas) {
        int pair = spread(number, atlas.districts().size() * POLICIES.size());
        var district = atlas.districts().get(pair / POLICIES.size());
        var policy = POLICIES.get(pair % POLICIES.size());
        int years = dice.between(2, 5);
        int amount = dice.between(6, 94) * 100;
        int billions = dice.between(12, 980);
        int asked = dice.between(405, 1_480);
        var facts =
                new Facts()
                        .with("candidate", "No. " + dice.between(1, 6))
                        .with("topic", policy.topic())
                        .with("things", policy.things())
                        .with("sites", policy.places())
                        .with("measure", policy.measure())
                        .with("amount", amount)
                        .with("now", amount * dice.between(12, 61) / 100)
                        .with("billions", billions)
                        .with("yearly", Math.max(1, billions / years))
                        .with("years", years)
                        .with("newSites", dice.between(3, 38))
                        .with("pages", dice.between(4, 61))
                        .with("audience", dice.between(60, 2_400))
                        .with("questions", dice.between(5, 34))
                        .with("minutes", dice.between(18, 95))
                        .with("electors", district.electors())
                        .withTenths("share", dice.between(180, 620))
                        .with("asked", asked)
                        // The widest interval of a share, at 95 per cent.
                        .withTenths("margin", Math.round(980 / Math.sqrt(asked)))
                        .with("jobs", dice.between(40, 1_900))
                        .with("share100", dice.between(20, 70))
                        .with("leaflets", dice.between(2_000, 68_000));
        var day = LocalDate.of(2012, 11, 27).plusDays(dice.between(0, 21));
        return new Assignment(
                district, day.atTime(dice.between(8, 20), dice.between(0, 59)), facts);
    }

    /** A permutation of 0 to {@code size - 1}: near numbers come far apart, none comes twice. */
    static int spread(int number, int size) {
        int step = size * 5 / 8 | 1;
        while (gcd(step, size) != 1) {
            step += 2;
        }
        return (int) ((long) number * step % size);
    }

    private static int gcd(int a, int b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    private static int voted(District district, int hour) {
        int turnout = district.region().turnoutPermille() + district.name().hashCode() % 30;
        return (int)
                ((long) district.electors()
                        * turnout
                        / 1_000
                        * VOTED_BY_HOUR.get(hour - 6)
                        / 1_000);
    }

    private static int permille(int part, int whole) {
        return (int) (1_000L * part / whole);
    }

    private static String hour(int hour) {
        if (hour == 12) {
            return "noon";
        }
        return hour < 12 ? hour + " a.m." : hour - 12 + " p.m.";
    }

    private static String hoursLeft(int hour) {
        int left = CLOSING_HOUR - hour;
        return switch (left) {
            case 1 -> "one hour";
            default -> left + " hours";
        };
    }

    /** A moment of the weeks before the evening of election day. */
    static LocalDateTime someTime(Dice dice, LocalDate day) {
        return day.equals(ELECTION_DAY)
                ? day.atTime(dice.between(6, 17), dice.between(0, 59))
                : day.atTime(dice.between(6, 21), dice.between(0, 59));
    }
}
