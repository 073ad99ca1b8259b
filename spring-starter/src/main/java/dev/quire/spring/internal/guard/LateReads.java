package dev.quire.spring.internal.guard;

import dev.quire.spring.internal.exchange.Demotion;
import dev.quire.spring.internal.exchange.GuardHits;
import dev.quire.spring.internal.exchange.GuardedExchange;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.unit.DataSize;

/**
 * Reports data of one user that is read after a head was sent as public. Shared by all requests;
 * its only state is the set of logged readers.
 */
final class LateReads {

    private static final Logger log = LoggerFactory.getLogger(LateReads.class);

    private final DataSize hold;
    private final GuardHits hits;
    private final Consumer<URI> invalidation;
    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    /**
     * A reporter.
     *
     * @param hold maximum size of a public response that is held, whatever its type
     * @param invalidation drops the responses that surrogates have stored for a URL
     */
    LateReads(DataSize hold, GuardHits hits, Consumer<URI> invalidation) {
        this.hold = hold;
        this.hits = hits;
        this.invalidation = invalidation;
    }

    int mostHeldBytes() {
        return (int) hold.toBytes();
    }

    /** Counts and logs a read on the calling thread; the log names the reading class. */
    void happened(GuardedExchange exchange, Demotion reason) {
        var handler = exchange.handler();
        exchange.demoted(Demotion.READ_LATE);
        hits.add(handler, Demotion.READ_LATE);
        var reader = SpringReads.reader();
        if (logged.add(handler + ' ' + reader)) {
            log.error(
                    "{} is public and its head was sent, then {} ({}), so the response is broken off. Read this before the first flush and within quire.guard.hold ({}), or declare the handler private (logged once)",
                    handler,
                    reason.because(),
                    reader,
                    hold);
        }
    }

    /** Drops what surrogates have stored for the URL of {@code request}. */
    void invalidate(HttpServletRequest request) {
        var query = request.getQueryString();
        var url = request.getRequestURL().toString() + (query == null ? "" : "?" + query);
        try {
            invalidation.accept(new URI(url));
        } catch (URISyntaxException | IllegalArgumentException unusable) {
            log.warn("the URL of a response that was broken off cannot be invalidated", unusable);
        }
    }
}
