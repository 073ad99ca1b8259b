package dev.quire.proxy.log;

import dev.quire.proxy.exchange.ExchangeTrace.FragmentTrace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request of a client, over.
 *
 * @param time when it began, by the wall clock
 * @param client its address
 * @param method as received
 * @param url absolute
 * @param status of the answer; 0 if the client left before it had one
 * @param bytes of the answer's body that were written
 * @param total from its first byte to the last of its answer
 * @param outcome hit, stale, miss, pass or error
 * @param reason why that outcome, if there is more to say
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
