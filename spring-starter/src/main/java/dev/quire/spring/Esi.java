package dev.quire.spring;

import java.util.Optional;
import org.springframework.web.util.HtmlUtils;

/**
 * ESI markup for engines without a dialect of their own, and for plain strings. Values are escaped
 * here, never by the caller.
 */
public final class Esi {

    private Esi() {}

    /**
     * An include of the fragment at {@code src}.
     *
     * @param src a path in this application, with its query; a session id in it is dropped
     * @throws IllegalArgumentException if it is empty or has control characters
     */
    public static Include include(String src) {
        return new Include(url("src", src), Optional.empty(), OnError.PAGE_POLICY);
    }

    /**
     * ESI markup of your own, exactly as it is, and a note to the request of this thread that its
     * response has tags. Call it on the thread that runs the handler: without that note nobody
     * assembles the page.
     *
     * @param markup any ESI elements with anything around them; what comes from a user must have
     *     been escaped
     */
    public static String markup(String markup) {
        noteTag();
        return markup;
    }

    private static void noteTag() {
        var exchange = Exchange.current();
        if (exchange != null) {
            exchange.tagWritten();
        }
    }

    private static String url(String attribute, String url) {
        if (url.isBlank() || url.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "%s of an include is empty or has control characters (expected a path, such as /fragments/live?region=1)"
                            .formatted(attribute));
        }
        return SessionIds.removedFrom(url);
    }

    /**
     * {@code <esi:include>} (ESI 1.0 §3.1).
     *
     * @param src the fragment
     * @param alternative what stands in when it fails
     * @param onError what happens when both fail
     */
    public record Include(String src, Optional<String> alternative, OnError onError) {

        public Include {
            src = url("src", src);
            alternative = alternative.map(alt -> url("alt", alt));
        }

        /** The same include with another fragment to stand in. */
        public Include alt(String url) {
            return new Include(src, Optional.of(url), onError);
        }

        /** The same include with another way to fail. */
        public Include onError(OnError choice) {
            return new Include(src, alternative, choice);
        }

        /**
         * The tag, and a note to the request of this thread that its response has one. Call it on
         * the thread that runs the handler: without that note nobody assembles the page.
         */
        public String toHtml() {
            noteTag();
            return html("", true);
        }

        /**
         * The tag.
         *
         * @param others attributes besides our own, each with a blank in front
         * @param isEmpty whether nothing is inside the element
         */
        String html(String others, boolean isEmpty) {
            var tag = new StringBuilder("<esi:include src=\"").append(escaped(src)).append('"');
            alternative.ifPresent(alt -> tag.append(" alt=\"").append(escaped(alt)).append('"'));
            switch (onError) {
                case CONTINUE -> tag.append(" onerror=\"continue\"");
                case FAIL -> tag.append(" onerror=\"fail\"");
                case PAGE_POLICY -> {}
            }
            return tag.append(others).append(isEmpty ? "/>" : ">").toString();
        }

        /** With an encoding given, only the five characters that mean something are escaped. */
        private static String escaped(String value) {
            return HtmlUtils.htmlEscape(value, "UTF-8").replace("&#39;", "&apos;");
        }
    }
}
