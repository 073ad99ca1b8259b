package dev.quire.test.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.HttpDate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The response of the origin to a request, including deliberate misbehaviour. Immutable: each
 * method returns a new answer. By default an answer has {@code Date} and {@code Content-Length}, is
 * written in one piece, and leaves the connection open.
 */
public final class Answer {
    private int status = 200;
    private String reason = "";
    private List<Field> fields = List.of();
    private byte[] pattern = new byte[0];
    private long bodyBytes;
    private Framing framing = Framing.LENGTH;
    private long chunkBytes = Long.MAX_VALUE;
    private Duration delay = Duration.ZERO;
    private UnaryOperator<OutputStream> line = UnaryOperator.identity();
    private long endsAfter = Long.MAX_VALUE;
    private Ending ending = Ending.KEEP;
    private boolean early;
    private boolean dated = true;

    private record Field(String name, String value) {}

    private enum Framing {
        LENGTH,
        CHUNKED,
        UNTIL_CLOSE,
        /** The body is the complete response, head and framing included. */
        RAW
    }

    enum Ending {
        KEEP,
        CLOSE,
        RESET
    }

    private Answer() {}

    private Answer(Answer other) {
        status = other.status;
        reason = other.reason;
        fields = other.fields;
        pattern = other.pattern;
        bodyBytes = other.bodyBytes;
        framing = other.framing;
        chunkBytes = other.chunkBytes;
        delay = other.delay;
        line = other.line;
        endsAfter = other.endsAfter;
        ending = other.ending;
        early = other.early;
        dated = other.dated;
    }

    /** 200 with an HTML document. */
    public static Answer html(String document) {
        return status(200).field("Content-Type", "text/html;charset=utf-8").body(document);
    }

    /** Any status from 200 up, without a body. */
    public static Answer status(int status) {
        if (status < 200 || status > 999) {
            throw new IllegalArgumentException("not a final status: " + status);
        }
        return new Answer().with(answer -> answer.status = status);
    }

    /** Exactly these bytes: no head, no framing. The connection stays open. */
    public static Answer raw(String bytes) {
        return raw(bytes.getBytes(UTF_8));
    }

    public static Answer raw(byte[] bytes) {
        return new Answer().body(bytes).with(answer -> answer.framing = Framing.RAW);
    }

    /** Sends no byte and closes the connection. */
    public static Answer nothing() {
        return raw("").closing();
    }

    /** Sends no byte and resets the connection. */
    public static Answer reset() {
        return raw("").resetAfter(0);
    }

    public Answer reason(String phrase) {
        return with(answer -> answer.reason = phrase);
    }

    /**
     * With one more field line, written unchanged. Fields that frame the body replace the default
     * framing.
     */
    public Answer field(String name, String value) {
        var longer = new ArrayList<>(fields);
        longer.add(new Field(name, value));
        return with(answer -> answer.fields = List.copyOf(longer));
    }

    public Answer undated() {
        return with(answer -> answer.dated = false);
    }

    public Answer body(String text) {
        return body(text.getBytes(UTF_8));
    }

    public Answer body(byte[] bytes) {
        var copy = bytes.clone();
        return with(answer -> {
            answer.pattern = copy;
            answer.bodyBytes = copy.length;
        });
    }

