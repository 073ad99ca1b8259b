package dev.quire.proxy.listen;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.UpgradeRequest;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A message from the decoder of a client connection: for each request one {@link ValidationResult};
 * after a {@link Sound} with a body any number of {@link Data}, then {@link End} or {@link Fault}.
 */
sealed interface Incoming {

    /** The result of validating a request. Each requires one response. */
    sealed interface ValidationResult extends Incoming {}

    /**
     * A valid request.
     *
     * @param head as received, except: fields with an underscore in their name are removed, and the
     *     authority of an absolute-form target replaces Host
     * @param isHttp10 whether the client supports neither chunked coding nor interim responses
     * @param keepAlive whether the connection may serve another request; if not, none is read
     * @param bodyBytes the announced length, 0 without a body, {@link #CHUNKED} if unknown
     * @param expectsContinue whether the client waits for 100 (Continue) before it sends the body
     * @param upgrade null if it does not ask to switch protocols. If it may become a tunnel,
     *     nothing more is read until it is answered
     */
    record Sound(
            RequestHead head,
            boolean isHttp10,
            boolean keepAlive,
            long bodyBytes,
            boolean expectsContinue,
            @Nullable UpgradeRequest upgrade)
            implements ValidationResult {

        /** The {@code bodyBytes} of a chunked body. */
        public static final long CHUNKED = -1;

        /** Whether it may become a tunnel. */
        public boolean mayTunnel() {
            return upgrade instanceof UpgradeRequest.WebSocket;
        }

        /** Whether {@link Data}, {@link End} or {@link Fault} follow. */
        public boolean hasBody() {
            return bodyBytes != 0;
        }
    }

    /**
     * A refused request, answered with the error page of its reason.
     *
     * @param reason also determines the status
     * @param offender the offending text, escaped for a log line, at most 64 characters
     * @param close whether nothing more is read from this connection; if not, the request had no
     *     body and another may follow
     * @param request what is known of it
     */
    record Refused(RefusalReason reason, String offender, boolean close, RefusedRequest request)
            implements ValidationResult, HeadScanner.Scan {
        private static final int OFFENDER_CHARACTERS = 64;

        /** A refusal of a request of which nothing is known yet. */
        Refused(RefusalReason reason, String offender, boolean close) {
            this(reason, offender, close, RefusedRequest.UNKNOWN);
        }

        /** Returns the same for {@code known}. */
        Refused of(RefusedRequest known) {
            return new Refused(reason, offender, close, known);
        }

        /** Creates a refusal; cuts and escapes {@code offender}. */
        static Refused of(RefusalReason reason, CharSequence offender, boolean close) {
            return new Refused(reason, escaped(offender), close);
        }

        public int status() {
            return reason.status();
        }

        private static String escaped(CharSequence text) {
            var escaped = new StringBuilder();
            for (int i = 0; i < Math.min(text.length(), OFFENDER_CHARACTERS); i++) {
                char c = text.charAt(i);
                if (c < 0x20 || c > 0x7e || c == '"' || c == '\\') {
                    escaped.append(String.format("\\x%02x", (int) c));
                } else {
                    escaped.append(c);
                }
            }
            return escaped.toString();
        }
    }

    /**
     * Part of a body, without chunk framing.
     *
     * @param bytes never empty; the receiver releases it
     */
    record Data(ByteBuf bytes) implements Incoming {}

    /**
     * The end of the body.
     *
     * @param trailers as received; never merged into the fields of the head (RFC 9110 §6.5.1)
     */
    record End(Fields trailers) implements Incoming {}

    /**
     * The client has sent bytes after a request that may become a tunnel, before the response: they
     * could be meant as a request or as part of the tunnel.
     */
    record Early() implements Incoming {}

    /**
     * The body is malformed or incomplete: the origin must not treat it as complete, and nothing
     * more is read from this connection. May arrive after the response. If the connection ends, it
     * may arrive before earlier requests have been answered.
     *
     * @param detail the problem, for a log line
     */
    record Fault(RefusalReason reason, String detail) implements Incoming {}
}
