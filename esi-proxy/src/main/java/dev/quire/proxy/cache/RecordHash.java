package dev.quire.proxy.cache;

import dev.quire.core.policy.SelectingFields;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The first 128 bits of a SHA-256 hash: the same in every process. Names a record. */
public record RecordHash(long high, long low) {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle CHARS =
            MethodHandles.byteArrayViewVarHandle(char[].class, ByteOrder.BIG_ENDIAN);

    /**
     * Returns the hash of the values of {@code selecting}. It also covers {@code key}, so that
     * equal values under different keys have different hashes: without fields, it is {@code key}.
     */
    static RecordHash of(SelectingFields selecting, RecordHash key) {
        if (selecting.fields().isEmpty()) {
            return key;
        }
        var sum = new Sum().add(key);
        for (var field : selecting.fields()) {
            sum.add(field.name()).add(field.value());
        }
        return sum.hash();
    }

    /** Returns the hash of a sequence of texts. */
    public static RecordHash of(Iterable<String> texts) {
        var sum = new Sum();
        texts.forEach(sum::add);
        return sum.hash();
    }

    /** The hash of a sequence of values. Confined to one thread. */
    static final class Sum {
        private static final int ABSENT = -1;
        private static final MessageDigest SHA_256 = digest();

        /** Longer than most keys. */
        private byte[] values = new byte[512];

        private int length;

        private static MessageDigest digest() {
            try {
                return MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-256", e);
            }
        }

        Sum add(long number) {
            makeRoom(Long.BYTES);
            LONGS.set(values, length, number);
            length += Long.BYTES;
            return this;
        }

        /** Adds a text with its length, so that different sequences have different hashes. */
        Sum add(@Nullable String text) {
            if (text == null) {
                return add(ABSENT);
            }
            int bytes = text.length() * Character.BYTES;
            add(bytes);
            makeRoom(bytes);
            for (int i = 0; i < text.length(); i++) {
                CHARS.set(values, length + i * Character.BYTES, text.charAt(i));
            }
            length += bytes;
            return this;
        }

        Sum add(RecordHash hash) {
            return add(hash.high()).add(hash.low());
        }

        private void makeRoom(int bytes) {
            if (values.length - length < bytes) {
                values = Arrays.copyOf(values, Math.max(2 * values.length, length + bytes));
            }
        }

        RecordHash hash() {
            var digest = fresh();
            digest.update(values, 0, length);
            var bytes = ByteBuffer.wrap(digest.digest());
            return new RecordHash(bytes.getLong(), bytes.getLong());
        }

        /** A copy is cheaper than a search for the algorithm. */
        private static MessageDigest fresh() {
            try {
                return (MessageDigest) SHA_256.clone();
            } catch (CloneNotSupportedException e) {
                return digest();
            }
        }
    }
}
