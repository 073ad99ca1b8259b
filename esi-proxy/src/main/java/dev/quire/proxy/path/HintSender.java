package dev.quire.proxy.path;

import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.EarlyHints;
import dev.quire.core.policy.ResponseFields;
import dev.quire.proxy.cache.HintNotes;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.route.HintMode;
import java.util.List;

/**
 * Sends 103 (Early Hints) to navigations over HTTP/2 (RFC 8297). Each request gets one at most:
 * that of the origin, or the remembered links while something is awaited. All methods return
 * whether the request has got its 103.
 */
final class HintSender {
    private enum Source {
        ORIGIN,
        REMEMBERED
    }

    private final HintNotes notes;
    private final Metrics metrics;

    HintSender(HintNotes notes, Metrics metrics) {
        this.notes = notes;
        this.metrics = metrics;
        metrics.clients().showHints(Source.values());
    }

    /** Passes on {@code received}, a 1xx of the origin; a 103 only as the route says. */
    boolean interim(Lookup page, ResponseHead received, boolean isSent) {
        if (received.status() != EarlyHints.STATUS) {
            page.exchange()
                    .response()
                    .interim(
                            new ResponseHead(
                                    received.status(),
                                    received.reason(),
                                    ResponseFields.ofInterim(received.fields())));
            return isSent;
        }
        if (isSent || page.target().hints() == HintMode.OFF || !areUsed(page)) {
            return isSent;
        }
        var fields = EarlyHints.passed(received.fields());
        return fields.contains("Link") && send(page, EarlyHints.head(fields), Source.ORIGIN);
    }

    /** Sends the remembered links of {@code page}, which is awaited from the origin. */
    boolean whilePageIsAwaited(Lookup page, boolean isSent) {
        return isSent || (remembers(page) && send(page, notes.of(page.key(), page)));
    }

    /** Sends the links of {@code document}, the head of a page whose fragments are awaited. */
    boolean whileFragmentsAreAwaited(Lookup page, ResponseHead document, boolean isSent) {
        return isSent || (remembers(page) && send(page, EarlyHints.links(document.fields())));
    }

    private static boolean remembers(Lookup page) {
        return page.target().hints() == HintMode.REMEMBER
                && page.request().isGet()
                && page.exchange().response().status() == 0
                && areUsed(page);
    }

    private static boolean areUsed(Lookup page) {
        var exchange = page.exchange();
        return EarlyHints.areUsed(exchange.receivedFields(), exchange.response().protocol());
    }

    private boolean send(Lookup page, List<String> links) {
        return !links.isEmpty() && send(page, EarlyHints.head(links), Source.REMEMBERED);
    }

    private boolean send(Lookup page, ResponseHead head, Source source) {
        page.exchange().response().interim(head);
        metrics.clients().hinted(source);
        return true;
    }
}
