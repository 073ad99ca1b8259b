package dev.quire.proxy.exchange;

import java.time.Duration;

/** Counts the requests to one server of an origin. Called on any loop, so it must not block. */
public interface ServerEvents {

    /** Counts nothing. */
    ServerEvents NONE =
            new ServerEvents() {
                @Override
                public void answered(int status, Duration took) {}

                @Override
                public void failed(Duration took) {}
            };

    /**
     * A response has ended: it is complete, or it was cancelled after its head. Cancelled ones
     * count, since otherwise an error that is replaced by a stale response would not show.
     *
     * @param took time since the request was created, with attempts at other servers
     */
    void answered(int status, Duration took);

    /**
     * A request got no response, or a truncated one. Not counted: a request that was not sent, was
     * cancelled before the head, or was broken off by its client.
     *
     * @param took time since the request was created, with attempts at other servers
     */
    void failed(Duration took);

    /** The server has TLS: {@link #secured} may follow. */
    default void showTls() {}

    /**
     * A TLS handshake has ended.
     *
     * @param isComplete whether it succeeded
     */
    default void secured(boolean isComplete) {}
}
