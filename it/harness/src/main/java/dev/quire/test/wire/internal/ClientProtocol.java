package dev.quire.test.wire.internal;

import java.util.Optional;

/**
 * The protocol of the clients of a proxy. A test selects it for the proxies that its thread starts,
 * so that the same test runs over several protocols.
 */
public enum ClientProtocol {
    /** HTTP/1.1 without TLS. */
    HTTP1,
    /** HTTP/2 by prior knowledge, through a bridge that speaks HTTP/1.1 to the test. */
    H2C,
    /** HTTP/2 over TLS, through such a bridge. */
    H2;

    private static final ThreadLocal<ClientProtocol> SELECTED =
            ThreadLocal.withInitial(() -> HTTP1);

    /** The protocol of clients of a proxy that this thread starts now. */
    public static ClientProtocol selected() {
        return SELECTED.get();
    }

    /** For this thread. */
    public void select() {
        SELECTED.set(this);
    }

    /** For this thread, {@link #HTTP1}. */
    public static void unselect() {
        SELECTED.remove();
    }

    /** The protocol of tests over HTTP/2: the system property {@code quire.test.http2}, or TLS. */
    public static ClientProtocol http2() {
        return Optional.ofNullable(System.getProperty("quire.test.http2"))
                .map(ClientProtocol::valueOf)
                .orElse(H2);
    }
}
