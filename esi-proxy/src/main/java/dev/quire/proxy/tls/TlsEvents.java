package dev.quire.proxy.tls;

import java.util.Collection;

/** Counts and shows events of TLS. Thread-safe. */
public interface TlsEvents {

    /** The version of a handshake that failed. */
    String NO_VERSION = "none";

    /** The result of reading changed certificates. */
    enum Reload {
        APPLIED,
        REFUSED
    }

    /** The end of a handshake with a client. */
    enum Handshake {
        COMPLETED,
        /** It failed, or the client closed the connection. */
        FAILED,
        /** The client named a host for which there is no certificate. */
        UNKNOWN_NAME,
        /** The client speaks none of the listener's application protocols. */
        NO_PROTOCOL,
        /** It took too long. */
        TIMEOUT,
        /** The client sent a request without TLS. */
        NO_TLS
    }

    /**
     * A handshake with a client has ended.
     *
     * @param version such as {@code TLSv1.3}, or {@link #NO_VERSION}
     */
    void handshake(Handshake result, String version);

    void reloaded(Reload result);

    /** These certificates are used from now on. */
    void using(Collection<ServerCertificate> certificates);
}
