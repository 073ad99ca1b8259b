package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheGroups;
import dev.quire.core.policy.CacheKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values that are tested.
 *
 * @param response null for a note on a response, which every ban covers
 */
record InvalidationSubject(CacheKey key, List<String> tags, @Nullable BanSubject response) {

    static InvalidationSubject of(StoredResponse response) {
        return of(BanSubject.of(response));
    }

    static InvalidationSubject of(BanSubject response) {
        return new InvalidationSubject(response.key(), response.tags(), response);
    }

    /** Groups are tags too. */
    boolean isInGroup(String tag) {
        return response == null || CacheGroups.of(response.head().fields()).contains(tag);
    }
}
