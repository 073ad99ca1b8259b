package dev.quire.proxy.tls;

/** A fatal alert that is sent before the handshake begins (RFC 8446 §6). */
enum TlsAlert {
    UNRECOGNIZED_NAME(112),
    NO_APPLICATION_PROTOCOL(120);

    private final byte code;

    TlsAlert(int code) {
        this.code = (byte) code;
    }

    /** The whole record. */
    byte[] record() {
        // An alert of TLS 1.2, which every version accepts before the versions are agreed.
        return new byte[] {21, 3, 3, 0, 2, 2, code};
    }
}
