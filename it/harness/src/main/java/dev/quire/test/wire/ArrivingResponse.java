package dev.quire.test.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.test.wire.internal.Excerpt;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A response whose head has arrived and whose body may still be arriving. One thread. */
public final class ArrivingResponse {
    private final String version;
    private final ResponseHead head;
    private final List<ResponseHead> interims;
    private final BodyReader body;
    private final boolean keepAlive;
    private final ByteArrayOutputStream arrived = new ByteArrayOutputStream();
    private boolean whole;

    ArrivingResponse(
            String version, ResponseHead head, List<ResponseHead> interims, BodyReader body) {
        this.version = version;
        this.head = head;
        this.interims = interims;
        this.body = body;
        this.keepAlive = !body.isUntilClose() && saysKeepAlive();
    }

    public int status() {
        return head.status();
    }

    public Fields fields() {
        return head.fields();
    }

    public @Nullable String field(String name) {
        return head.fields().first(name);
    }

    /** Waits until {@code text} has arrived, and returns the body received so far. */
    public String awaitText(String text) {
        readUntil(() -> soFar().contains(text), "a body with " + Excerpt.of(text));
        return soFar();
    }

    /**
     * Waits until the first {@code bytes} bytes of the body have arrived, and returns the body
     * received so far, which may be longer.
     */
    public Content awaitBytes(long bytes) {
        readUntil(() -> arrived.size() >= bytes, "a body of at least " + bytes + " bytes");
        return new Content(arrived.toByteArray());
    }

    public Response finish() {
        readUntil(() -> whole, "the complete body");
        return new Response(
                version,
                head.status(),
                head.fields(),
                new Content(arrived.toByteArray()),
                interims,
                keepAlive);
    }

    /**
     * Waits for the end of the body or of the connection, whichever comes first. Returns whether
     * the body is complete; {@link #content} has the bytes received.
     */
    public boolean awaitEnd() {
        try {
            while (readOn()) {}
            return true;
        } catch (EOFException e) {
            return false;
        } catch (IOException e) {
            if (HttpWire.isReset(e)) {
                return false;
            }
            throw failed("the end of the body or of the connection", e);
        }
    }

    public Content content() {
        return new Content(arrived.toByteArray());
    }

    /** Reads the rest without storing it, and returns the length of the complete body. */
    public long countToEnd() {
        long bytes = arrived.size();
        try {
            for (var piece = body.next(); piece != null; piece = body.next()) {
                bytes += piece.length;
            }
        } catch (IOException e) {
            throw failed("the complete body", e);
        }
        return bytes;
    }

    /**
     * Waits for the connection to end before the body is complete, and returns the bytes received.
     */
    public Content awaitCut() {
        if (awaitEnd()) {
            throw new AssertionError("expected a truncated body, found it complete: " + this);
        }
        return content();
    }

    private void readUntil(BooleanSupplier goal, String expected) {
        try {
            while (!goal.getAsBoolean()) {
                if (!readOn() && !goal.getAsBoolean()) {
                    throw new AssertionError("expected " + expected + ", found " + this);
                }
            }
        } catch (IOException e) {
            throw failed(expected, e);
        }
    }

    private AssertionError failed(String expected, IOException why) {
        return new AssertionError(
                "expected %s, but %s; so far %s".formatted(expected, why.getMessage(), this), why);
    }

    private boolean readOn() throws IOException {
        var piece = body.next();
        if (piece == null) {
            whole = true;
            return false;
        }
        arrived.writeBytes(piece);
        return true;
    }

    private boolean saysKeepAlive() {
        var connection = head.fields().first("Connection");
        return version.equals("HTTP/1.1")
                ? !"close".equalsIgnoreCase(connection)
                : "keep-alive".equalsIgnoreCase(connection);
    }

    private String soFar() {
        return arrived.toString(UTF_8);
    }

    @Override
    public String toString() {
        return head.status() + " with " + arrived.size() + " bytes: " + Excerpt.of(soFar());
    }
}
