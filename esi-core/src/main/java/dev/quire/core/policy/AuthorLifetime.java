package dev.quire.core.policy;

import java.time.Duration;
import java.util.Optional;

/**
 * The lifetime that the including page gives a fragment ({@code ttl}, {@code max-age}). It
 * overrides that of the response. It applies only to a success, and overrides no rule that forbids
 * storing the response or serving it stale.
 *
 * @param lifetime the freshness lifetime, counted from its arrival
 * @param staleFor how long past its lifetime it may be served while it is refreshed or the origin
 *     fails
 */
public record AuthorLifetime(Optional<Duration> lifetime, Optional<Duration> staleFor) {

    /** The page gives none. */
    public static final AuthorLifetime UNSAID =
            new AuthorLifetime(Optional.empty(), Optional.empty());

    public AuthorLifetime {
        lifetime.ifPresent(time -> Settings.requireNotNegative("lifetime", time));
        staleFor.ifPresent(time -> Settings.requireNotNegative("staleFor", time));
    }
}
