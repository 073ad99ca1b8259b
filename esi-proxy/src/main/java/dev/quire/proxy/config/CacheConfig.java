package dev.quire.proxy.config;

import dev.quire.core.policy.Compression;
import java.time.Duration;

/**
 * What the cache may keep, and for how long.
 *
 * @param memoryBytes everything kept; bodies in transit may hold a quarter of it more
 * @param maxObjectBytes the largest body that is stored
 * @param grace how long a stale response that says nothing of it is served during its refresh (RFC
 *     5861 §3)
 * @param staleIfError how long past its lifetime it stands in for an error (RFC 5861 §4)
 * @param staleIfUnreachable how long past its lifetime it stands in when the origin cannot be
 *     reached
 * @param hitForMiss how long a key is remembered as not cacheable
 * @param heuristic whether a lifetime is guessed from {@code Last-Modified} (RFC 9111 §4.2.2)
 * @param setCookie what is done with a response that sets cookies
 * @param staleDespiteSharedMaxAge whether {@code s-maxage} does not forbid serving stale (RFC 9111
 *     §5.2.2.10)
 * @param compression what is compressed for clients that accept it
 * @param heeded whose cache directives are honoured
 */
public record CacheConfig(
        long memoryBytes,
        long maxObjectBytes,
        Duration grace,
        Duration staleIfError,
        Duration staleIfUnreachable,
        Duration hitForMiss,
        boolean heuristic,
        SetCookie setCookie,
        boolean staleDespiteSharedMaxAge,
        Compression compression,
        HeededClients heeded) {

    /** Bodies in transit may hold this part of what is kept. */
    private static final long TRANSIT_PART = 4;

    static final CacheConfig DEFAULTS =
            new CacheConfig(
                    512L << 20,
                    16L << 20,
                    Duration.ofSeconds(10),
                    Duration.ZERO,
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(120),
                    true,
                    SetCookie.PASS,
                    false,
                    Compression.ESI,
                    HeededClients.DEFAULTS);

    public CacheConfig {
        if (maxObjectBytes < 1 || maxObjectBytes > memoryBytes) {
            throw new IllegalArgumentException(
                    "max-object must be from 1 B to memory: " + maxObjectBytes + " B");
        }
    }

    /** The most that bodies in transit may hold. */
    public long transitBytes() {
        return memoryBytes / TRANSIT_PART;
    }

    /** The most that may be kept where {@code bytes} hold that and what is in transit. */
    public static long memoryBytesWithin(long bytes) {
        return bytes / (TRANSIT_PART + 1) * TRANSIT_PART;
    }

    /** What is done with a response that sets cookies. */
    public enum SetCookie {
        /** It is passed on and not stored. */
        PASS,
        /** It is stored, and its cookies are replayed to everyone. */
        STORE
    }
}
