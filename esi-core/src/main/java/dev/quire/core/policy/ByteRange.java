package dev.quire.core.policy;

/**
 * A part of a body; positions in bytes from 0.
 *
 * @param first the first byte of it
 * @param last the last byte of it, not before the first
 */
public record ByteRange(long first, long last) {
    public ByteRange {
        if (first < 0 || last < first) {
            throw new IllegalArgumentException(
                    "expected positions in order, found " + first + "-" + last);
        }
    }

    /** How many bytes it has. */
    public long lengthBytes() {
        return last - first + 1;
    }

    /** The value of {@code Content-Range} for it, of a body of that length (RFC 9110 §14.4). */
    public String contentRange(long completeBytes) {
        return "bytes " + first + '-' + last + '/' + completeBytes;
    }

    boolean overlaps(ByteRange other) {
        return first <= other.last && other.first <= last;
    }
}
