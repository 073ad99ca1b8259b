package dev.quire.news.election;

import dev.quire.news.place.Region;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Every ballot box of the country in the order in which they are opened. Generated from constants:
 * the same on every start. The result is fictional.
 */
final class Night {
    private static final int ELECTORS_OF_A_PLACE = 3_000;

    private final List<PollingPlace> places;

    private Night(List<PollingPlace> places) {
        this.places = places;
    }

    static Night draw() {
        record Opening(PollingPlace place, double at) {}

        var openings = new ArrayList<Opening>();
        for (Region region : Region.values()) {
            var random = new SplittableRandom(20_121_219L + Integer.parseInt(region.oid()));
            int count = pollingPlaces(region);
            for (int i = 0; i < count; i++) {
                double part = (i + random.nextDouble()) / count;
                openings.add(new Opening(fill(region, i, random), Math.pow(part, pace(region))));
            }
        }
        return new Night(
                openings.stream()
                        .sorted(Comparator.comparingDouble(Opening::at))
                        .map(Opening::place)
                        .toList());
    }

    /** How many boxes {@code region} has. */
    static int pollingPlaces(Region region) {
        return Math.round((float) region.electors() / ELECTORS_OF_A_PLACE);
    }

    int size() {
        return places.size();
    }

    /** The boxes from {@code from} on, at most {@code count}, in order. */
    List<PollingPlace> open(int from, int count) {
        int start = Math.min(from, size());
        return places.subList(start, Math.min(start + count, size()));
    }

    /** Ballots cast in {@code region}. */
    long ballots(Region region) {
        return in(region).mapToLong(place -> place.tally().ballots()).sum();
    }

    private Stream<PollingPlace> in(Region region) {
        return places.stream().filter(place -> place.region() == region);
    }

    private static PollingPlace fill(Region region, int number, SplittableRandom random) {
        int count = pollingPlaces(region);
        // Cut at running totals, so that the electors of all places add up to those of the region.
        long electors =
                (long) region.electors() * (number + 1) / count
                        - (long) region.electors() * number / count;
        long ballots =
                electors * (region.turnoutPermille() * 10L + random.nextInt(-600, 601)) / 10_000;
        long invalid = ballots * random.nextInt(2, 7) / 1_000;
        long valid = ballots - invalid;
        long others = 0;
        var votes = new ArrayList<Long>();
        votes.add(0L);
        for (int permille : leaning(region).subList(1, leaning(region).size())) {
            int spread = Math.max(1, permille / 6);
            long vote = valid * (permille + random.nextInt(-spread, spread + 1)) / 1_000;
            votes.add(vote);
            others += vote;
        }
        votes.set(0, valid - others);
        return new PollingPlace(region, new Tally(1, votes, invalid));
    }

    /** Votes per thousand for each candidate; the first gets the rest. */
    private static List<Integer> leaning(Region region) {
        return switch (region) {
            case SEOUL -> List.of(455, 486, 29, 14, 10, 6);
            case BUSAN -> List.of(531, 410, 28, 15, 9, 7);
            case DAEGU -> List.of(566, 372, 31, 13, 10, 8);
            case INCHEON -> List.of(478, 467, 27, 13, 9, 6);
            case GWANGJU -> List.of(341, 594, 33, 14, 11, 7);
            case DAEJEON -> List.of(464, 478, 29, 13, 9, 7);
            case ULSAN -> List.of(509, 412, 39, 22, 11, 7);
            case SEJONG -> List.of(452, 489, 30, 14, 9, 6);
            case GYEONGGI -> List.of(469, 475, 28, 13, 9, 6);
            case GANGWON -> List.of(527, 420, 26, 12, 8, 7);
            case CHUNGBUK -> List.of(496, 449, 28, 12, 8, 7);
            case CHUNGNAM -> List.of(489, 454, 29, 13, 8, 7);
            case JEONBUK -> List.of(362, 576, 31, 14, 10, 7);
            case JEONNAM -> List.of(358, 581, 30, 14, 10, 7);
            case GYEONGBUK -> List.of(572, 369, 28, 14, 10, 7);
            case GYEONGNAM -> List.of(524, 413, 33, 14, 9, 7);
            case JEJU -> List.of(467, 473, 31, 14, 9, 6);
        };
    }

    /** Below 1 a region counts late in the night, above 1 early. */
    private static double pace(Region region) {
        return switch (region) {
            case SEJONG, JEJU, GWANGJU -> 1.9;
            case ULSAN, GANGWON, JEONBUK, JEONNAM -> 1.5;
            case GYEONGBUK, CHUNGBUK, CHUNGNAM, DAEJEON, DAEGU -> 1.25;
            case GYEONGNAM, BUSAN -> 1.05;
            case INCHEON, GYEONGGI -> 0.8;
            case SEOUL -> 0.7;
        };
    }
}
