package dev.quire.proxy.cache;

import dev.quire.core.expression.SearchPattern;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.HostPattern;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * The condition of a ban: hides stored responses that meet all given criteria. An inline fragment
 * also meets host and path if its page does.
 *
 * @param host of its URL
 * @param path found in the path of its URL, without the query; anchored only if it has anchors
 * @param tag one of its tags
 * @param contentType its media type in lower case, without parameters; {@code image/*} matches all
 *     images
 * @param status its status
 * @param olderThan the minimum time before the ban at which it was stored or last validated
 * @param patterns of its URL and fields
 */
public record BanCondition(
        Optional<HostPattern> host,
        Optional<SearchPattern> path,
        Optional<String> tag,
        Optional<String> contentType,
        Optional<Integer> status,
        Optional<Duration> olderThan,
        BanPatterns patterns) {

    /** The maximum length of a regular expression, in chars. */
    public static final int MAX_EXPRESSION = 512;

    /**
     * The maximum number of instructions that a regular expression executes per char, on the event
     * loop of a request.
     */
    public static final int MAX_PROGRAM = 1_000;

    /** Creates a condition without patterns. */
    public BanCondition(
            Optional<HostPattern> host,
            Optional<SearchPattern> path,
            Optional<String> tag,
            Optional<String> contentType,
            Optional<Integer> status,
            Optional<Duration> olderThan) {
        this(host, path, tag, contentType, status, olderThan, BanPatterns.NONE);
    }

    /** Creates a condition of patterns alone; without patterns it covers every response. */
    public static BanCondition of(BanPatterns patterns) {
        return new BanCondition(
                patterns.isEmpty() ? Optional.of(new HostPattern("*")) : Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                patterns);
    }

    public BanCondition {
        contentType = contentType.map(type -> type.toLowerCase(Locale.ROOT));
        if (host.isEmpty()
                && path.isEmpty()
                && tag.isEmpty()
                && contentType.isEmpty()
                && status.isEmpty()
                && olderThan.isEmpty()
                && patterns.isEmpty()) {
            throw new IllegalArgumentException("a ban must name at least one condition");
        }
    }

    /** Returns the same condition for responses of any age. */
    BanCondition ofAnyAge() {
        boolean isOfAgeAlone =
                path.isEmpty()
                        && tag.isEmpty()
                        && contentType.isEmpty()
                        && status.isEmpty()
                        && patterns.isEmpty();
        return new BanCondition(
                host.isEmpty() && isOfAgeAlone ? Optional.of(new HostPattern("*")) : host,
                path,
                tag,
                contentType,
                status,
                Optional.empty(),
                patterns);
    }

    /**
     * Whether the ban hides {@code response}.
     *
     * @param since when the ban was created
     */
    boolean covers(BanSubject response, Instant since) {
        // Regular expressions come last: they are the most expensive.
        return (status.isEmpty() || status.get() == response.head().status())
                && (olderThan.isEmpty() || isOlder(response, since.minus(olderThan.get())))
                && (tag.isEmpty() || response.tags().contains(tag.get()))
                && (contentType.isEmpty() || isOfType(response, contentType.get()))
                && coversPlace(response.key())
                && patterns.match(response);
    }

    private boolean coversPlace(CacheKey key) {
        return (host.isEmpty() || host.get().matches(key.authority()))
                && (path.isEmpty() || path.get().isFoundIn(key.path()));
    }

    private static boolean isOlder(BanSubject response, Instant then) {
        return !response.receivedAt().isAfter(then);
    }

    private static boolean isOfType(BanSubject response, String wanted) {
        var type = response.head().mediaType();
        return wanted.endsWith("/*")
                ? type.startsWith(wanted.substring(0, wanted.length() - 1))
                : type.equals(wanted);
    }
}
