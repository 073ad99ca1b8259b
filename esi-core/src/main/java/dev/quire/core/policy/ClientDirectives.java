package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a client wants of the cache, for those who are heard (RFC 9111 §5.2.1). Of two equal
 * directives the first counts; a time that is no number is zero; unknown ones are left out.
 *
 * @param noCache nothing stored is to be used unless it is validated
 * @param noStore the answer is not to be stored
 * @param onlyIfCached nothing but what is stored is wanted
 * @param maxAge the age it may have
 * @param minFresh how long it must stay fresh
 * @param maxStale how stale it may be; without a number in the field as long as can be
 * @param staleIfError how stale it may be if the origin fails (RFC 5861 §4)
 */
public record ClientDirectives(
        boolean noCache,
        boolean noStore,
        boolean onlyIfCached,
        Optional<Duration> maxAge,
        Optional<Duration> minFresh,
        Optional<Duration> maxStale,
        Optional<Duration> staleIfError) {

    /** Of a client that wants nothing in particular, or is not heard. */
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

    /** What all {@code Cache-Control} lines of {@code request} say. */
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
     * Whether {@code fresh} will do as it is. An age above the wanted one is no reason to ask again
     * for what its origin calls immutable (RFC 8246 §2); no-cache is.
     */
    boolean acceptsFresh(Freshness fresh, Instant now) {
        return !noCache
                && (fresh.isImmutable() || isYoungEnough(fresh, now))
                && (minFresh.isEmpty() || fresh.remainingAt(now).compareTo(minFresh.get()) >= 0);
    }

    /**
     * Whether {@code stale} will do while it is refreshed: in its grace, or as far as the client
     * allows. A client that says how young or fresh it must be allows nothing stale by that. The
     * refresh would be a second request on behalf of one who wants nothing stored.
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
