package dev.quire.proxy.cache;

import dev.quire.core.policy.ResponseTimes;
import io.netty.util.concurrent.Ticker;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The server that a fetch has asked last, and how long that took. Confined to the fetch's loop. */
final class AskedServer {
    private final Ticker ticker;
    private final FetchResources resources;
    private @Nullable String url;
    private Instant sentAt;
    private int status;
    private long askedNanos;
    private long nanos = -1;

    AskedServer(Ticker ticker, FetchResources resources) {
        this.ticker = ticker;
        this.resources = resources;
        this.sentAt = resources.time().now();
    }

    /** A request begins. */
    void begins() {
        askedNanos = ticker.nanoTime();
    }

    /** The request is for {@code server}. */
    void sentTo(String server) {
        url = server;
    }

    /** The request is sent now. */
    void sends() {
        sentAt = resources.time().now();
    }

    /** The times of the exchange whose head arrives now (RFC 9111 §4.2.3). */
    ResponseTimes times() {
        return resources.timesSince(sentAt);
    }

    void responds() {
        nanos = ticker.nanoTime() - askedNanos;
    }

    void status(int last) {
        status = last;
    }

    /** The status of the last head received, 0 before that. */
    int status() {
        return status;
    }

    /** No effect if it has responded, or no server was asked. */
    void failed() {
        if (nanos < 0 && url != null) {
            responds();
        }
    }

    /** Its URL, or null. */
    @Nullable String url() {
        return url;
    }

    /** Until the head or the failure, -1 before that. */
    long nanos() {
        return nanos;
    }
}
