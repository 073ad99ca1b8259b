package dev.quire.core.policy;

import java.time.Duration;
import java.util.Optional;

/**
 * How long responses may be used by the word of whoever runs us. The first three stand in place of
 * what the origin says, the last only where it says nothing. Whatever forbids keeping a response,
 * or serving it without asking, or stale, still does.
 *
 * @param lifetime the freshness lifetime, counted from the arrival, of every status a lifetime may
 *     be guessed for
 * @param grace how long past its lifetime a response may be served while it is refreshed
 * @param staleIfError how long past its lifetime it may stand in for an answer of 500, 502, 503 or
 *     504
 * @param unsaidLifetime the freshness lifetime where the origin names none, in place of a guess
 */
public record OperatorLifetime(
        Optional<Duration> lifetime,
        Optional<Duration> grace,
        Optional<Duration> staleIfError,
        Optional<Duration> unsaidLifetime) {

    /** The operator leaves it to the origin. */
    public static final OperatorLifetime UNSAID =
            new OperatorLifetime(
                    Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public OperatorLifetime {
        lifetime.ifPresent(time -> Settings.requireNotNegative("ttl", time));
        grace.ifPresent(time -> Settings.requireNotNegative("grace", time));
        staleIfError.ifPresent(time -> Settings.requireNotNegative("stale-if-error", time));
        unsaidLifetime.ifPresent(time -> Settings.requireNotNegative("default-ttl", time));
    }
}
