package dev.quire.spring;

import dev.quire.spring.internal.exchange.ResponseTerms;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;

/**
 * The policy of one response set by code, as a handler's argument or by {@link
 * #of(HttpServletRequest)}. Values set here replace those of the annotation or rule; other values
 * stay. The guard may still make the response more private.
 *
 * <p>Call it before the body is written: it has no effect after the response commits. As an
 * argument of an exception handler it sets the policy of the error response; only then may a
 * surrogate store a response with an error status.
 */
public interface EsiResponse {

    /**
     * Returns the response policy of {@code request}, for functional routes, filters and servlets.
     *
     * @return one without effect if the starter is disabled
     */
    static EsiResponse of(HttpServletRequest request) {
        return ResponseTerms.of(request);
    }

    /**
     * Sets the freshness lifetime in whole seconds; negative counts as zero. It makes a response
     * without a policy public, but not one that is declared private.
     */
    EsiResponse ttl(Duration time);

    /** Sets the grace: how long after that it may be served stale while it is refreshed. */
    EsiResponse stale(Duration time);

    /** Sets how long it may be served stale when fetching it fails. */
    EsiResponse staleIfError(Duration time);

    /**
     * Sets {@code Cache-Control} for the client.
     *
     * @throws IllegalArgumentException if it is not a valid field value
     */
    EsiResponse browser(String cacheControl);

    /** Makes it private to this client. This cannot be undone. */
    EsiResponse privateOnly();

    /**
     * Adds tags to purge it by. A tag that is empty, is longer than 256 characters or contains a
     * blank, comma, control or non-ASCII character makes the response private, since it could not
     * be purged.
     */
    EsiResponse tag(String... names);

    /**
     * Sets the entity tag, and answers 304 if the request's validators match.
     *
     * @param etag with or without quotes
     * @return whether they match; the handler then returns {@code null} at once
     */
    boolean validator(String etag);
}
