package dev.quire.proxy.cache;

import dev.quire.core.policy.SelectingFields;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** The first 128 bits of a SHA-256 hash: the same in every process. Names a record. */
public record RecordHash(long high, long low) {

    /**
     * Returns the hash of the values of {@code selecting}. It also covers {@code key}, so that
     * equal values under different keys have different hashes.
     */
    static RecordHash of(SelectingFields selecting, RecordHash key) {
        var sum = new Sum().add(key);
        for (var field : selecting.fields()) {
            sum.add(field.name()).add(field.value());
        }
        return sum.hash();
    }

    /** The hash of a sequence of values. Confined to one thread. */
    static final class Sum {
        private static final int ABSENT = -1;

        private final MessageDigest digest;

        Sum() {
            try {
                digest = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-256", e);
            }
        }

        Sum add(long number) {
            digest.update(ByteBuffer.allocate(Long.BYTES).putLong(0, number));
            return this;
        }

        /** Adds a text with its length, so that different sequences have different hashes. */
        Sum add(@Nullable String text) {
            if (text == null) {
                return add(ABSENT);
            }
            var bytes = text.getBytes(StandardCharsets.UTF_16BE);
            add(bytes.length);
            digest.update(bytes);
            return this;
        }

        Sum add(RecordHash hash) {
            return add(hash.high()).add(hash.low());
        }

        RecordHash hash() {
            var bytes = ByteBuffer.wrap(digest.digest());
            return new RecordHash(bytes.getLong(), bytes.getLong());
        }
    }
}
