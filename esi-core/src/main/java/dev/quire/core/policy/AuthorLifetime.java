package dev.quire.core.policy;

import java.time.Duration;
import java.util.Optional;

/**
 * How long a fragment may be used by the word of the page that includes it ({@code ttl}, {@code
 * max-age}), which stands before that of its own head. Only a success is kept by it, and what
 * forbids keeping a response at all, or serving it stale, still does.
 *
 * @param lifetime the freshness lifetime, counted from its arrival
 * @param staleFor how long past its lifetime it may be served while it is refreshed or the origin
 *     fails
 */
public record AuthorLifetime(Optional<Duration> lifetime, Optional<Duration> staleFor) {

    /** The page says nothing. */
    public static final AuthorLifetime UNSAID =
            new AuthorLifetime(Optional.empty(), Optional.empty());

    public AuthorLifetime {
        lifetime.ifPresent(time -> Settings.requireNotNegative("lifetime", time));
        staleFor.ifPresent(time -> Settings.requireNotNegative("staleFor", time));
    }
}
