package dev.quire.core.policy;

import java.time.Duration;

/**
 * What an operator decides where an origin says nothing, and what he decides over its head.
 *
 * @param grace how long past its lifetime a response may be served while it is refreshed
 * @param staleIfError how long past its lifetime it may stand in for an answer of 500, 502, 503 or
 *     504
 * @param staleIfUnreachable how long past its lifetime it may stand in when no answer came
 * @param heuristic whether a lifetime is guessed from Last-Modified (RFC 9111 §4.2.2)
 * @param storeSetCookie whether a response with Set-Cookie and an explicit lifetime is kept, cookie
 *     and all
 * @param deviceToken our name in {@code Surrogate-Control}
 * @param staleDespiteSharedMaxAge whether {@code s-maxage} does not forbid serving stale, as it
 *     does by RFC 9111 §5.2.2.10
 * @param operator what is decided whatever the origin says
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

    /** What holds unless an operator says otherwise. */
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

    /** Settings that leave to the origin and to the RFC what can be left to them. */
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

    /** The same, with {@code operator} standing before what the origin says. */
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
