package dev.quire.proxy.lint;

import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.Reading;
import java.util.Locale;
import java.util.Optional;

/** What a page is written in, as far as its ESI tags care. */
public enum PageType {
    HTML,
    XML,
    TEXT,
    JSON;

    /** What {@link #named} takes, for messages. */
    public static final String NAMES = "html, xml, txt or json";

    /** The type called {@code name} on the command line. */
    public static Optional<PageType> named(String name) {
        return switch (name) {
            case "html" -> Optional.of(HTML);
            case "xml" -> Optional.of(XML);
            case "txt" -> Optional.of(TEXT);
            case "json" -> Optional.of(JSON);
            default -> Optional.empty();
        };
    }

    /** The type that the suffix of a file's name tells. */
    static Optional<PageType> ofFile(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        return switch (lower.substring(lower.lastIndexOf('.') + 1)) {
            case "html", "htm", "xhtml" -> Optional.of(HTML);
            case "xml", "rss", "atom", "svg" -> Optional.of(XML);
            case "txt", "css", "js" -> Optional.of(TEXT);
            case "json" -> Optional.of(JSON);
            default -> Optional.empty();
        };
    }

    /** The type of a media type without parameters, in lower case; empty if it is no text. */
    static Optional<PageType> ofMedia(String media) {
        return switch (media) {
            case "text/html", "application/xhtml+xml" -> Optional.of(HTML);
            case "text/xml", "application/xml" -> Optional.of(XML);
            case "application/json" -> Optional.of(JSON);
            case "application/javascript", "application/ecmascript" -> Optional.of(TEXT);
            default -> {
                if (media.endsWith("+xml")) {
                    yield Optional.of(XML);
                }
                if (media.endsWith("+json")) {
                    yield Optional.of(JSON);
                }
                yield media.startsWith("text/") ? Optional.of(TEXT) : Optional.empty();
            }
        };
    }

    /** A parser for one page of this type. */
    EsiParser parser() {
        return switch (this) {
            case HTML, XML, TEXT -> new EsiParser(Reading.STANDARD);
            case JSON ->
                    new EsiParser(
                            new Reading(
                                    Reading.Notation.JSON,
                                    Reading.STANDARD.dialect(),
                                    Reading.STANDARD.opensHtmlComments(),
                                    Reading.STANDARD.escape()));
        };
    }
}
