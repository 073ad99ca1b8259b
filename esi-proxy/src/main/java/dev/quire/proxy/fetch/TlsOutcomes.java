package dev.quire.proxy.fetch;

/** Receives the ends of TLS handshakes with one server. Called on any loop. */
interface TlsOutcomes {
    void succeeded();

    /**
     * A handshake has failed.
     *
     * @param detail for the log and for operators
     */
    void failed(String detail);
}
