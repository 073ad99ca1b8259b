package dev.quire.proxy.log;

import dev.quire.proxy.exchange.ExchangeTrace.FragmentTrace;
import dev.quire.proxy.exchange.RequestId;
import dev.quire.proxy.exchange.TierSearch;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A completed client request, or connections that were closed on accept. Holds what the exchange
 * has anyway: text is made by the thread that writes.
 *
 * @param time when it ended, by the wall clock
 * @param id null without a request
 * @param client the reader's address, also behind trusted peers
 * @param connections how many were closed; 0 for a request
 */
public record AccessEntry(
        Instant time,
        @Nullable RequestId id,
        InetAddress client,
        Request request,
        Response response,
        Handling handling,
        long connections) {

    /**
     * The request, as far as it is known.
     *
     * @param scheme null if it was refused
     * @param host with the port, if it is not the scheme's default
     * @param target path and query
     * @param protocol such as {@code HTTP/1.1}
     */
    public record Request(
            @Nullable String method,
            @Nullable String scheme,
            @Nullable String host,
            @Nullable String target,
            @Nullable String protocol,
            @Nullable String agent,
            @Nullable String referrer) {

        /** Nothing is known. */
        public static final Request NONE = new Request(null, null, null, null, null, null, null);
    }

    /**
     * The response.
     *
     * @param status 0 if the client disconnected before the response
     * @param bytes of the body written, or sent to the client through its tunnel
     * @param tunnelBytes received from the client through its tunnel
     * @param totalNanos from the first byte of the request to the last of the response
     * @param firstNanos until the head of the response was written; -1 if it was not
     */
    public record Response(
            int status, long bytes, long tunnelBytes, long totalNanos, long firstNanos) {}

    /**
     * How it was handled.
     *
     * @param outcome such as hit, miss, pass, error or refused
     * @param reason further detail of the outcome
     * @param notStored why the response is not stored
     * @param server the server of the origin that was asked
     * @param originNanos until the head of the origin's response; -1 if it was not asked
     * @param search of the tier below the memory; null if it was not needed
     * @param fragments of all levels, in document order
     */
    public record Handling(
            String outcome,
            @Nullable String reason,
            @Nullable String notStored,
            @Nullable String server,
            long originNanos,
            @Nullable TierSearch search,
            List<FragmentTrace> fragments) {

        public Handling {
            fragments = List.copyOf(fragments);
        }

        /** Refused before it was routed, for {@code reason}. */
        public static Handling refused(String reason) {
            return new Handling("refused", reason, null, null, -1, null, List.of());
        }
    }
}
