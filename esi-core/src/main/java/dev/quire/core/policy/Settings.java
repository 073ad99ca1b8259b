package dev.quire.core.policy;

import java.time.Duration;

/**
 * The operator's cache settings: defaults for responses without directives, and overrides.
 *
 * @param grace how long past its lifetime a response may be served while it is refreshed
 * @param staleIfError how long past its lifetime it may be served instead of a 500, 502, 503 or 504
 * @param staleIfUnreachable how long past its lifetime it may be served if no response arrived
 * @param staleIfSlow how long a request waits for the origin before such a response is served; zero
 *     for as long as it takes
 * @param heuristic whether a lifetime is estimated from Last-Modified (RFC 9111 §4.2.2)
 * @param storeSetCookie whether a response with Set-Cookie and an explicit lifetime is stored,
 *     including the cookie
 * @param deviceToken Quire's name in {@code Surrogate-Control}
 * @param staleDespiteSharedMaxAge whether {@code s-maxage} does not forbid serving stale, unlike
 *     RFC 9111 §5.2.2.10
 * @param operator overrides of the origin
 */
public record Settings(
        Duration grace,
        Duration staleIfError,
        Duration staleIfUnreachable,
        Duration staleIfSlow,
        boolean heuristic,
        boolean storeSetCookie,
        String deviceToken,
        boolean staleDespiteSharedMaxAge,
        OperatorLifetime operator) {

    public static final Settings DEFAULT =
            new Settings(
                    Duration.ofSeconds(10),
                    Duration.ZERO,
                    Duration.ofSeconds(60),
                    true,
                    false,
                    "quire");

    public Settings {
        requireNotNegative("grace", grace);
        requireNotNegative("stale-if-error", staleIfError);
        requireNotNegative("stale-if-unreachable", staleIfUnreachable);
        requireNotNegative("stale-if-slow", staleIfSlow);
        if (deviceToken.isEmpty()) {
            throw new IllegalArgumentException("device-token must not be empty");
        }
    }

    /**
     * Creates settings without overrides; a request waits a second before it gets a stale response.
     */
    public Settings(
            Duration grace,
            Duration staleIfError,
            Duration staleIfUnreachable,
            boolean heuristic,
            boolean storeSetCookie,
            String deviceToken) {
        this(
                grace,
                staleIfError,
                staleIfUnreachable,
                Duration.ofSeconds(1),
                heuristic,
                storeSetCookie,
                deviceToken,
                false,
                OperatorLifetime.UNSAID);
    }

    public Settings with(OperatorLifetime operator) {
        return new Settings(
                grace,
                staleIfError,
                staleIfUnreachable,
                staleIfSlow,
                heuristic,
                storeSetCookie,
                deviceToken,
                staleDespiteSharedMaxAge,
                operator);
    }

    static void requireNotNegative(String name, Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative: " + duration);
        }
    }
}
