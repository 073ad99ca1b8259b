package dev.quire.proxy.reference;

/** A response of the origin or of the cache. */
public record Response(int status, Lines fields, String body) {

    /** Statuses that count as a failed origin (RFC 5861 §4). */
    boolean isServerFault() {
        return status == 500 || status == 502 || status == 503 || status == 504;
    }

    @Override
    public String toString() {
        return status + " [" + fields + "] " + body;
    }
}
