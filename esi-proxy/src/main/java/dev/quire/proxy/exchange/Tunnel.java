package dev.quire.proxy.exchange;

import java.util.concurrent.TimeUnit;

/**
 * A client's connection and one to an origin, joined after the origin has switched protocols: bytes
 * pass unchanged in both directions. Both connections and this are on one loop.
 */
public final class Tunnel {
    /** How long a tunnel may be silent after one side has ended. */
    private static final long HALF_CLOSED_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final TunnelEnd client;
    private final TunnelEnd origin;
    private final TunnelPlace place;
    private long bytesToClient;
    private long bytesToOrigin;
    private long movedAtNanos;
    private long pendingBytes;

    private Tunnel(TunnelEnd client, TunnelEnd origin, TunnelPlace place) {
        this.client = client;
        this.origin = origin;
        this.place = place;
        this.movedAtNanos = now();
    }

    /** Joins the two connections; both are in their pipelines and not joined yet. */
    public static Tunnel join(TunnelEnd client, TunnelEnd origin, TunnelPlace place) {
        var tunnel = new Tunnel(client, origin, place);
        client.passTo(origin, tunnel);
        origin.passTo(client, tunnel);
        return tunnel;
    }

    /** Records bytes that pass to {@code end}. */
    void passes(int bytes, TunnelEnd end) {
        movedAtNanos = now();
        if (end.equals(client)) {
            bytesToClient += bytes;
        } else {
            bytesToOrigin += bytes;
        }
        place.tunnels().passed(bytes, end.equals(client));
    }

    /** Closes the tunnel if it was silent for too long. Called periodically. */
    public void check(long nowNanos) {
        long pending = client.side().pendingBytes() + origin.side().pendingBytes();
        if (pending != pendingBytes) {
            pendingBytes = pending;
            movedAtNanos = nowNanos;
        }
        boolean isHalfClosed = client.isInputEnded() || origin.isInputEnded();
        long limit = place.idle().toNanos();
        if (nowNanos - movedAtNanos > (isHalfClosed ? Math.min(limit, HALF_CLOSED_NANOS) : limit)) {
            close();
        }
    }

    /** Closes both connections once the bytes already accepted have been sent. */
    public void close() {
        client.close();
        origin.close();
    }

    public long bytesToClient() {
        return bytesToClient;
    }

    public long bytesToOrigin() {
        return bytesToOrigin;
    }

    private long now() {
        return client.side().loop().ticker().nanoTime();
    }
}
