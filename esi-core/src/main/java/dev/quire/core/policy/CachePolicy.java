package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheDecision.Decline;
import dev.quire.core.policy.CacheDecision.Hit;
import dev.quire.core.policy.CacheDecision.Miss;
import dev.quire.core.policy.CacheDecision.MissReason;
import dev.quire.core.policy.CacheDecision.Pass;
import dev.quire.core.policy.CacheDecision.PassReason;
import dev.quire.core.policy.CacheDecision.Revalidate;
import dev.quire.core.policy.CacheDecision.RevalidateReason;
import dev.quire.core.policy.CacheDecision.StaleHit;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of a shared cache: for a request, for a response, and when the origin fails. A
 * request's cache directives only count if the caller passes its {@link ClientDirectives}, which is
 * not the default: otherwise any client could force origin requests. Pragma is always ignored.
 */
public final class CachePolicy {
    private CachePolicy() {}

    /** As below, for a client whose directives are ignored. */
    public static <S extends StoredView> CacheDecision<S> decide(
            RequestHead request,
            boolean hasBody,
            @Nullable S stored,
            boolean otherVariants,
            boolean hitForMiss,
            Instant now) {
        return decide(
                request, ClientDirectives.NONE, hasBody, stored, otherVariants, hitForMiss, now);
    }

    /**
     * Decides how to handle {@code request} (RFC 9111 §4). Range is left to the caller.
     *
     * @param client the client's directives to obey (RFC 9111 §5.2.1)
     * @param hasBody whether the request has content
     * @param stored the stored response for its key and selecting fields, or null
     * @param otherVariants whether a response with other selecting fields is stored under its key
     * @param hitForMiss whether the key is marked hit-for-miss
     * @param now on the monotonic clock
     */
    public static <S extends StoredView> CacheDecision<S> decide(
            RequestHead request,
            ClientDirectives client,
            boolean hasBody,
            @Nullable S stored,
            boolean otherVariants,
            boolean hitForMiss,
            Instant now) {
        if (!request.isGet() && !request.isHead()) {
            return new Pass<>(PassReason.METHOD);
        }
        if (hasBody) {
            return new Pass<>(PassReason.BODY);
        }
        if (isForOriginToJudge(request.fields())) {
            return new Pass<>(PassReason.CONDITION);
        }
        if (stored != null && !stored.freshness().validateAlways()) {
            boolean isFresh = stored.freshness().isFreshAt(now);
            if (isFresh && client.acceptsFresh(stored.freshness(), now)) {
                return new Hit<>(stored);
            }
            if (!isFresh && client.acceptsStale(stored.freshness(), now)) {
                return new StaleHit<>(stored);
            }
        }
        if (client.onlyIfCached()) {
            return new Decline<>();
        }
        if (client.noStore()) {
            return new Pass<>(PassReason.NO_STORE);
        }
        if (stored != null && stored.hasValidator()) {
            return new Revalidate<>(stored, validationReason(stored.freshness(), now));
        }
        if (request.isHead()) {
            return new Pass<>(PassReason.HEAD);
        }
        if (hitForMiss) {
            return new Pass<>(PassReason.HIT_FOR_MISS);
        }
        if (stored != null) {
            return new Miss<>(
                    stored.freshness().isFreshAt(now) ? MissReason.REQUEST : MissReason.STALE,
                    stored);
        }
        return new Miss<>(otherVariants ? MissReason.VARY_MISS : MissReason.URI_MISS);
    }

    /**
     * Decides whether {@code response} to {@code request} may be stored, and for how long (RFC 9111
     * §3). For a 304 pass the merged head ({@link Validation#merged}) and the moments of the 304.
     * The caller checks that the body is complete.
     */
    public static StorageDecision storing(
            RequestHead request, ResponseHead response, ResponseTimes times, Settings settings) {
        return storing(request, response, times, settings, AuthorLifetime.UNSAID);
    }

    /** As above, for a fragment whose page gives it a lifetime. */
    public static StorageDecision storing(
            RequestHead request,
            ResponseHead response,
            ResponseTimes times,
            Settings settings,
            AuthorLifetime author) {
        return storing(request, response, null, times, settings, author);
    }

    /**
     * As above, for a response changed by rules, which may only forbid more than the origin.
     *
     * @param received the fields as the origin sent them; null if the rules have not changed them
     */
    static StorageDecision storing(
            RequestHead request,
            ResponseHead response,
            @Nullable Fields received,
            ResponseTimes times,
            Settings settings,
            AuthorLifetime author) {
        return new StorageEvaluation(request, response, received, times, settings, author)
                .storing();
    }

    /**
     * Whether {@code stored} may replace a failed response (RFC 9111 §4.2.4, RFC 5861 §4).
     *
     * @param now on the monotonic clock
     */
    public static boolean mayStandIn(StoredView stored, StandInCause cause, Instant now) {
        return mayStandIn(stored, ClientDirectives.NONE, cause, now);
    }

    /** As above, obeying the client's own stale-if-error (RFC 5861 §4). */
    public static boolean mayStandIn(
            StoredView stored, ClientDirectives client, StandInCause cause, Instant now) {
        var freshness = stored.freshness();
        if (freshness.validateAlways()) {
            return false;
        }
        var window = standInWindow(freshness, cause);
        return freshness.isStaleWithin(window, now)
                || (!freshness.isNeverStale()
                        && client.staleIfError().isPresent()
                        && freshness.isStaleWithin(client.staleIfError().get(), now));
    }

    private static RevalidateReason validationReason(Freshness freshness, Instant now) {
        if (freshness.validateAlways()) {
            return RevalidateReason.NO_CACHE;
        }
        return freshness.isFreshAt(now) ? RevalidateReason.REQUEST : RevalidateReason.STALE;
    }

    /**
     * Whether a response with {@code stored} fields must never be served stale, so that without the
     * origin the request fails (RFC 9111 §4.2.4).
     */
    public static boolean forbidsStale(Fields stored, Settings settings) {
        return TargetedDirectives.of(stored, settings.deviceToken())
                .directives()
                .forbidsStale(settings.staleDespiteSharedMaxAge());
    }

    private static Duration standInWindow(Freshness freshness, StandInCause cause) {
        var ifError = freshness.staleIfError();
        var ifUnreachable = freshness.staleIfUnreachable();
        return switch (cause) {
            case ERROR_STATUS -> ifError;
            case NO_ANSWER, SLOW -> ifError.compareTo(ifUnreachable) > 0 ? ifError : ifUnreachable;
        };
    }

    private static boolean isForOriginToJudge(Fields request) {
        return request.contains("If-Match") || request.contains("If-Unmodified-Since");
    }
}
