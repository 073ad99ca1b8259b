package dev.quire.test.wire.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** One request and its response on a connection of HTTP/2. Thread-safe. */
public final class Http2Stream {
    private final Http2Wire wire;
    private final int id;
    private final List<ResponseHead> interims = new ArrayList<>();
    private final Queue<byte[]> pieces = new ArrayDeque<>();
    private @Nullable ResponseHead head;
    private Fields trailers = Fields.of();
    private boolean isComplete;
    private @Nullable ErrorCode code;
    private @Nullable String broken;
    private int ungranted;

    /** The bytes that the server's window allows to send. Guarded by the connection's watch. */
    long room;

    Http2Stream(Http2Wire wire, int id, long room) {
        this.wire = wire;
        this.id = id;
        this.room = room;
    }

    public int id() {
        return id;
    }

    // The request.

    /** Sends a part of the body as the server's windows allow. */
    public Http2Stream send(byte[] bytes, boolean isLast) throws IOException {
        wire.sendData(this, bytes, isLast);
        return this;
    }

    public void trailers(String... namesAndValues) throws IOException {
        wire.send(WireFrame.headers(id, FieldBlock.of(namesAndValues), true));
    }

    public void reset(ErrorCode why) throws IOException {
        wire.send(WireFrame.reset(id, why));
        wire.forget(this);
    }

    /** Lets the server send {@code bytes} more. */
    public void grant(long bytes) throws IOException {
        wire.send(WireFrame.windowUpdate(id, bytes));
    }

    // The response.

    /**
     * Waits for the final head.
     *
     * @throws IOException if the stream is reset or the connection ends before it
     */
    public ResponseHead begin() throws IOException {
        wire.await(() -> head != null || isOver(), "a response on stream " + id);
        var arrived = wire.watch().read(() -> head);
        if (arrived == null) {
            throw new IOException("expected a response, found " + this);
        }
        return arrived;
    }

    public int status() throws IOException {
        return begin().status();
    }

    public @Nullable String field(String name) throws IOException {
        return begin().fields().first(name);
    }

    /**
     * Waits for the next part of the body, and lets the server send more. Null at the end.
     *
     * @throws IOException if the stream is reset or the connection ends before the body does
     */
    public byte @Nullable [] next() throws IOException {
        wire.await(() -> !pieces.isEmpty() || isOver(), "a part of the body of stream " + id);
        var taken = new byte[1][];
        wire.watch().change(() -> taken[0] = pieces.poll());
        var piece = taken[0];
        if (piece == null) {
            if (wire.watch().read(() -> isComplete)) {
                wire.forget(this);
                return null;
            }
            throw new IOException("expected the rest of the body, found " + this);
        }
        if (wire.grants()) {
            grantAfter(piece.length);
        }
        return piece;
    }

    private void grantAfter(int bytes) {
        var due = new int[1];
        wire.watch()
                .change(() -> {
                    ungranted += bytes;
                    if (!isComplete && ungranted >= (wire.window() + 1) / 2) {
                        due[0] = ungranted;
                        ungranted = 0;
                    }
                });
        if (due[0] > 0) {
            wire.reply(WireFrame.windowUpdate(id, due[0]));
        }
    }

    /** Waits for the complete body. */
    public byte[] body() throws IOException {
        begin();
        var body = new ByteArrayOutputStream();
        for (var piece = next(); piece != null; piece = next()) {
            body.writeBytes(piece);
        }
        return body.toByteArray();
    }

    public String text() throws IOException {
        return new String(body(), UTF_8);
    }

    /** The 1xx responses before the head. */
    public List<ResponseHead> interims() {
        return wire.watch().read(() -> List.copyOf(interims));
    }

    /** The trailers, once the body is complete. */
    public Fields trailers() {
        return wire.watch().read(() -> trailers);
    }

    /**
     * Waits until the server has ended its part, without taking the body.
     *
     * @throws IOException if the stream is reset or the connection ends before it
     */
    public void awaitComplete() throws IOException {
        wire.await(this::isOver, "the end of stream " + id);
        if (wire.watch().read(() -> !isComplete)) {
            throw new IOException("expected the end of the stream, found " + this);
        }
    }

    /** Waits until the server resets the stream. */
    public ErrorCode awaitReset() throws IOException {
        wire.await(() -> code != null || broken != null, "a reset of stream " + id);
        var found = wire.watch().read(() -> code);
        if (found == null) {
            throw new IOException("expected a reset, found " + this);
        }
        return found;
    }

    /**
     * Waits until the stream is over, without taking its body. Returns the status of a response
     * that began, else the code of the reset or the end of the connection.
     */
    public String outcome() {
        wire.await(() -> head != null || isOver(), "a response or a reset of stream " + id);
        return wire.watch()
                .read(() -> {
                    var arrived = head;
                    return arrived != null
                            ? Integer.toString(arrived.status())
                            : code != null ? code.toString() : "ended";
                });
    }

    // Called with the watch's lock held.

    boolean isOver() {
        return isComplete || isBroken();
    }

    /** Whether nothing more can be sent. */
    boolean isBroken() {
        return code != null || broken != null;
    }

    void arrived(Fields fields, boolean isLast) {
        var status = fields.first(":status");
        if (head == null) {
            int number = status == null ? 0 : Integer.parseInt(status);
            var arrived =
                    new ResponseHead(number, "", fields.without(name -> name.startsWith(":")));
            if (number / 100 == 1) {
                interims.add(arrived);
            } else {
                head = arrived;
            }
        } else {
            trailers = fields;
        }
        isComplete |= isLast;
    }

    void arrived(byte[] piece, boolean isLast) {
        pieces.add(piece);
        isComplete |= isLast;
    }

    void wasReset(ErrorCode why) {
        code = why;
    }

    void broken(String why) {
        broken = why;
    }

    @Override
    public String toString() {
        return wire.watch()
                .read(() ->
                        "stream %d with %s, %d parts waiting, %s"
                                .formatted(
                                        id,
                                        head == null ? "no response" : "status " + head.status(),
                                        pieces.size(),
                                        code != null
                                                ? "reset with " + code
                                                : isComplete
                                                        ? "complete"
                                                        : broken != null ? broken : "open"));
    }
}
