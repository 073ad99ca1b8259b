package dev.quire.news.election;

import dev.quire.news.place.Region;

/**
 * The progress of the count in one region.
 *
 * @param pollingPlaces it has in all
 * @param ballots cast there in all
 */
public record RegionCount(Region region, int pollingPlaces, long ballots, Tally tally) {
    /** Counted papers in percent of those cast. */
    public double progress() {
        return 100.0 * tally.ballots() / ballots;
    }

    public double turnout() {
        return 100.0 * ballots / region.electors();
    }

    public boolean isComplete() {
        return tally.places() == pollingPlaces;
    }
}
