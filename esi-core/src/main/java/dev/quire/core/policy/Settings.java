package dev.quire.core.policy;

import java.time.Duration;

/**
 * The operator's cache settings: defaults for responses without directives, and overrides.
 *
 * @param grace how long past its lifetime a response may be served while it is refreshed
 * @param staleIfError how long past its lifetime it may be served instead of a 500, 502, 503 or 504
 * @param staleIfUnreachable how long past its lifetime it may be served if no response arrived
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
        if (deviceToken.isEmpty()) {
            throw new IllegalArgumentException("device-token must not be empty");
        }
    }

    /** Creates settings without overrides. */
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
