package dev.quire.proxy.listen;

/**
 * The last streams of a connection that have closed, since a frame on such a stream is an error, or
 * to be expected if we have reset it (RFC 9113 §5.1). Confined to the loop of the connection.
 */
final class ClosedStreams {

    /** A stream of the recent past. */
    enum Past {
        /** It was never opened, or closed long ago. */
        UNKNOWN,
        /** Both sides have ended it, or the client has reset it. */
        ENDED,
        /** We have reset it: the client may not know yet. */
        RESET
    }

    /** More than twice the streams that clients usually have in progress. */
    private static final int PLACES = 256;

    private final int[] ids = new int[PLACES];
    private int next;

    /** Adds a stream. */
    void add(int id, boolean isReset) {
        ids[next] = isReset ? -id : id;
        next = (next + 1) % PLACES;
    }

    Past past(int id) {
        for (int known : ids) {
            if (known == id) {
                return Past.ENDED;
            }
            if (known == -id) {
                return Past.RESET;
            }
        }
        return Past.UNKNOWN;
    }
}
