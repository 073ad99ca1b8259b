package dev.quire.test.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** Writes one answer, with its pauses and truncation. Runs on the answer's own thread. */
final class AnswerWriter {
    private static final int LARGEST_PIECE = 64 * 1024;

    /**
     * The part of a body in small chunks that is written chunk by chunk; later chunks are combined.
     */
    private static final int SEPARATE_CHUNKS_BYTES = 64 * 1024;

    private static final int GATHERED_BYTES = 16 * 1024;
    private static final DateTimeFormatter IMF_FIXDATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final OutputStream out;
    private final ReceivedRequest request;
    private final Answer answer;
    private final List<HeldAnswers> holds;
    private final InstantSource clock;
    private final NarrowLine line;
    private final ByteArrayOutputStream gathered = new ByteArrayOutputStream();

    AnswerWriter(
            OutputStream out,
            ReceivedRequest request,
            Answer answer,
            List<HeldAnswers> holds,
            InstantSource clock,
            NarrowLine line) {
        this.out = out;
        this.request = request;
        this.answer = answer;
        this.holds = holds;
        this.clock = clock;
        this.line = line;
    }

    void write() throws IOException {
        for (var interim : answer.interims()) {
            var head = new StringBuilder("HTTP/1.1 " + interim.status() + " \r\n");
            append(head, interim.fields());
            send(head.append("\r\n"));
        }
        holdAt(HeldAnswers.BEFORE_HEAD);
        if (answer.framing() != Answer.Framing.RAW) {
            send(head());
        }
        if (answer.mayHaveBody() && !request.isHead()) {
            body();
        }
    }

    private StringBuilder head() {
        var head = new StringBuilder();
        head.append("HTTP/1.1 %d %s\r\n".formatted(answer.status(), answer.reason()));
        append(head, answer.fields());
        if (answer.isDated() && answer.field("Date") == null) {
            head.append("Date: ").append(IMF_FIXDATE.format(clock.instant())).append("\r\n");
        }
        boolean framedByHand =
                answer.field("Content-Length") != null || answer.field("Transfer-Encoding") != null;
        if (answer.mayHaveBody() && !framedByHand) {
            switch (answer.framing()) {
                case LENGTH -> head.append("Content-Length: ").append(answer.bodyBytes() + "\r\n");
                case CHUNKED -> head.append("Transfer-Encoding: chunked\r\n");
                case UNTIL_CLOSE, RAW -> {}
            }
        }
        boolean breaksOff = answer.endsAfter() != Long.MAX_VALUE;
        if (answer.ending() != Answer.Ending.KEEP
                && !breaksOff
                && answer.field("Connection") == null) {
            head.append("Connection: close\r\n");
        }
        return head.append("\r\n");
    }

    private static void append(StringBuilder head, List<Answer.Field> fields) {
        fields.forEach(field ->
                head.append(field.name()).append(": ").append(field.value()).append("\r\n"));
    }

    private void body() throws IOException {
        long at = 0;
        while (true) {
            holdAt(at);
            if (at == answer.endsAfter()) {
                return;
            }
            if (at == answer.bodyBytes()) {
                break;
            }
            int length = (int) (nextStop(at) - at);
            var piece = answer.bodyPiece(at, length);
            if (answer.framing() == Answer.Framing.CHUNKED) {
                gathered.writeBytes(chunk(piece));
                if (at < SEPARATE_CHUNKS_BYTES
                        || gathered.size() >= GATHERED_BYTES
                        || isStop(at + length)) {
                    sendGathered();
                }
            } else {
                send(piece);
            }
            at += length;
        }
        if (answer.framing() == Answer.Framing.CHUNKED) {
            sendGathered();
            send(new StringBuilder("0\r\n\r\n"));
        }
    }

    /** Whether all bytes before {@code at} must have been written before the next step. */
    private boolean isStop(long at) {
        return at == answer.endsAfter()
                || holds.stream().anyMatch(held -> held.afterBodyBytes() == at);
    }

    private void sendGathered() throws IOException {
        send(gathered.toByteArray());
        gathered.reset();
    }

    private long nextStop(long at) {
        long longest = Math.min(Math.min(answer.pieceBytes(), answer.chunkBytes()), LARGEST_PIECE);
        long stop = Math.min(answer.bodyBytes(), at + longest);
        if (answer.endsAfter() > at) {
            stop = Math.min(stop, answer.endsAfter());
        }
        for (var held : holds) {
            if (held.afterBodyBytes() > at) {
                stop = Math.min(stop, held.afterBodyBytes());
            }
        }
        return stop;
    }

    private static byte[] chunk(byte[] data) {
        var size = (Integer.toHexString(data.length) + "\r\n").getBytes(ISO_8859_1);
        var chunk = new byte[size.length + data.length + 2];
        System.arraycopy(size, 0, chunk, 0, size.length);
        System.arraycopy(data, 0, chunk, size.length, data.length);
        chunk[chunk.length - 2] = '\r';
        chunk[chunk.length - 1] = '\n';
        return chunk;
    }

    private void holdAt(long bodyBytes) throws IOException {
        for (var held : holds) {
            if (held.afterBodyBytes() == bodyBytes) {
                held.pass(request);
            }
        }
    }

    private void send(StringBuilder text) throws IOException {
        send(text.toString().getBytes(ISO_8859_1));
    }

    private void send(byte[] bytes) throws IOException {
        long longest = Math.min(answer.pieceBytes(), line.longestPiece());
        int piece = (int) Math.min(longest, Math.max(1, bytes.length));
        for (int at = 0; at < bytes.length; at += piece) {
            int length = Math.min(piece, bytes.length - at);
            line.await(length);
            out.write(bytes, at, length);
            request.written(length);
        }
    }
}
