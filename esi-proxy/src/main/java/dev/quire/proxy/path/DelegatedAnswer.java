package dev.quire.proxy.path;

import dev.quire.core.http.Stamp;
import dev.quire.core.policy.Conditions;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.SurrogateCapability;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.Answers;
import java.time.Instant;
import java.util.Optional;

/** Sends a page unassembled, to a surrogate that assembles it. */
final class DelegatedAnswer {
    private final Lookup lookup;
    private final FragmentTransforms reshaping;

    DelegatedAnswer(Lookup lookup, FragmentTransforms reshaping) {
        this.lookup = lookup;
        this.reshaping = reshaping;
    }

    /** Whether the client assembles the page; a stamped one only if it supports stamps. */
    static boolean isFor(Lookup lookup, boolean isStamped) {
        return lookup.isDelegated() && (!isStamped || stampOf(lookup).isPresent());
    }

    private static Optional<Stamp> stampOf(Lookup lookup) {
        return SurrogateCapability.stamp(lookup.exchange().receivedFields());
    }

    /** Sends {@code document} with the client's own stamp; takes over one reference. */
    void send(StoredResponse document, Instant now) {
        var exchange = lookup.exchange();
        var request = lookup.request();
        boolean isNotModified = Conditions.isNotModified(request, document.head());
        boolean isStamped = document.stampStatus() == StampStatus.STAMPED;
        var source = reshaping.asItCame(document);
        if (isNotModified) {
            Answers.notModified(exchange, source, now);
            source.release();
        } else if (isStamped) {
            var stamp = stampOf(lookup).orElseThrow();
            var restamped = source.restamped(stamp);
            Answers.unassembled(exchange, restamped, stamp, now);
            restamped.release();
        } else {
            Answers.unassembled(exchange, source, null, now);
            source.release();
        }
    }
}
