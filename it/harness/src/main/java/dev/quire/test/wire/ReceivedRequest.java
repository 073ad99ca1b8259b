package dev.quire.test.wire;

import dev.quire.core.http.Fields;
import dev.quire.test.wire.internal.Watch;
import java.io.ByteArrayOutputStream;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A request as it reached the origin. It exists as soon as its head has arrived; the body may still
 * be arriving. Thread-safe.
 */
public final class ReceivedRequest {
    /** Bytes of a body that are stored; the rest is only counted. */
    private static final int KEPT_BODY_BYTES = 16 * 1024 * 1024;

    private final Watch watch;
    private final String method;
    private final String target;
    private final String version;
    private final Fields fields;
    private final int connection;
    private final int order;

    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private long bodyBytes;
    private BodyState bodyState = BodyState.ARRIVING;
    private long writtenBytes;
    private boolean abandoned;

    private enum BodyState {
        ARRIVING,
        WHOLE,
        BROKEN
    }

    ReceivedRequest(
            Watch watch,
            String method,
            String target,
            String version,
            Fields fields,
            int connection,
            int order) {
        this.watch = watch;
        this.method = method;
        this.target = target;
        this.version = version;
        this.fields = fields;
        this.connection = connection;
        this.order = order;
    }

    public String method() {
        return method;
    }

    public String target() {
        return target;
    }

    public String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    public Fields fields() {
        return fields;
    }

    public @Nullable String field(String name) {
        return fields.first(name);
    }

    public int connection() {
        return connection;
    }

    /** Its number among all requests that the origin has received, counted from 1. */
    public int order() {
        return order;
    }

    /** The body received so far, at most its first 16 MiB. */
    public Content body() {
        return watch.read(() -> new Content(body.toByteArray()));
    }

    public long bodyBytes() {
        return watch.read(() -> bodyBytes);
    }

    /** Whether the complete body has arrived; true for a request without one. */
    public boolean isWhole() {
        return watch.read(() -> bodyState == BodyState.WHOLE);
    }

    /** The number of bytes of the answer that were sent, head and framing included. */
    public long writtenBytes() {
        return watch.read(() -> writtenBytes);
    }

    public ReceivedRequest awaitBody(long bytes) {
        return awaitArrived(() -> bodyBytes >= bytes, bytes + " bytes");
    }

    public ReceivedRequest awaitWhole() {
        return awaitArrived(() -> bodyState == BodyState.WHOLE, "all");
    }

    private ReceivedRequest awaitArrived(BooleanSupplier arrived, String what) {
        watch.await(
                () -> arrived.getAsBoolean() || bodyState == BodyState.BROKEN,
                () -> "expected %s of the body of %s%s".formatted(what, this, bodySoFar()));
        if (!watch.read(arrived::getAsBoolean)) {
            throw new AssertionError("the body of " + this + " broke off" + bodySoFar());
        }
        return this;
    }

    /** Waits until the body is truncated: the connection ended before it was complete. */
    public ReceivedRequest awaitBroken() {
        watch.await(
                () -> bodyState == BodyState.BROKEN,
                () -> "expected the body of " + this + " to break off" + bodySoFar());
        return this;
    }

    /** Waits until the client has disconnected before the end of the answer. */
    public ReceivedRequest awaitAbandoned() {
        watch.await(() -> abandoned, () -> "expected " + this + " to be abandoned");
        return this;
    }

    public boolean isAbandoned() {
        return watch.read(() -> abandoned);
    }

    boolean isHead() {
        return method.equals("HEAD");
    }

    boolean expectsContinue() {
        return "100-continue".equalsIgnoreCase(fields.first("Expect"));
    }

    boolean keepsAlive() {
        var connectionField = fields.first("Connection");
        return version.equals("HTTP/1.1")
                ? !"close".equalsIgnoreCase(connectionField)
                : "keep-alive".equalsIgnoreCase(connectionField);
    }

    void arrived(byte[] piece) {
        watch.change(() -> {
            int kept = Math.min(piece.length, KEPT_BODY_BYTES - body.size());
            body.write(piece, 0, kept);
            bodyBytes += piece.length;
        });
    }

    void whole() {
        watch.change(() -> bodyState = BodyState.WHOLE);
    }

    void written(long bytes) {
        watch.change(() -> writtenBytes += bytes);
    }

    void broken() {
        watch.change(() -> bodyState = BodyState.BROKEN);
    }

    /** Records that the connection ended before the answer did. */
    void abandoned() {
        watch.change(() -> abandoned = true);
    }

    /** Waits on the answer's own thread for the body. Returns whether it is complete. */
    boolean bodyCame() {
        watch.awaitChange(() -> bodyState != BodyState.ARRIVING);
        return isWhole();
    }

    private String bodySoFar() {
        return ", " + bodyBytes() + " bytes have arrived";
    }

    @Override
    public String toString() {
        return method + " " + target + " (request " + order + ", connection " + connection + ")";
    }
}
