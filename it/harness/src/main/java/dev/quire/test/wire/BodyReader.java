package dev.quire.test.wire;

import dev.quire.core.http.Fields;
import java.io.EOFException;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads one message body piece by piece, according to its framing (RFC 9112 §6). One thread. */
final class BodyReader {
    private static final int LARGEST_PIECE = 64 * 1024;

    private final WireReader wire;
    private State state;
    private long left;

    private enum State {
        LENGTH,
        CHUNK_SIZE,
        CHUNK_DATA,
        UNTIL_CLOSE,
        WHOLE
    }

    private BodyReader(WireReader wire, State state, long left) {
        this.wire = wire;
        this.state = state;
        this.left = left;
    }

    static BodyReader none(WireReader wire) {
        return new BodyReader(wire, State.WHOLE, 0);
    }

    /** The body of a request, which is absent without framing fields. */
    static BodyReader ofRequest(WireReader wire, Fields fields) throws WireFault {
        return announced(wire, fields, State.WHOLE);
    }

    /** The body of a response, which without framing fields ends with the connection. */
    static BodyReader ofResponse(WireReader wire, Fields fields) throws WireFault {
        return announced(wire, fields, State.UNTIL_CLOSE);
    }

    private static BodyReader announced(WireReader wire, Fields fields, State unsaid)
            throws WireFault {
        var codings = fields.all("Transfer-Encoding");
        var lengths = fields.all("Content-Length");
        if (!codings.isEmpty()) {
            if (!lengths.isEmpty()) {
                throw new WireFault(
                        "either Transfer-Encoding or Content-Length", codings + " and " + lengths);
            }
            if (codings.size() > 1
                    || !codings.getFirst().toLowerCase(Locale.ROOT).equals("chunked")) {
                throw new WireFault("Transfer-Encoding: chunked", codings.toString());
            }
            return new BodyReader(wire, State.CHUNK_SIZE, 0);
        }
        if (lengths.isEmpty()) {
            return new BodyReader(wire, unsaid, 0);
        }
        var length = lengths.getFirst();
        if (lengths.size() > 1 || !length.matches("[0-9]{1,18}")) {
            throw new WireFault("one Content-Length", lengths.toString());
        }
        return new BodyReader(wire, State.LENGTH, Long.parseLong(length));
    }

    boolean isUntilClose() {
        return state == State.UNTIL_CLOSE;
    }

    /**
     * Waits for the next bytes and returns at least one, or null at the end of the body.
     *
     * @throws EOFException if the connection ends before the body is complete
     */
    byte @Nullable [] next() throws IOException {
        while (true) {
            switch (state) {
                case WHOLE -> {
                    return null;
                }
                case LENGTH -> {
                    if (left > 0) {
                        return data();
                    }
                    state = State.WHOLE;
                }
                case CHUNK_SIZE -> chunkSize();
                case CHUNK_DATA -> {
                    if (left > 0) {
                        return data();
                    }
                    expectEmptyLine();
                    state = State.CHUNK_SIZE;
                }
                case UNTIL_CLOSE -> {
                    var piece = wire.some(LARGEST_PIECE);
                    if (piece.length > 0) {
                        return piece;
                    }
                    state = State.WHOLE;
                }
            }
        }
    }

    private void chunkSize() throws IOException {
        var size = wire.line();
        if (!size.matches("[0-9A-Fa-f]{1,15}")) {
            throw new WireFault("a chunk size", size);
        }
        left = Long.parseLong(size, 16);
        if (left > 0) {
            state = State.CHUNK_DATA;
        } else {
            wire.fields();
            state = State.WHOLE;
        }
    }

    private void expectEmptyLine() throws IOException {
        var line = wire.line();
        if (!line.isEmpty()) {
            throw new WireFault("CRLF after a chunk", line);
        }
    }

    private byte[] data() throws IOException {
        var piece = wire.some(Math.min(left, LARGEST_PIECE));
        if (piece.length == 0) {
            throw new EOFException("the connection ended " + left + " bytes before the body did");
        }
        left -= piece.length;
        return piece;
    }
}
