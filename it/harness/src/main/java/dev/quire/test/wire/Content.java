package dev.quire.test.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The body of a message, with the transfer coding removed. Immutable. */
public final class Content {
    private final byte[] bytes;

    Content(byte[] bytes) {
        this.bytes = bytes.clone();
    }

    public static Content of(byte[] bytes) {
        return new Content(bytes);
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    public int length() {
        return bytes.length;
    }

    public String text() {
        return new String(bytes, UTF_8);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Content content && Arrays.equals(bytes, content.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return text();
    }
}
