package dev.quire.spring;

import dev.quire.spring.internal.stamp.TagWriter;
import jakarta.servlet.ServletRequest;

/**
 * ESI markup for template engines without an ESI dialect, and for plain strings; created by {@link
 * Esi}. Values are escaped here, never by the caller.
 *
 * <p>An immutable value. The written markup belongs to one request: it must not be cached for
 * another process.
 */
public sealed interface Markup
        permits Esi.Include, Esi.Try, Esi.Variable, Esi.Choose, Esi.Remove, Esi.Html, Esi.All {

    /**
     * Returns the markup for the current request, and marks its response as having tags.
     *
     * @throws IllegalStateException if this thread handles no request, as when streaming a body:
     *     then pass the request
     */
    default String toHtml() {
        return html(TagWriter.current());
    }

    /** Returns the markup for the response to {@code request}, on any thread. */
    default String toHtml(ServletRequest request) {
        return html(TagWriter.of(request));
    }

    /** Returns the markup as {@code tags} writes it. */
    String html(TagWriter tags);
}
