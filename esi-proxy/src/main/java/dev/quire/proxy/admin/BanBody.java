package dev.quire.proxy.admin;

import dev.quire.core.expression.SearchPattern;
import dev.quire.proxy.config.TimeText;
import java.time.Duration;
import java.util.List;

/** Reads the JSON of {@code POST /v1/bans}. */
final class BanBody {
    private static final List<String> MEMBERS =
            List.of("host", "path", "tag", "contentType", "status", "olderThan", "dryRun");

    /** Chars of an expression. */
    private static final int MAX_EXPRESSION = 512;

    /** Instructions an expression may cost for each char of a path, on the loop of a request. */
    private static final int MAX_PROGRAM = 1_000;

    private BanBody() {}

    /**
     * The request that {@code body} asks for.
     *
     * @throws InvalidRequest if it asks for none
     */
    static BanRequest read(byte[] body) {
        var json = JsonBody.read(body, MEMBERS);
        return new BanRequest(
                json.text("host"),
                json.text("path").map(BanBody::expression),
                json.text("tag"),
                json.text("contentType"),
                json.number("status"),
                json.text("olderThan").map(BanBody::duration),
                json.truth("dryRun"));
    }

    private static SearchPattern expression(String text) {
        if (text.isEmpty() || text.length() > MAX_EXPRESSION) {
            throw new InvalidRequest(
                    "path has " + text.length() + " characters", "1 to " + MAX_EXPRESSION);
        }
        try {
            return SearchPattern.of(text, MAX_PROGRAM);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequest(
                    "path: " + e.getMessage(),
                    "a regular expression (RE2) of at most " + MAX_PROGRAM + " steps");
        }
    }

    private static Duration duration(String text) {
        return TimeText.read(text)
                .orElseThrow(() ->
                        new InvalidRequest(
                                "olderThan: '" + text + "' is no duration",
                                "something such as 200ms, 15s, 5m or 1h"));
    }
}
