package dev.quire.proxy.path;

import dev.quire.core.assemble.Assembly;
import dev.quire.core.assemble.AssemblyNotes;
import dev.quire.core.assemble.Failure;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheStatus;
import dev.quire.core.policy.ForwardReason;
import dev.quire.core.policy.StandInCause;
import dev.quire.proxy.cache.FetchSubscription;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.TierSearch;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Records how a client request was handled: in its trace, in {@code Cache-Status} (RFC 9211) if the
 * client sees diagnostics, and for the observer if there is one.
 */
final class HandlingNotes {

    /**
     * A client that sees diagnostics sends this field to get key and detail in {@code
     * Cache-Status}.
     */
    private static final String DEBUG = "Quire-Debug";

    private HandlingNotes() {}

    static void decided(Exchange exchange, CacheDecision<StoredResponse> decision) {
        exchange.trace().decided(decision.label(), decision.reasonLabel());
        var notes = exchange.notes();
        if (notes != null) {
            notes.decided(AssemblyNotes.way(decision));
        }
    }

    /**
     * Records that the response is {@code response}.
     *
     * @param reason why the request went to the origin; null if it did not
     * @param standInFor why {@code response} is used in place of the origin's; null if it is not
     * @param fetches of the path, which know whether this proxy is cut off
     */
    static void answered(
            Lookup lookup,
            StoredResponse response,
            @Nullable ForwardReason reason,
            @Nullable FetchSubscription subscription,
            @Nullable StandInCause standInFor,
            Fetches fetches,
            Instant now) {
        var exchange = lookup.exchange();
        boolean isStandIn = standInFor != null;
        if (exchange.seesDiagnostics()) {
            CacheStatus status =
                    reason == null
                            ? hit(exchange.trace().search(), fetches)
                            : new CacheStatus.Forwarded(
                                    reason,
                                    subscription == null ? 0 : subscription.originStatus(),
                                    !isStandIn && response.isStored(),
                                    subscription != null && subscription.isCollapsed(),
                                    isStandIn);
            boolean isExplained = standInFor == StandInCause.SLOW;
            handled(lookup, status, isExplained, response.freshness().remainingAt(now).toSeconds());
        }
        var notes = exchange.notes();
        if (notes != null) {
            if (isStandIn) {
                notes.decided(Assembly.CacheOutcome.STALE);
            }
            notes.page(
                    lookup.key(),
                    subscription == null ? 0 : subscription.originStatus(),
                    response.status(),
                    response.head().fields(),
                    response.isShared() ? Optional.of(response.freshness()) : Optional.empty());
        }
    }

    /** Records that the response is streamed, beginning with {@code head}. */
    static void flowing(
            Lookup lookup,
            ResponseHead head,
            @Nullable ForwardReason reason,
            @Nullable FetchSubscription subscription) {
        var exchange = lookup.exchange();
        boolean isBeingStored = subscription != null && subscription.isBeingStored();
        if (reason != null && exchange.seesDiagnostics()) {
            handled(
                    lookup,
                    new CacheStatus.Forwarded(reason, head.status(), isBeingStored, false, false),
                    false,
                    0);
        }
        var notes = exchange.notes();
        if (notes != null) {
            notes.page(
                    lookup.key(),
                    head.status(),
                    head.status(),
                    head.fields(),
                    subscription == null ? Optional.empty() : subscription.freshness());
        }
    }

    private static CacheStatus hit(@Nullable TierSearch search, Fetches fetches) {
        if (fetches.isBehind()) {
            return CacheStatus.Hit.BEHIND;
        }
        return switch (TierSearch.tierAfter(search)) {
            case TierSearch.DISK -> CacheStatus.Hit.DISK;
            case TierSearch.SHARED -> CacheStatus.Hit.SHARED;
            default -> CacheStatus.Hit.HIT;
        };
    }

    static void failed(Lookup lookup, Failure failure) {
        var notes = lookup.exchange().notes();
        if (notes != null) {
            notes.pageFailed(lookup.key(), failure.status(), failure);
        }
    }

    /**
     * @param isExplained whether the client sees the reason even if it did not ask for it
     */
    private static void handled(
            Lookup lookup, CacheStatus status, boolean isExplained, long ttlSeconds) {
        var exchange = lookup.exchange();
        var reason = exchange.trace().reason();
        var said = status;
        boolean isDebugged = exchange.request().fields().contains(DEBUG);
        if (reason != null && (isDebugged || isExplained)) {
            var key = isDebugged ? lookup.key().url() : null;
            said = new CacheStatus.Explained(status, key, reason);
        }
        exchange.handled(said, ttlSeconds);
    }
}
