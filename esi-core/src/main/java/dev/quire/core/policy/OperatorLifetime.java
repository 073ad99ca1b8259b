package dev.quire.core.policy;

import java.time.Duration;
import java.util.Optional;

/**
 * The lifetimes set by the operator. The first three override the origin, the last applies only
 * without a lifetime from the origin. None of them overrides a rule that forbids storing the
 * response, serving it without validation, or serving it stale.
 *
 * @param lifetime the freshness lifetime, counted from the arrival, of a 200, 203, 300, 308, 404 or
 *     410
 * @param grace how long past its lifetime a response may be served while it is refreshed
 * @param staleIfError how long past its lifetime it may be served instead of a 500, 502, 503 or 504
 * @param unsaidLifetime the freshness lifetime if the origin gives none, instead of a heuristic one
 * @param namesStatus whether {@code lifetime} is meant for the status of the response, also if it
 *     is not one of these; never for a 206, 304, 400, 405, 413, 414, 431 or 501, which a request
 *     can cause
 * @param isUnstored whether the response is not stored
 */
public record OperatorLifetime(
        Optional<Duration> lifetime,
        Optional<Duration> grace,
        Optional<Duration> staleIfError,
        Optional<Duration> unsaidLifetime,
        boolean namesStatus,
        boolean isUnstored) {

    /** No overrides. */
    public static final OperatorLifetime UNSAID =
            new OperatorLifetime(
                    Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** Creates the lifetimes of a route. */
    public OperatorLifetime(
            Optional<Duration> lifetime,
            Optional<Duration> grace,
            Optional<Duration> staleIfError,
            Optional<Duration> unsaidLifetime) {
        this(lifetime, grace, staleIfError, unsaidLifetime, false, false);
    }

    public OperatorLifetime {
        lifetime.ifPresent(time -> Settings.requireNotNegative("ttl", time));
        grace.ifPresent(time -> Settings.requireNotNegative("grace", time));
        staleIfError.ifPresent(time -> Settings.requireNotNegative("stale-if-error", time));
        unsaidLifetime.ifPresent(time -> Settings.requireNotNegative("default-ttl", time));
    }
}
