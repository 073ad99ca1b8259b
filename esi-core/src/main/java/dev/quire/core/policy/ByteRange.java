package dev.quire.core.policy;

/**
 * A byte range of a body; positions from 0.
 *
 * @param first the first byte
 * @param last the last byte, not before the first
 */
public record ByteRange(long first, long last) {
    public ByteRange {
        if (first < 0 || last < first) {
            throw new IllegalArgumentException(
                    "expected positions in order, found " + first + "-" + last);
        }
    }

    public long lengthBytes() {
        return last - first + 1;
    }

    /** Returns its {@code Content-Range} in a body of that length (RFC 9110 §14.4). */
    public String contentRange(long completeBytes) {
        return "bytes " + first + '-' + last + '/' + completeBytes;
    }

    boolean overlaps(ByteRange other) {
        return first <= other.last && other.first <= last;
    }
}
