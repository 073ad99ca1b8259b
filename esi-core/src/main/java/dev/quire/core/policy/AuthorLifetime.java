package dev.quire.core.policy;

import java.time.Duration;
import java.util.Optional;

/**
 * The lifetime that the including page gives a fragment ({@code ttl}, {@code max-age}). It applies
 * only to a success, and overrides no rule that forbids storing the response or serving it stale.
 *
 * @param lifetime the freshness lifetime, counted from its arrival
 * @param staleFor how long past its lifetime it may be served while it is refreshed or the origin
 *     fails
 * @param isStamped whether the application vouched for the include by a stamp: then it overrides
 *     the lifetime and the windows of the response and the operator. If not, a client may have
 *     injected the include into a page that others read. So it only shortens them, and gives a
 *     lifetime only if neither of them does, to the response to a request without credentials.
 */
public record AuthorLifetime(
        Optional<Duration> lifetime, Optional<Duration> staleFor, boolean isStamped) {

    /** The page gives none. */
    public static final AuthorLifetime UNSAID =
            new AuthorLifetime(Optional.empty(), Optional.empty());

    /** Creates the lifetime of an include without a stamp. */
    public AuthorLifetime(Optional<Duration> lifetime, Optional<Duration> staleFor) {
        this(lifetime, staleFor, false);
    }

    public AuthorLifetime {
        lifetime.ifPresent(time -> Settings.requireNotNegative("lifetime", time));
        staleFor.ifPresent(time -> Settings.requireNotNegative("staleFor", time));
    }
}
