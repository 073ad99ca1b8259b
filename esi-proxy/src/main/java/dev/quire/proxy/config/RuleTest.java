package dev.quire.proxy.config;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * One test of the configuration.
 *
 * @param key its path, such as {@code tests[0]}
 * @param request of the client, or of the page with the URL of the fragment
 * @param client its address, also that of its connection
 * @param level 0 for a page, else the depth of the fragment
 * @param answer of the origin
 * @param expected in the order of the file
 */
public record RuleTest(
        String key,
        RequestHead request,
        InetAddress client,
        int level,
        Optional<ResponseHead> answer,
        List<Expectation> expected) {

    /** A value of the result that a test can expect. */
    public enum Result {
        STATUS,
        LOCATION,
        ORIGIN,
        ORIGIN_NAME,
        HOST,
        COOKIES,
        RULES,
        CACHE,
        KEY,
        TTL,
        GRACE,
        STALE_IF_ERROR,
        STORED,
        TAGS,
        BODY,
        /** Path and query of the page that replaces an error; empty without one. */
        ERROR_PAGE,
        /** A field of the request to the origin. */
        FIELD,
        /** A field of the response to the client. */
        DELIVERED
    }

    /**
     * One expected value.
     *
     * @param name of the field; empty for other results
     * @param text as it is compared; empty if it must be absent
     */
    public record Expectation(
            Problem.Place place, String key, Result result, String name, Optional<String> text) {}

    public RuleTest {
        expected = List.copyOf(expected);
    }

    /** Returns a list as it is compared. */
    public static String text(List<String> values) {
        return String.join(", ", values);
    }

    /** Returns the fields of a request with its host and cookies. */
    static Fields fields(String authority, Fields given, List<String> cookies) {
        var fields = new Fields.Builder().add("Host", authority).addAll(given);
        if (!cookies.isEmpty()) {
            fields.add("Cookie", String.join("; ", cookies));
        }
        return fields.build();
    }
}
