package dev.quire.proxy.fetch;

import dev.quire.proxy.exchange.OriginRequest.Affinity;
import dev.quire.proxy.route.OriginSettings.Balance;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** Chooses a server by the balancing method of the origin. Thread-safe. */
final class Balancer {

    /*
     * Servers are tried in the order of preference until one accepts the request: whether a server
     * accepts is known only to the server, and may change at any moment. Servers whose circuit is
     * open take part only if no other accepts it. Servers already tried are bits in a long, so
     * there are at most 64.
     *
     * Stickiness is rendezvous hashing: each server gets a score from a hash of the request's
     * affinity and the server, scaled by weight, and the highest score wins. The share of an
     * unavailable server is spread over the others and returns to it when it recovers.
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
     * @param random returns a number in [0, 1); called from any thread
     */
    Balancer(Balance balance, List<Endpoint> endpoints, DoubleSupplier random) {
        this.balance = balance;
        this.endpoints = List.copyOf(endpoints);
        this.random = random;
        this.credits = new double[endpoints.size()];
    }

    /**
     * Starts a visit to a server other than {@code except}. Returns null if none accepts requests.
     *
     * @param shunned whether the servers with an open circuit are meant, or the others
     */
    Endpoint.@Nullable Attempt choose(
            Affinity affinity, @Nullable Endpoint except, boolean shunned, long now) {
        if (endpoints.isEmpty()) {
            return null;
        }
        if (endpoints.size() == 1) {
            var only = endpoints.getFirst();
            boolean isMeant = !only.equals(except) && only.isShunned(now) == shunned;
            return isMeant ? only.visit(now) : null;
        }
        long unfit = 0;
        long full = 0;
        for (int i = 0; i < endpoints.size(); i++) {
            var endpoint = endpoints.get(i);
            if (endpoint.equals(except) || endpoint.isShunned(now) != shunned) {
                unfit |= 1L << i;
            } else if (endpoint.isFull()) {
                full |= 1L << i;
            }
        }
        var visit = among(unfit | full, affinity, now);
        return visit != null || full == 0 ? visit : among(unfit | ~full, affinity, now);
    }

    private Endpoint.@Nullable Attempt among(long skipped, Affinity affinity, long now) {
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
        // Equally loaded servers take turns.
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

    /**
     * Smooth weighted round robin: each server earns its weight in credit, and the one with the
     * most credit is chosen and pays the total.
     */
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

    /** Returns a number in (0, 1), by the finalizer of MurmurHash3. */
    private static double uniform(int one, int other) {
        long mixed = ((long) one << 32) ^ (other & 0xffffffffL);
        mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        mixed ^= mixed >>> 33;
        return ((mixed >>> 11) + 0.5) / TWO_TO_53;
    }
}
