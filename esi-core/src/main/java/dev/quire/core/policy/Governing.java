package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import java.time.Duration;
import java.util.Optional;

/**
 * The directives that decide on keeping and reusing one response. The first targeted field that has
 * any decides alone, else {@code Cache-Control} does (RFC 9213 §2.2).
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
        // A Surrogate-Control that only widens or narrows the windows still speaks to us first.
        var general = CacheControl.of(response);
        return new Governing(
                general,
                surrogate.staleWhileRevalidate().or(general::staleWhileRevalidate),
                surrogate.staleIfError().or(general::staleIfError),
                false);
    }
}
