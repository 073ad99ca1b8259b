package dev.quire.proxy.exchange;

import dev.quire.core.http.ClientNetwork;
import dev.quire.core.http.FieldNames;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.UpgradeRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request to an origin.
 *
 * @param head with all fields except {@code Content-Length}, {@code Transfer-Encoding} and {@code
 *     Connection}, which belong to the connection, and {@code Surrogate-Capability}
 * @param body null if absent
 * @param client on whose behalf it is sent
 * @param affinity hashes by which similar requests go to the same server
 * @param capabilities null if {@code Surrogate-Capability} is not sent
 * @param deadlines null for those of the origin
 * @param takesTrailers whether trailer fields of the response have a receiver
 * @param trailers the trailer fields of the client's request that are sent
 * @param upgrade the protocol to switch to; null for an ordinary request
 */
public record OriginRequest(
        RequestHead head,
        @Nullable RequestBody body,
        ClientNetwork client,
        Affinity affinity,
        @Nullable Capabilities capabilities,
        @Nullable Deadlines deadlines,
        boolean takesTrailers,
        FieldNames trailers,
        UpgradeRequest.@Nullable WebSocket upgrade) {

    /** A request without {@code Surrogate-Capability}. */
    public OriginRequest(
            RequestHead head, @Nullable RequestBody body, ClientNetwork client, Affinity affinity) {
        this(head, body, client, affinity, null, null, false, FieldNames.NONE, null);
    }

    /**
     * Timeouts of the route.
     *
     * @param firstByte from the last byte of the request to the first of the response
     * @param betweenBytes between two reads of the response, unless it is a stream of events
     * @param idle between two reads of a stream of events; zero for no limit
     */
    public record Deadlines(Duration firstByte, Duration betweenBytes, Duration idle) {}

    /**
     * Whether it may be sent again although a server may have received it (RFC 9110 §9.2.2). A body
     * cannot be sent twice, and a handshake opens one connection.
     */
    public boolean isRepeatable() {
        return body == null
                && upgrade == null
                && switch (head.method()) {
                    case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE" -> true;
                    default -> false;
                };
    }

    /**
     * Hashes that are equal for related requests, in every process.
     *
     * @param client hash of the client's address; the same for a page and its fragments
     * @param key hash of the cache key
     */
    public record Affinity(int client, int key) {}

    /**
     * The value of {@code Surrogate-Capability} (Edge Architecture 1.0 §2.1), except for the stamp:
     * each attempt gets its own.
     *
     * @param downstream members for surrogates between the client and us; may be empty
     * @param deviceToken our name
     */
    public record Capabilities(String downstream, String deviceToken) {

        /** Returns the value with a new stamp, and reports the stamp to {@code sink}. */
        public String stamped(ResponseSink sink) {
            var stamp = Stamps.draw();
            sink.asked(stamp);
            return with(stamp);
        }

        /** Returns the value with {@code stamp}; our member is the last. */
        public String with(Stamp stamp) {
            return (downstream.isEmpty() ? "" : downstream + ", ")
                    + deviceToken
                    + "=\"Surrogate/1.0 ESI/1.0 "
                    + Stamp.CAPABILITY
                    + stamp.text()
                    + '"';
        }
    }
}
