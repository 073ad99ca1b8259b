package dev.quire.spring;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;

/**
 * The last word of code about one response, as a handler's argument or by {@link
 * #of(HttpServletRequest)}. What is said here replaces what the annotation, or a rule, says; what
 * is not said stays. The guard may still make the response more private.
 *
 * <p>Say it before the body is written: once the response commits nothing is heard any more. One
 * that a handler of exceptions takes as its argument speaks for the error: only then may a
 * surrogate keep a response with an error status.
 */
public interface EsiResponse {

    /**
     * That of {@code request}, for functional routes, filters and servlets.
     *
     * @return one that nobody hears when the starter is switched off
     */
    static EsiResponse of(HttpServletRequest request) {
        return ResponseTerms.of(request);
    }

    /**
     * How long it is fresh, in whole seconds; less than none is none. It makes a response public
     * that nothing else makes so, but not one that is declared private.
     */
    EsiResponse ttl(Duration time);

    /** How long after that it may be served while it is fetched anew. */
    EsiResponse stale(Duration time);

    /** How long it may be served when fetching it fails. */
    EsiResponse staleIfError(Duration time);

    /**
     * {@code Cache-Control} towards the client.
     *
     * @throws IllegalArgumentException if it is no field value
     */
    EsiResponse browser(String cacheControl);

    /** It is for the one who asked. Nothing takes that back. */
    EsiResponse privateOnly();

    /**
     * Names to purge it by, besides those already there. One that is empty or has a blank, comma or
     * control character in it makes the response private, since it could not be purged by it.
     */
    EsiResponse tag(String... names);

    /**
     * Sets the entity tag, and answers 304 if the request has the same one already.
     *
     * @param etag with or without quotes
     * @return whether it has, so that the handler returns at once, with {@code null}
     */
    boolean validator(String etag);
}
