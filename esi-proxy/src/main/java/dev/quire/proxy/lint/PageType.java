package dev.quire.proxy.lint;

import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParseOptions;
import java.util.Locale;
import java.util.Optional;

/** The document type of a page, as far as it matters for ESI. */
public enum PageType {
    HTML,
    XML,
    TEXT,
    JSON;

    /** The names accepted by {@link #named}, for messages. */
    public static final String NAMES = "html, xml, txt or json";

    public static Optional<PageType> named(String name) {
        return switch (name) {
            case "html" -> Optional.of(HTML);
            case "xml" -> Optional.of(XML);
            case "txt" -> Optional.of(TEXT);
            case "json" -> Optional.of(JSON);
            default -> Optional.empty();
        };
    }

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

    /**
     * Returns the type for a media type in lower case, without parameters; empty if it is not text.
     */
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

    EsiParser parser() {
        return switch (this) {
            case HTML, XML, TEXT -> new EsiParser(ParseOptions.STANDARD);
            case JSON ->
                    new EsiParser(
                            new ParseOptions(
                                    ParseOptions.SourceFormat.JSON,
                                    ParseOptions.STANDARD.dialect(),
                                    ParseOptions.STANDARD.opensHtmlComments(),
                                    ParseOptions.STANDARD.escape()));
        };
    }
}
