package dev.quire.proxy.log;

import dev.quire.proxy.exchange.ExchangeTrace.FragmentTrace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A completed client request.
 *
 * @param time start, by the wall clock
 * @param client its address
 * @param method as received
 * @param url absolute
 * @param status of the response; 0 if the client disconnected before the response
 * @param bytes of the response body written
 * @param total from the first byte of the request to the last of the response
 * @param outcome hit, stale, miss, pass or error
 * @param reason further detail of the outcome, or null
 * @param fragments of all levels, in document order
 */
public record AccessEntry(
        Instant time,
        String client,
        String method,
        String url,
        int status,
        long bytes,
        Duration total,
        String outcome,
        @Nullable String reason,
        List<FragmentTrace> fragments) {

    public AccessEntry {
        fragments = List.copyOf(fragments);
    }
}
