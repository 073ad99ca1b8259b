package dev.quire.proxy.config;

/** A protocol of client connections. */
public enum ListenProtocol {
    /** HTTP/1.1 and HTTP/1.0. */
    HTTP1,
    /** HTTP/2 over TLS, agreed by ALPN. */
    H2,
    /** HTTP/2 without TLS, by prior knowledge (RFC 9113 §3.3). */
    H2C
}
