package dev.quire.proxy.exchange;

import dev.quire.core.policy.UpgradeRequest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The number of tunnels, its limit, and the bytes they have passed. Thread-safe. */
public final class Tunnels {

    /** Why a tunnel was refused. */
    public enum Refusal {
        TOO_MANY_TUNNELS
    }

    private volatile int max;
    private final AtomicInteger open = new AtomicInteger();
    private final LongAdder bytesToClients = new LongAdder();
    private final LongAdder bytesToOrigins = new LongAdder();

    /**
     * @param max open or asked for at the same time
     */
    public Tunnels(int max) {
        this.max = max;
    }

    /** Changes the limit; tunnels that are open stay. */
    public void limit(int most) {
        max = most;
    }

    /**
     * Reserves a place for the tunnel that {@code handshake} asks for; null if all are taken.
     *
     * @param idle how long the tunnel may be silent
     */
    public @Nullable TunnelPlace reserve(UpgradeRequest.WebSocket handshake, Duration idle) {
        if (open.incrementAndGet() > max) {
            open.decrementAndGet();
            return null;
        }
        return new TunnelPlace(this, handshake, idle);
    }

    void release() {
        open.decrementAndGet();
    }

    void passed(int bytes, boolean toClient) {
        (toClient ? bytesToClients : bytesToOrigins).add(bytes);
    }

    /** Tunnels that are open or asked for. */
    public int open() {
        return open.get();
    }

    public long bytesToClients() {
        return bytesToClients.sum();
    }

    public long bytesToOrigins() {
        return bytesToOrigins.sum();
    }
}
