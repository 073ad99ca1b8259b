package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The cache directives of a client, where they are obeyed (RFC 9111 §5.2.1). Of duplicate
 * directives the first counts; a time that is not a number is zero; unknown ones are ignored.
 *
 * @param noCache a stored response must be validated before use
 * @param noStore the response must not be stored
 * @param onlyIfCached only a stored response is accepted
 * @param maxAge the maximum age
 * @param minFresh the minimum remaining freshness
 * @param maxStale the maximum staleness; without a number in the field unlimited
 * @param staleIfError the maximum staleness if the origin fails (RFC 5861 §4)
 */
public record ClientDirectives(
        boolean noCache,
        boolean noStore,
        boolean onlyIfCached,
        Optional<Duration> maxAge,
        Optional<Duration> minFresh,
        Optional<Duration> maxStale,
        Optional<Duration> staleIfError) {

    /** For a client without directives, or whose directives are ignored. */
    public static final ClientDirectives NONE =
            new ClientDirectives(
                    false,
                    false,
                    false,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());

    private static final Duration ANY = Duration.ofSeconds(DeltaSeconds.MAX);

    /** Parses all {@code Cache-Control} lines of {@code request}. */
    public static ClientDirectives of(Fields request) {
        if (!request.contains("Cache-Control")) {
            return NONE;
        }
        var said = new HashMap<String, Directive>();
        for (var member : FieldList.members(request.all("Cache-Control"))) {
            Directive.parse(member).ifPresent(each -> said.putIfAbsent(each.name(), each));
        }
        return new ClientDirectives(
                said.containsKey("no-cache"),
                said.containsKey("no-store"),
                said.containsKey("only-if-cached"),
                seconds(said, "max-age"),
                seconds(said, "min-fresh"),
                Optional.ofNullable(said.get("max-stale"))
                        .map(each -> each.argument().isEmpty() ? ANY : each.seconds()),
                seconds(said, "stale-if-error"));
    }

    /**
     * Whether {@code fresh} may be served as it is. A response that is immutable is served even
     * above the maximum age (RFC 8246 §2); not with no-cache.
     */
    boolean acceptsFresh(Freshness fresh, Instant now) {
        return !noCache
                && (fresh.isImmutable() || isYoungEnough(fresh, now))
                && (minFresh.isEmpty() || fresh.remainingAt(now).compareTo(minFresh.get()) >= 0);
    }

    /**
     * Whether {@code stale} may be served while it is refreshed: within its grace, or as far as the
     * client allows. A client with max-age or min-fresh does not accept a stale response by
     * default. With no-store there is no background refresh, which would store a response.
     */
    boolean acceptsStale(Freshness stale, Instant now) {
        if (noCache || noStore || minFresh.isPresent()) {
            return false;
        }
        if (maxStale.isEmpty()) {
            return maxAge.isEmpty() && stale.isStaleWithin(stale.grace(), now);
        }
        return !stale.isNeverStale()
                && stale.isStaleWithin(maxStale.get(), now)
                && isYoungEnough(stale, now);
    }

    private boolean isYoungEnough(Freshness freshness, Instant now) {
        return maxAge.isEmpty() || freshness.ageAt(now).compareTo(maxAge.get()) <= 0;
    }

    private static Optional<Duration> seconds(Map<String, Directive> said, String name) {
        return Optional.ofNullable(said.get(name)).map(Directive::seconds);
    }
}
