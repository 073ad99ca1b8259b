package dev.quire.spring;

import jakarta.servlet.ServletRequest;

/**
 * ESI markup for engines without a dialect of their own, and for plain strings; {@link Esi} makes
 * it. Values are escaped here, never by the caller.
 *
 * <p>It is an immutable value. What it is written with belongs to one request: do not keep the
 * result for another process.
 */
public sealed interface Markup
        permits Esi.Include, Esi.Try, Esi.Variable, Esi.Choose, Esi.Remove, Esi.Html, Esi.All {

    /**
     * The markup, and a note to the request of this thread that its response has tags.
     *
     * @throws IllegalStateException if this thread answers no request, such as one that streams a
     *     body: give it the request
     */
    default String toHtml() {
        return html(TagWriter.current());
    }

    /** The markup for the response to {@code request}, on any thread. */
    default String toHtml(ServletRequest request) {
        return html(TagWriter.of(request));
    }

    /** The markup as {@code tags} writes it. */
    String html(TagWriter tags);
}
