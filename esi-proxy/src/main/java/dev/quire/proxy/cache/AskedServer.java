package dev.quire.proxy.cache;

import io.netty.util.concurrent.Ticker;
import org.jspecify.annotations.Nullable;

/** The server that a fetch has asked last, and how long that took. Confined to the fetch's loop. */
final class AskedServer {
    private final Ticker ticker;
    private @Nullable String url;
    private long askedNanos;
    private long nanos = -1;

    AskedServer(Ticker ticker) {
        this.ticker = ticker;
    }

    /** A request begins. */
    void begins() {
        askedNanos = ticker.nanoTime();
    }

    /** The request is sent to {@code server}. */
    void sentTo(String server) {
        url = server;
    }

    void responds() {
        nanos = ticker.nanoTime() - askedNanos;
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
