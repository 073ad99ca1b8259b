package dev.quire.bench.replay;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;

/**
 * The requests of a replay, and the memory for the responses to them.
 *
 * @param isHeavy whether lengths have a heavy tail, as those of images
 * @param drift the share of the 1,000 most popular URLs that trade places with others, each 10,000
 *     requests
 */
record Workload(
        int urls,
        long requests,
        long memoryMib,
        double skew,
        int medianBytes,
        boolean isHeavy,
        double drift) {
    private static final int MIB = 1 << 20;
    private static final long SEED = 20_261_120;

    /** So much smaller is the one over the wire. */
    private static final int WIRE_SHARE = 20;

    /** The one that limits are set for. */
    static Workload usual(boolean isHeavy) {
        return new Workload(2_000_000, 10_000_000, isHeavy ? 2048 : 512, 0.9, 4096, isHeavy, 0);
    }

    /** The one of {@code arguments}, or else the usual one. */
    static Workload of(Arguments arguments) throws CannotMeasure {
        return of(arguments, usual(arguments.has("heavy-tail")));
    }

    /** The same over the wire: with fewer URLs and requests, and less memory. */
    static Workload overTheWire(Arguments arguments) throws CannotMeasure {
        var usual = usual(arguments.has("heavy-tail"));
        return of(
                arguments,
                new Workload(
                        usual.urls / WIRE_SHARE,
                        usual.requests / WIRE_SHARE,
                        usual.memoryMib / WIRE_SHARE,
                        usual.skew,
                        usual.medianBytes,
                        usual.isHeavy,
                        usual.drift));
    }

    private static Workload of(Arguments arguments, Workload usual) throws CannotMeasure {
        return new Workload(
                arguments.number("urls", usual.urls, 1, 100_000_000),
                arguments.longNumber("requests", usual.requests, 1, 1_000_000_000_000L),
                arguments.longNumber("memory", usual.memoryMib, 1, 1_000_000),
                arguments.decimal("skew", usual.skew, 0, 10),
                arguments.number("median", usual.medianBytes, 1, MIB),
                usual.isHeavy,
                arguments.decimal("drift", 0, 0, 100) / 100);
    }

    boolean isUsual() {
        return equals(usual(isHeavy));
    }

    long memoryBytes() {
        return memoryMib * MIB;
    }

    /** Returns its site, the same each time. */
    Site site() {
        var lengths = new Site.Lengths(medianBytes, isHeavy ? 2 : 1, isHeavy ? 16 * MIB : MIB);
        return new Site(urls, skew, lengths, SEED);
    }

    /** Returns the requested URLs, the same each time. */
    Requests sequence(Site site) {
        return new Requests(site, drift, SEED);
    }

    /** Returns a count of its hits. */
    HitRate rate() {
        return new HitRate(requests / 2);
    }
}
