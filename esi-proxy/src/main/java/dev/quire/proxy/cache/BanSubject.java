package dev.quire.proxy.cache;

import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheKey;
import java.time.Instant;
import java.util.List;

/**
 * The values of a response that bans test.
 *
 * @param receivedAt when it arrived, or was last validated
 */
record BanSubject(CacheKey key, List<String> tags, ResponseHead head, Instant receivedAt) {

    static BanSubject of(StoredResponse response) {
        return new BanSubject(
                response.key(),
                response.tags(),
                response.head(),
                response.freshness().receivedAt());
    }
}
