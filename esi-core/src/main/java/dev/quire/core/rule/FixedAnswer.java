package dev.quire.core.rule;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A response of the configuration. Immutable. */
public final class FixedAnswer {
    private final int status;
    private final @Nullable String type;
    private final byte[] body;

    /**
     * @param type the media type; null without a body
     */
    public FixedAnswer(int status, @Nullable String type, byte[] body) {
        this.status = status;
        this.type = type;
        this.body = body.clone();
    }

    public int status() {
        return status;
    }

    public @Nullable String type() {
        return type;
    }

    /** Returns a copy of the body. */
    public byte[] body() {
        return body.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FixedAnswer that
                && status == that.status
                && Objects.equals(type, that.type)
                && Arrays.equals(body, that.body);
    }

    @Override
    public int hashCode() {
        return status * 31 + Arrays.hashCode(body);
    }
}
