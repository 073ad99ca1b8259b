package dev.quire.bench.replay;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * What can be asked for, the most popular first: how often each is asked for (by Zipf's law) and
 * how long it is (log-normally distributed). The same for the same numbers.
 */
final class Site {
    private static final double SPREAD = 1.0;
    private static final int MIN_BYTES = 200;
    private static final int MAX_BYTES = 1 << 20;

    private final double[] cumulated;
    private final int[] lengths;

    /**
     * @param urls how many there are
     * @param skew the exponent: the nth is asked for in proportion to n to the power of minus this
     * @param medianBytes half of them are longer
     */
    Site(int urls, double skew, int medianBytes, long seed) {
        cumulated = new double[urls];
        lengths = new int[urls];
        var random = new SplittableRandom(seed);
        double sum = 0;
        for (int i = 0; i < urls; i++) {
            sum += Math.pow(i + 1.0, -skew);
            cumulated[i] = sum;
            double bytes = medianBytes * Math.exp(SPREAD * random.nextGaussian());
            lengths[i] = (int) Math.clamp(bytes, MIN_BYTES, MAX_BYTES);
        }
        for (int i = 0; i < urls; i++) {
            cumulated[i] /= sum;
        }
    }

    /** The next that somebody asks for. */
    int next(RandomGenerator random) {
        int at = Arrays.binarySearch(cumulated, random.nextDouble());
        return Math.min(at < 0 ? ~at : at, cumulated.length - 1);
    }

    /** The length of its body in bytes. */
    int length(int url) {
        return lengths[url];
    }

    int longest() {
        return Arrays.stream(lengths).max().orElse(0);
    }

    /**
     * Which to keep if it were known beforehand how often each will be asked for: those that are
     * asked for most often for what they cost.
     *
     * @param maxBytes all that may be kept
     * @param overheadBytes what each costs beside its body
     */
    boolean[] best(long maxBytes, double overheadBytes) {
        var byWorth =
                IntStream.range(0, lengths.length)
                        .boxed()
                        .sorted((a, b) ->
                                Double.compare(worth(b, overheadBytes), worth(a, overheadBytes)))
                        .mapToInt(Integer::intValue)
                        .toArray();
        var kept = new boolean[lengths.length];
        double bytes = 0;
        for (int url : byWorth) {
            bytes += lengths[url] + overheadBytes;
            if (bytes > maxBytes) {
                break;
            }
            kept[url] = true;
        }
        return kept;
    }

    private double worth(int url, double overheadBytes) {
        double share = cumulated[url] - (url == 0 ? 0 : cumulated[url - 1]);
        return share / (lengths[url] + overheadBytes);
    }
}
