package dev.quire.proxy.cache;

import dev.quire.core.expression.SearchPattern;
import dev.quire.core.http.Fields;
import dev.quire.core.rule.TagsPattern;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The regular expressions of a ban, as the fields of a {@code BAN} request have them (RE2 syntax).
 * Each is searched, so it is anchored only if it has anchors.
 *
 * @param host searched in host and port of the URL, in any case
 * @param url searched in path and query
 * @param contentType searched in the field Content-Type, in any case; absent is empty
 * @param tags searched in the tags
 */
public record BanPatterns(
        Optional<SearchPattern> host,
        Optional<SearchPattern> url,
        Optional<SearchPattern> contentType,
        Optional<TagsPattern> tags) {

    static final BanPatterns NONE =
            new BanPatterns(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    private static final String HOST = "X-Host";
    private static final String URL = "X-Url";
    private static final String CONTENT_TYPE = "X-Content-Type";
    private static final String TAGS = "X-Cache-Tags";

    /** Matches every text, with or without a field. */
    private static final String EVERYTHING = ".*";

    /**
     * Reads the fields of a {@code BAN} request, before any of them is dropped as untrusted. The
     * expression {@code .*} matches every response.
     *
     * @throws IllegalArgumentException if all fields are absent, or one is repeated or not a usable
     *     expression; the message is for the client
     */
    public static BanPatterns of(Fields received) {
        if (List.of(HOST, URL, CONTENT_TYPE, TAGS).stream().noneMatch(received::contains)) {
            throw new IllegalArgumentException(
                    "no condition is given (expected at least one of X-Host, X-Url, X-Content-Type,"
                            + " X-Cache-Tags; X-Url: .* matches every response)");
        }
        return new BanPatterns(
                pattern(received, HOST, BanPatterns::ignoringCase),
                pattern(
                        received,
                        URL,
                        text -> SearchPattern.of(limited(text), BanCondition.MAX_PROGRAM)),
                pattern(received, CONTENT_TYPE, BanPatterns::ignoringCase),
                pattern(
                        received,
                        TAGS,
                        text ->
                                TagsPattern.of(
                                        text,
                                        BanCondition.MAX_EXPRESSION,
                                        BanCondition.MAX_PROGRAM)));
    }

    private static <T> Optional<T> pattern(
            Fields received, String name, Function<String, T> compiler) {
        var lines = received.all(name);
        if (lines.isEmpty()) {
            return Optional.empty();
        }
        var text = lines.getFirst().strip();
        if (lines.size() > 1 || text.isEmpty()) {
            throw new IllegalArgumentException(
                    name
                            + " is "
                            + (text.isEmpty() ? "empty" : "repeated")
                            + " (expected one expression)");
        }
        if (text.equals(EVERYTHING)) {
            return Optional.empty();
        }
        try {
            return Optional.of(compiler.apply(text));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    name
                            + ": "
                            + e.getMessage()
                            + " (expected an RE2 expression of at most "
                            + BanCondition.MAX_EXPRESSION
                            + " characters and "
                            + BanCondition.MAX_PROGRAM
                            + " instructions)",
                    e);
        }
    }

    private static SearchPattern ignoringCase(String text) {
        return SearchPattern.ignoringCase(limited(text), BanCondition.MAX_PROGRAM);
    }

    private static String limited(String text) {
        if (text.length() > BanCondition.MAX_EXPRESSION) {
            throw new IllegalArgumentException(
                    "the expression has " + text.length() + " characters");
        }
        return text;
    }

    boolean isEmpty() {
        return equals(NONE);
    }

    boolean match(BanSubject response) {
        var key = response.key();
        return (host.isEmpty() || host.get().isFoundIn(key.authority()))
                && (url.isEmpty() || url.get().isFoundIn(key.target()))
                && (contentType.isEmpty() || contentType.get().isFoundIn(typeOf(response)))
                && (tags.isEmpty() || tags.get().matches(response.tags()));
    }

    private static String typeOf(BanSubject response) {
        var type = response.head().fields().first("Content-Type");
        return type == null ? "" : type;
    }
}
