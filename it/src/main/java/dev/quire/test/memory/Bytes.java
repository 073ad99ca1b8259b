package dev.quire.test.memory;

/** A body. Never changes. */
public final class Bytes {
    /** No body at all. */
    public static final Bytes NONE = new Bytes(new byte[0]);

    private final byte[] bytes;

    /** Takes over {@code bytes}. */
    public Bytes(byte[] bytes) {
        this.bytes = bytes;
    }

    /** How many they are. */
    public int length() {
        return bytes.length;
    }

    /** A copy of them. */
    public byte[] copy() {
        return bytes.clone();
    }
}
