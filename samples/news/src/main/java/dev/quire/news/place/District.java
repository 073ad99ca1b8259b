package dev.quire.news.place;

/**
 * A city, county or ward that runs its own count.
 *
 * @param region it lies in
 * @param name as printed in a sentence, unique in the country
 * @param electors on its part of the region's roll
 */
public record District(Region region, String name, int electors) {
    /** About 3,000 electors share one polling place. */
    public int pollingPlaces() {
        return Math.max(3, electors / 3_000);
    }
}
