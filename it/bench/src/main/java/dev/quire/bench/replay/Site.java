package dev.quire.bench.replay;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * The URLs of a site, the most popular first, with their popularity (Zipf's law) and length
 * (log-normally distributed). Deterministic for the same arguments.
 */
public final class Site {
    private static final int MIN_BYTES = 200;

    /** A log-normal distribution of lengths with the deviation {@code sigma}. */
    public record Lengths(int medianBytes, double sigma, int maxBytes) {}

    private final double[] cumulated;
    private final int[] lengths;

    /**
     * @param urls number of URLs
     * @param skew the exponent s: the popularity of the nth URL is proportional to n to the power
     *     of −s
     * @param distribution the distribution of the lengths
     */
    public Site(int urls, double skew, Lengths distribution, long seed) {
        cumulated = new double[urls];
        lengths = new int[urls];
        var random = new SplittableRandom(seed);
        double sum = 0;
        for (int i = 0; i < urls; i++) {
            sum += Math.pow(i + 1.0, -skew);
            cumulated[i] = sum;
            double bytes =
                    distribution.medianBytes()
                            * Math.exp(distribution.sigma() * random.nextGaussian());
            lengths[i] = (int) Math.clamp(bytes, MIN_BYTES, distribution.maxBytes());
        }
        for (int i = 0; i < urls; i++) {
            cumulated[i] /= sum;
        }
    }

    /** Returns the next requested URL. */
    public int next(RandomGenerator random) {
        int at = Arrays.binarySearch(cumulated, random.nextDouble());
        return Math.min(at < 0 ? ~at : at, cumulated.length - 1);
    }

    /** Returns the number of URLs. */
    int size() {
        return lengths.length;
    }

    /** Returns the length of the body in bytes. */
    int length(int url) {
        return lengths[url];
    }

    int longest() {
        return Arrays.stream(lengths).max().orElse(0);
    }

    /**
     * Returns the best fixed choice of URLs to store if their popularity were known in advance:
     * those with the most requests per byte.
     *
     * @param maxBytes size of the store
     * @param overheadBytes memory per object in addition to its body
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
