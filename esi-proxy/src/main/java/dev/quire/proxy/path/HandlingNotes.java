package dev.quire.proxy.path;

import dev.quire.core.assemble.Assembly;
import dev.quire.core.assemble.AssemblyNotes;
import dev.quire.core.assemble.Failure;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheStatus;
import dev.quire.core.policy.ForwardReason;
import dev.quire.proxy.cache.Seat;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.Exchange;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Records how a client request was handled: in its trace, in {@code Cache-Status} (RFC 9211) if the
 * client is trusted, and for the observer if there is one.
 */
final class HandlingNotes {

    /** A trusted client sends this field to get key and detail in {@code Cache-Status}. */
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
     * @param isStandIn whether {@code response} is stale and used because the origin failed
     */
    static void answered(
            Inquiry inquiry,
            StoredResponse response,
            @Nullable ForwardReason reason,
            @Nullable Seat seat,
            boolean isStandIn,
            Instant now) {
        var exchange = inquiry.exchange();
        if (exchange.peer().isTrusted()) {
            CacheStatus status =
                    reason == null
                            ? CacheStatus.Hit.HIT
                            : new CacheStatus.Forwarded(
                                    reason,
                                    seat == null ? 0 : seat.originStatus(),
                                    !isStandIn && response.isStored(),
                                    seat != null && seat.isCollapsed(),
                                    isStandIn);
            handled(inquiry, status, response.freshness().remainingAt(now).toSeconds());
        }
        var notes = exchange.notes();
        if (notes != null) {
            if (isStandIn) {
                notes.decided(Assembly.Way.STALE);
            }
            notes.page(
                    inquiry.key(),
                    seat == null ? 0 : seat.originStatus(),
                    response.status(),
                    response.head().fields(),
                    response.isShared() ? Optional.of(response.freshness()) : Optional.empty());
        }
    }

    /** Records that the response is streamed, beginning with {@code head}. */
    static void flowing(
            Inquiry inquiry,
            ResponseHead head,
            @Nullable ForwardReason reason,
            @Nullable Seat seat) {
        var exchange = inquiry.exchange();
        boolean isBeingStored = seat != null && seat.isBeingStored();
        if (reason != null && exchange.peer().isTrusted()) {
            handled(
                    inquiry,
                    new CacheStatus.Forwarded(reason, head.status(), isBeingStored, false, false),
                    0);
        }
        var notes = exchange.notes();
        if (notes != null) {
            notes.page(
                    inquiry.key(),
                    head.status(),
                    head.status(),
                    head.fields(),
                    seat == null ? Optional.empty() : seat.freshness());
        }
    }

    static void failed(Inquiry inquiry, Failure failure) {
        var notes = inquiry.exchange().notes();
        if (notes != null) {
            notes.pageFailed(inquiry.key(), failure.status(), failure);
        }
    }

    private static void handled(Inquiry inquiry, CacheStatus status, long ttlSeconds) {
        var exchange = inquiry.exchange();
        var reason = exchange.trace().reason();
        var said = status;
        if (reason != null && exchange.request().fields().contains(DEBUG)) {
            said = new CacheStatus.Explained(status, inquiry.key().url(), reason);
        }
        exchange.handled(said, ttlSeconds);
    }
}
