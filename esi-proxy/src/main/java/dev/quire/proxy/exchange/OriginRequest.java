package dev.quire.proxy.exchange;

import dev.quire.core.http.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * A request as it is to be sent to the origin.
 *
 * @param head with every field it is to carry but {@code Content-Length}, {@code Transfer-Encoding}
 *     and {@code Connection}, which belong to the connection
 * @param body null when there is none
 * @param affinity what it has in common with others that the same server should get
 */
public record OriginRequest(RequestHead head, @Nullable RequestBody body, Affinity affinity) {

    /**
     * Hashes that are the same for requests that belong together, in every process.
     *
     * @param client of the client's address; that of the page for all its fragments
     * @param key of the cache key
     */
    public record Affinity(int client, int key) {}
}
