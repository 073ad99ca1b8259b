package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import java.time.Duration;
import java.util.Optional;

/**
 * The directives that decide on keeping and reusing one response. The first targeted field that is
 * valid and has any decides alone, else {@code Cache-Control} does (RFC 9213 §2.2): {@code
 * Surrogate-Control}, which speaks to us by name, then {@code CDN-Cache-Control}.
 *
 * @param directives of the field that decides
 * @param staleWhileRevalidate what the origin says of grace, if anything
 * @param staleIfError what the origin says of standing in for an error, if anything
 * @param isTargeted whether a targeted field decides: {@code Expires} and heuristics then do not
 */
record Governing(
        CacheControl directives,
        Optional<Duration> staleWhileRevalidate,
        Optional<Duration> staleIfError,
        boolean isTargeted) {

    static Governing of(Fields response, String deviceToken) {
        var surrogate = SurrogateControl.of(response, deviceToken);
        if (surrogate.governs()) {
            return new Governing(
                    surrogate.directives(),
                    surrogate.staleWhileRevalidate(),
                    surrogate.staleIfError(),
                    true);
        }
        var targeted = CdnCacheControl.of(response);
        var directives = targeted.orElseGet(() -> CacheControl.of(response));
        // A Surrogate-Control that only widens or narrows the windows still speaks to us first.
        return new Governing(
                directives,
                surrogate.staleWhileRevalidate().or(directives::staleWhileRevalidate),
                surrogate.staleIfError().or(directives::staleIfError),
                targeted.isPresent());
    }
}
