package dev.quire.proxy.listen;

import dev.quire.core.http.RequestHead;
import io.netty.buffer.ByteBuf;

/**
 * What a client connection brings: for each request one {@link Verdict}; after a {@link Sound} one
 * with a body any number of {@link Data}, then {@link End} or {@link Fault}.
 */
sealed interface Incoming {

    /** Whether a request may be acted on. Each waits for one answer. */
    sealed interface Verdict extends Incoming {}

    /**
     * A request that may be acted on.
     *
     * @param head as received, but for fields with an underscore in their name, which are left out,
     *     and for a target in absolute form, whose authority has taken the place of Host
     * @param isHttp10 whether the client understands no chunks and no interim responses
     * @param keepAlive whether the client can take another answer on this connection; if not, no
     *     further request is read from it
     * @param bodyBytes the announced length, 0 when no body follows, {@link #CHUNKED} when its
     *     length shows at its end
     * @param expectsContinue whether the client waits for 100 (Continue) before it sends the body
     */
    record Sound(
            RequestHead head,
            boolean isHttp10,
            boolean keepAlive,
            long bodyBytes,
            boolean expectsContinue)
            implements Verdict {

        /** The {@code bodyBytes} of a chunked body. */
        public static final long CHUNKED = -1;

        /** Whether {@link Data}, {@link End} or {@link Fault} follow. */
        public boolean hasBody() {
            return bodyBytes != 0;
        }
    }

    /**
     * A request that gets its status and nothing else.
     *
     * @param reason also holds the status
     * @param offender what was found, escaped for a log line, at most 64 characters of it
     * @param close whether nothing more is read from this connection; if not, the request had no
     *     body and the next one may follow
     */
    record Refused(RefusalReason reason, String offender, boolean close)
            implements Verdict, HeadScanner.Scan {
        private static final int OFFENDER_CHARACTERS = 64;

        /** A refusal of {@code offender}, which is cut and escaped here. */
        static Refused of(RefusalReason reason, CharSequence offender, boolean close) {
            return new Refused(reason, escaped(offender), close);
        }

        /** The status code of the answer. */
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
     * @param bytes never empty; whoever receives the message releases it
     */
    record Data(ByteBuf bytes) implements Incoming {}

    /** The body is whole. Trailer fields are dropped (RFC 9110 §6.5.1). */
    record End() implements Incoming {}

    /**
     * What follows is no body: the origin must not take it for whole, and nothing more is read from
     * this connection. May come after the request was answered; when the connection ends it may
     * come before those in front of the request are.
     *
     * @param detail what was found, for a log line
     */
    record Fault(RefusalReason reason, String detail) implements Incoming {}
}
