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
        var stamp = isStamped && !isNotModified ? stampOf(lookup).orElseThrow() : null;
        var source = reshaping.asItCame(document);
        var sent = stamp == null ? source : source.restamped(stamp);
        try {
            if (isNotModified) {
                Answers.notModified(exchange, sent, now);
            } else {
                Answers.unassembled(exchange, sent, stamp, now);
            }
        } finally {
            sent.release();
        }
    }
}
