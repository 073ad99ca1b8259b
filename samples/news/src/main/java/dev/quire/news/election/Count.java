package dev.quire.news.election;

import dev.quire.news.place.Region;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The count of the whole country at one moment. The national figures are computed as sums of the
 * regions.
 */
public record Count(List<RegionCount> regions) {
    private static final LocalTime FIRST_PLACE = LocalTime.of(18, 40);
    private static final double SECONDS_FOR_ONE_PLACE = 1.6;
    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    public Count {
        regions = List.copyOf(regions);
        if (regions.size() != Region.values().length) {
            throw new IllegalArgumentException(
                    "expected %d regions, found %d"
                            .formatted(Region.values().length, regions.size()));
        }
    }

    public Tally national() {
        return regions.stream().map(RegionCount::tally).reduce(Tally.NOTHING, Tally::plus);
    }

    public int pollingPlaces() {
        return regions.stream().mapToInt(RegionCount::pollingPlaces).sum();
    }

    /** Ballots cast in the country. */
    public long ballots() {
        return regions.stream().mapToLong(RegionCount::ballots).sum();
    }

    public long electors() {
        return regions.stream().mapToLong(count -> count.region().electors()).sum();
    }

    /** Counted papers in percent of those cast. */
    public double progress() {
        return 100.0 * national().ballots() / ballots();
    }

    public double turnout() {
        return 100.0 * ballots() / electors();
    }

    public boolean isComplete() {
        return national().places() == pollingPlaces();
    }

    /** Regions with most of their ballots counted first. */
    public List<RegionCount> byProgress() {
        return regions.stream()
                .sorted(Comparator.comparingDouble(RegionCount::progress).reversed())
                .toList();
    }

    /** The region with the smallest lead. */
    public RegionCount closest() {
        return regions.stream()
                .min(Comparator.comparingDouble(count -> count.tally().leadPoints()))
                .orElseThrow();
    }

    /** How many regions {@code candidate} leads in. */
    public long regionsLed(Candidate candidate) {
        return regions.stream().filter(count -> count.tally().leader() == candidate).count();
    }

    /** The time of the night. It depends only on how much is counted. */
    public String asOf() {
        return timeAfter(national().places());
    }

    /** The time of the night at which {@code places} polling places were counted. */
    static String timeAfter(int places) {
        return CLOCK.format(FIRST_PLACE.plusSeconds((long) (places * SECONDS_FOR_ONE_PLACE)));
    }
}
