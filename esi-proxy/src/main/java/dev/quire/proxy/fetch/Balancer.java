package dev.quire.proxy.fetch;

import dev.quire.proxy.exchange.OriginRequest.Affinity;
import dev.quire.proxy.route.Origin.Balance;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** Chooses among servers that stand side by side. Any thread. */
final class Balancer {

    /*
     * The servers are asked for in the order of preference until one takes the request: which of
     * them may be asked is known to each alone, and may change at any moment. What has been tried
     * is a bit in a long; there are at most 64.
     *
     * Stickiness is rendezvous hashing: each server draws a number from what the request has in
     * common with others, the highest wins, weights bend the draw. A server that cannot be asked
     * leaves its own share to the others, and gets exactly that back.
     */

    private static final int NONE = -1;
    private static final double TWO_TO_53 = 0x1p53;

    private final Balance balance;
    private final List<Endpoint> endpoints;
    private final DoubleSupplier random;
    private final AtomicInteger rotation = new AtomicInteger();
    // Guarded by itself.
    private final double[] credits;

    /**
     * @param random from 0 to 1, exclusive; from any thread
     */
    Balancer(Balance balance, List<Endpoint> endpoints, DoubleSupplier random) {
        this.balance = balance;
        this.endpoints = List.copyOf(endpoints);
        this.random = random;
        this.credits = new double[endpoints.size()];
    }

    /** A visit to one of them other than {@code except}; null if none is to be asked now. */
    Endpoint.@Nullable Visit choose(Affinity affinity, @Nullable Endpoint except, long now) {
        if (endpoints.isEmpty()) {
            return null;
        }
        if (endpoints.size() == 1) {
            var only = endpoints.getFirst();
            return only.equals(except) ? null : only.visit(now);
        }
        long unfit = 0;
        long full = 0;
        for (int i = 0; i < endpoints.size(); i++) {
            if (endpoints.get(i).equals(except)) {
                unfit |= 1L << i;
            } else if (endpoints.get(i).isFull()) {
                full |= 1L << i;
            }
        }
        var visit = among(unfit | full, affinity, now);
        return visit != null || full == 0 ? visit : among(unfit | ~full, affinity, now);
    }

    private Endpoint.@Nullable Visit among(long skipped, Affinity affinity, long now) {
        long tried = skipped;
        while (true) {
            int next = next(tried, affinity, now);
            if (next == NONE) {
                return null;
            }
            var visit = endpoints.get(next).visit(now);
            if (visit != null) {
                return visit;
            }
            tried |= 1L << next;
        }
    }

    private int next(long skipped, Affinity affinity, long now) {
        return switch (balance) {
            case LEAST_REQUESTS -> leastBusy(skipped, now);
            case ROUND_ROBIN -> inTurn(skipped, now);
            case RANDOM -> drawn(skipped, now);
            case CLIENT -> bound(skipped, affinity.client(), now);
            case KEY -> bound(skipped, affinity.key(), now);
        };
    }

    private int leastBusy(long skipped, long now) {
        int best = NONE;
        double least = Double.MAX_VALUE;
        // Of those that are equally busy each has its turn.
        int first = Math.floorMod(rotation.getAndIncrement(), endpoints.size());
        for (int n = 0; n < endpoints.size(); n++) {
            int i = (first + n) % endpoints.size();
            if ((skipped & 1L << i) == 0) {
                var endpoint = endpoints.get(i);
                double load = (endpoint.requests() + 1) / endpoint.weightAt(now);
                if (load < least) {
                    least = load;
                    best = i;
                }
            }
        }
        return best;
    }

    /** Each gets its weight in credit, the richest pays for all: turns are spread evenly. */
    private int inTurn(long skipped, long now) {
        synchronized (credits) {
            int best = NONE;
            double all = 0;
            for (int i = 0; i < credits.length; i++) {
                if ((skipped & 1L << i) == 0) {
                    double weight = endpoints.get(i).weightAt(now);
                    all += weight;
                    credits[i] += weight;
                    if (best == NONE || credits[i] > credits[best]) {
                        best = i;
                    }
                }
            }
            if (best != NONE) {
                credits[best] -= all;
            }
            return best;
        }
    }

    private int drawn(long skipped, long now) {
        double all = 0;
        int last = NONE;
        for (int i = 0; i < endpoints.size(); i++) {
            if ((skipped & 1L << i) == 0) {
                all += endpoints.get(i).weightAt(now);
                last = i;
            }
        }
        double left = random.getAsDouble() * all;
        for (int i = 0; i < last; i++) {
            if ((skipped & 1L << i) == 0) {
                left -= endpoints.get(i).weightAt(now);
                if (left < 0) {
                    return i;
                }
            }
        }
        return last;
    }

    private int bound(long skipped, int to, long now) {
        int best = NONE;
        double highest = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < endpoints.size(); i++) {
            if ((skipped & 1L << i) == 0) {
                var endpoint = endpoints.get(i);
                double draw = -endpoint.weightAt(now) / Math.log(uniform(to, endpoint.hash()));
                if (draw > highest) {
                    highest = draw;
                    best = i;
                }
            }
        }
        return best;
    }

    /** Between 0 and 1, exclusive, by the last steps of MurmurHash3. */
    private static double uniform(int one, int other) {
        long mixed = ((long) one << 32) ^ (other & 0xffffffffL);
        mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        mixed ^= mixed >>> 33;
        return ((mixed >>> 11) + 0.5) / TWO_TO_53;
    }
}
