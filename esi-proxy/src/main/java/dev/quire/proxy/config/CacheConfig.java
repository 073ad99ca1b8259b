package dev.quire.proxy.config;

import dev.quire.core.policy.Compression;
import java.time.Duration;

/**
 * The {@code cache} section.
 *
 * @param memoryBytes limit of the responses in memory; zero to store them in another tier only
 * @param admission the responses that a full cache stores
 * @param maxObjectBytes the largest body that is stored
 * @param grace how long a stale response without its own value may be served during a refresh (RFC
 *     5861 §3)
 * @param staleIfError how long a stale response may be served in place of an error (RFC 5861 §4)
 * @param staleIfUnreachable how long a stale response may be served if the origin is unreachable
 * @param staleIfSlow how long a request waits for the origin where such a response may be served;
 *     zero for as long as it takes
 * @param hitForMiss how long a key is remembered as not cacheable
 * @param heuristic whether a lifetime is derived from {@code Last-Modified} (RFC 9111 §4.2.2)
 * @param setCookie the handling of responses with {@code Set-Cookie}
 * @param staleDespiteSharedMaxAge whether stale responses may be served despite {@code s-maxage}
 *     (RFC 9111 §5.2.2.10)
 * @param compression the responses compressed for clients that accept it
 * @param invalidatesLocation whether unsafe methods invalidate the URLs in {@code Location} and
 *     {@code Content-Location} of their responses (RFC 9111 §4.4)
 * @param heeded the clients whose cache directives are honoured
 */
public record CacheConfig(
        long memoryBytes,
        Admission admission,
        long maxObjectBytes,
        Duration grace,
        Duration staleIfError,
        Duration staleIfUnreachable,
        Duration staleIfSlow,
        Duration hitForMiss,
        boolean heuristic,
        SetCookie setCookie,
        boolean staleDespiteSharedMaxAge,
        Compression compression,
        boolean invalidatesLocation,
        HeededClients heeded) {

    /** In-flight bodies may use memory / TRANSIT_PART in addition. */
    private static final long TRANSIT_PART = 4;

    /** The largest body without memory. */
    private static final long MAX_OBJECT_BYTES = 16L << 20;

    static final CacheConfig DEFAULTS =
            new CacheConfig(
                    512L << 20,
                    Admission.SIZE,
                    MAX_OBJECT_BYTES,
                    Duration.ofSeconds(10),
                    Duration.ZERO,
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(120),
                    true,
                    SetCookie.PASS,
                    false,
                    Compression.ALL,
                    true,
                    HeededClients.DEFAULTS);

    public CacheConfig {
        if (maxObjectBytes < 1 || maxObjectBytes > mostObjectBytes(memoryBytes)) {
            throw new IllegalArgumentException(
                    "max-object must be from 1 B to memory, or to "
                            + MAX_OBJECT_BYTES
                            + " B without memory: "
                            + maxObjectBytes
                            + " B");
        }
    }

    /** Whether a full cache stores large responses only if they are requested often. */
    public boolean isAdmittingBySize() {
        return admission == Admission.SIZE;
    }

    /** The upper limit of {@code max-object}. */
    static long mostObjectBytes(long memoryBytes) {
        return memoryBytes == 0 ? MAX_OBJECT_BYTES : memoryBytes;
    }

    /** The memory that in-flight bodies may use in addition. */
    long transitBytes() {
        return memoryBytes / TRANSIT_PART;
    }

    /** The largest memory for which {@code bytes} suffice, including in-flight bodies. */
    static long memoryBytesWithin(long bytes) {
        return bytes / (TRANSIT_PART + 1) * TRANSIT_PART;
    }

    /** The responses that a full cache stores. */
    public enum Admission {
        /** The larger a response is, the more often its key must have been requested. */
        SIZE,
        /** All that may be stored. */
        ALL
    }

    /** The handling of responses with {@code Set-Cookie}. */
    public enum SetCookie {
        /** The response is passed on and not stored. */
        PASS,
        /** The response is stored, and its cookies are sent to every client. */
        STORE
    }
}
