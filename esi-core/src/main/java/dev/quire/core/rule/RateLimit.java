package dev.quire.core.rule;

import dev.quire.core.http.ClientNetwork;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A limit of requests.
 *
 * @param name identifies its buckets, also after a reload
 * @param by requests with the same text share a bucket
 * @param perSecond the rate at which a bucket fills
 * @param burst its capacity, in requests
 * @param onlyMisses whether only requests that start or join a fetch count
 */
public record RateLimit(
        String name, TextTemplate by, double perSecond, int burst, boolean onlyMisses) {

    /** The largest burst, and the most requests in the unit of a rate. */
    public static final int MOST = 1_000_000;

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double SLOWEST = 1.0 / 3_600;

    public RateLimit {
        if (!(perSecond >= SLOWEST && perSecond <= MOST) || burst < 1 || burst > MOST) {
            throw new IllegalArgumentException(
                    "expected 1 an hour to "
                            + MOST
                            + " a second, found "
                            + perSecond
                            + " with a burst of "
                            + burst);
        }
    }

    /** The time in which a bucket gets one token. */
    long nanosPerToken() {
        return Math.max(1, Math.round(NANOS_PER_SECOND / perSecond));
    }

    /**
     * The text that selects the bucket of a request. The address of an IPv6 client is the first of
     * its {@linkplain ClientNetwork network}.
     *
     * @throws RuleError if the template has no value
     */
    String bucket(RuleValues values, List<@Nullable String> groups) {
        return by.inputs().contains(Input.CLIENT)
                ? by.text(new OfNetwork(values), groups)
                : by.text(values, groups);
    }

    private static final class OfNetwork extends OtherValues {
        OfNetwork(RuleValues values) {
            super(values);
        }

        @Override
        public InetAddress client() {
            return ClientNetwork.of(super.client()).first();
        }
    }
}
