package dev.quire.proxy.exchange;

import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Stamp;
import org.jspecify.annotations.Nullable;

/**
 * A request as it is to be sent to the origin.
 *
 * @param head with every field it is to carry but {@code Content-Length}, {@code Transfer-Encoding}
 *     and {@code Connection}, which belong to the connection, and {@code Surrogate-Capability}
 * @param body null when there is none
 * @param affinity what it has in common with others that the same server should get
 * @param capabilities null where the origin is not told what we can do
 */
public record OriginRequest(
        RequestHead head,
        @Nullable RequestBody body,
        Affinity affinity,
        @Nullable Capabilities capabilities) {

    /** A request that does not tell what we can do. */
    public OriginRequest(RequestHead head, @Nullable RequestBody body, Affinity affinity) {
        this(head, body, affinity, null);
    }

    /**
     * Hashes that are the same for requests that belong together, in every process.
     *
     * @param client of the client's address; that of the page for all its fragments
     * @param key of the cache key
     */
    public record Affinity(int client, int key) {}

    /**
     * What {@code Surrogate-Capability} says (Edge Architecture 1.0 §2.1), but for the stamp: every
     * attempt bears its own.
     *
     * @param downstream members for surrogates between the client and us; possibly empty
     * @param deviceToken our name
     */
    public record Capabilities(String downstream, String deviceToken) {

        /** The value of the field in a new attempt, of whose stamp {@code sink} is told. */
        public String stamped(ResponseSink sink) {
            var stamp = Stamps.draw();
            sink.asked(stamp);
            return with(stamp);
        }

        /** The value of the field in an attempt that bears {@code stamp}: we come last. */
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
