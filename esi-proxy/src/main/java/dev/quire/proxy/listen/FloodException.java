package dev.quire.proxy.listen;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;

/** A client sends too many frames of one kind: ends its connection. */
final class FloodException extends Http2Exception {
    private static final long serialVersionUID = 1L;

    private final GoAwayReason reason;

    FloodException(GoAwayReason reason) {
        super(Http2Error.ENHANCE_YOUR_CALM, reason.name());
        this.reason = reason;
    }

    GoAwayReason reason() {
        return reason;
    }
}
