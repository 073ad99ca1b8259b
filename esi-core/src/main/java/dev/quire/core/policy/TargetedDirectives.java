package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import java.time.Duration;
import java.util.Optional;

/**
 * The directives that govern storing and reusing one response. The first targeted field with valid
 * directives governs alone, otherwise {@code Cache-Control} (RFC 9213 §2.2). {@code
 * Surrogate-Control}, which names this surrogate, precedes {@code CDN-Cache-Control}.
 *
 * @param directives of the governing field
 * @param staleWhileRevalidate the grace given by the origin, if any
 * @param staleIfError the stale-if-error given by the origin, if any
 * @param isTargeted whether a targeted field governs: {@code Expires} and heuristics are then
 *     ignored
 */
record TargetedDirectives(
        CacheControl directives,
        Optional<Duration> staleWhileRevalidate,
        Optional<Duration> staleIfError,
        boolean isTargeted) {

    static TargetedDirectives of(Fields response, String deviceToken) {
        var surrogate = SurrogateControl.of(response, deviceToken);
        if (surrogate.governs()) {
            return new TargetedDirectives(
                    surrogate.directives(),
                    surrogate.staleWhileRevalidate(),
                    surrogate.staleIfError(),
                    true);
        }
        var targeted = CdnCacheControl.of(response);
        var directives = targeted.orElseGet(() -> CacheControl.of(response));
        // A Surrogate-Control with only stale windows still has precedence for these.
        return new TargetedDirectives(
                directives,
                surrogate.staleWhileRevalidate().or(directives::staleWhileRevalidate),
                surrogate.staleIfError().or(directives::staleIfError),
                targeted.isPresent());
    }
}
