package dev.quire.proxy.admin;

import dev.quire.core.policy.ErrorGuard;
import java.time.Duration;
import java.util.Optional;

/**
 * How a new configuration is tried.
 *
 * @param confirm it is taken back unless it is confirmed within this time
 * @param guard it is taken back if this trips
 */
public record ReloadTerms(Optional<Duration> confirm, Optional<ErrorGuard> guard) {

    /** It is used without conditions. */
    public static final ReloadTerms NONE = new ReloadTerms(Optional.empty(), Optional.empty());

    /** The longest time until a confirmation. */
    public static final Duration MAX_CONFIRM = Duration.ofHours(24);
}