    /**
     * With a body of {@code bytes} bytes that repeats {@code text}; generated without being held in
     * memory.
     */
    public Answer repeating(String text, long bytes) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("nothing to repeat");
        }
        return body(text).with(answer -> answer.bodyBytes = bytes);
    }

    /** Chunked: one chunk for each piece that is written (RFC 9112 §7.1). */
    public Answer chunked() {
        return with(answer -> answer.framing = Framing.CHUNKED);
    }

    /** In chunks of {@code bytes} bytes, each written separately. */
    public Answer inChunksOf(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a chunk has at least one byte: " + bytes);
        }
        return chunked().with(answer -> answer.chunkBytes = bytes);
    }

    /** Delayed, by the machine's clock; {@link Origin#settle} ends the delay. */
    public Answer delayed(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("negative delay: " + by);
        }
        return with(answer -> answer.delay = by);
    }

    /** Without a length: the close of the connection ends the body (RFC 9112 §6.3). */
    public Answer untilClose() {
        return with(answer -> {
            answer.framing = Framing.UNTIL_CLOSE;
            answer.ending = Ending.CLOSE;
        });
    }

    /**
     * Written to what {@code narrowed} makes of the connection, before a held answer waits: a
     * stream that writes slower, or in smaller pieces.
     */
    public Answer through(UnaryOperator<OutputStream> narrowed) {
        return with(answer -> answer.line = narrowed);
    }

    /** The connection closes after the first {@code bytes} bytes of the body. */
    public Answer cutAfter(long bytes) {
        return endingAfter(bytes, Ending.CLOSE);
    }

    /** The connection is reset after the first {@code bytes} bytes of the body. */
    public Answer resetAfter(long bytes) {
        return endingAfter(bytes, Ending.RESET);
    }

    /** The connection closes after the answer, announced by {@code Connection: close}. */
    public Answer closing() {
        return with(answer -> answer.ending = Ending.CLOSE);
    }

    /**
     * Sent before the request's body has arrived. An answer computed by a function is never early.
     */
    public Answer early() {
        return with(answer -> answer.early = true);
    }

    private @Nullable String field(String name) {
        for (var field : fields) {
            if (field.name().equalsIgnoreCase(name)) {
                return field.value();
            }
        }
        return null;
    }

    Duration delay() {
        return delay;
    }

    Ending ending() {
        return ending;
    }

    boolean isEarly() {
        return early;
    }

    /** Whether a message of this status may have a body (RFC 9110 §6.4.1). */
    private boolean mayHaveBody() {
        return framing == Framing.RAW || (status != 204 && status != 304);
    }

    private byte[] bodyPiece(long from, int length) {
        var piece = new byte[length];
        for (int at = 0; at < length; ) {
            int inPattern = (int) ((from + at) % pattern.length);
            int run = Math.min(length - at, pattern.length - inPattern);
            System.arraycopy(pattern, inPattern, piece, at, run);
            at += run;
        }
        return piece;
    }

    private Answer endingAfter(long bytes, Ending how) {
        if (bytes < 0) {
            throw new IllegalArgumentException("cannot end after " + bytes + " bytes");
        }
        return with(answer -> {
            answer.endsAfter = bytes;
            answer.ending = how;
        });
    }

    private Answer with(Consumer<Answer> change) {
        var copy = new Answer(this);
        change.accept(copy);
        return copy;
    }

    /** Writes it to {@code out}, with its pauses and truncation, on the answer's own thread. */
    void write(
            OutputStream out, ReceivedRequest request, List<HeldAnswers> holds, InstantSource clock)
            throws IOException {
        new Writer(line.apply(out), request, holds, clock).write();
    }

    private final class Writer {
        private static final int LARGEST_PIECE = 64 * 1024;

        private final OutputStream out;
        private final ReceivedRequest request;
        private final List<HeldAnswers> holds;
        private final InstantSource clock;

        Writer(
                OutputStream out,
                ReceivedRequest request,
                List<HeldAnswers> holds,
                InstantSource clock) {
            this.out = out;
            this.request = request;
            this.holds = holds;
            this.clock = clock;
        }

        void write() throws IOException {
            holdAt(HeldAnswers.BEFORE_HEAD);
            if (framing != Framing.RAW) {
                send(head());
            }
            if (mayHaveBody() && !request.isHead()) {
                body();
            }
        }

        private StringBuilder head() {
            var head = new StringBuilder();
            head.append("HTTP/1.1 %d %s\r\n".formatted(status, reason));
            for (var line : fields) {
                head.append(line.name()).append(": ").append(line.value()).append("\r\n");
            }
            if (dated && field("Date") == null) {
                head.append("Date: ").append(HttpDate.format(clock.instant())).append("\r\n");
            }
            boolean framedByHand =
                    field("Content-Length") != null || field("Transfer-Encoding") != null;
            if (mayHaveBody() && !framedByHand) {
                switch (framing) {
                    case LENGTH -> head.append("Content-Length: ").append(bodyBytes + "\r\n");
                    case CHUNKED -> head.append("Transfer-Encoding: chunked\r\n");
                    case UNTIL_CLOSE, RAW -> {}
                }
            }
            boolean breaksOff = endsAfter != Long.MAX_VALUE;
            if (ending != Ending.KEEP && !breaksOff && field("Connection") == null) {
                head.append("Connection: close\r\n");
            }
            return head.append("\r\n");
        }

        private void body() throws IOException {
            long at = 0;
            while (true) {
                holdAt(at);
                if (at == endsAfter) {
                    return;
                }
                if (at == bodyBytes) {
                    break;
                }
                int length = (int) (nextStop(at) - at);
                var piece = bodyPiece(at, length);
                if (framing == Framing.CHUNKED) {
                    var chunk = new ByteArrayOutputStream();
                    chunk.writeBytes((Integer.toHexString(length) + "\r\n").getBytes(UTF_8));
                    chunk.writeBytes(piece);
                    chunk.writeBytes("\r\n".getBytes(UTF_8));
                    send(chunk.toByteArray());
                } else {
                    send(piece);
                }
                at += length;
            }
            if (framing == Framing.CHUNKED) {
                send(new StringBuilder("0\r\n\r\n"));
            }
        }

        private long nextStop(long at) {
            long longest = Math.min(chunkBytes, LARGEST_PIECE);
            long stop = Math.min(bodyBytes, at + longest);
            if (endsAfter > at) {
                stop = Math.min(stop, endsAfter);
            }
            for (var held : holds) {
                if (held.afterBodyBytes() > at) {
                    stop = Math.min(stop, held.afterBodyBytes());
                }
            }
            return stop;
        }

        private void holdAt(long at) {
            for (var held : holds) {
                if (held.afterBodyBytes() == at) {
                    held.pass(request);
                }
            }
        }

        private void send(StringBuilder text) throws IOException {
            send(text.toString().getBytes(ISO_8859_1));
        }

        private void send(byte[] bytes) throws IOException {
            out.write(bytes);
            request.written(bytes.length);
        }
    }
}
