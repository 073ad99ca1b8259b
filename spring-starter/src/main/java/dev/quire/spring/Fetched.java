package dev.quire.spring;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import org.jspecify.annotations.Nullable;

/** What came of one request for a fragment. */
sealed interface Fetched {

    /**
     * A response, whatever its status.
     *
     * @param key of what has answered: its own references start there
     * @param fields as far as somebody wants to see them
     * @param location where it leads to, or null
     * @param isEncoded whether it says that its body is not as it is
     * @param asksForEsi whether it says itself that it is a document with tags
     * @param isOverflown whether the body went past what the page may still hold
     * @param body its status and bytes, not yet read
     */
    record Arrived(
            CacheKey key,
            Fields fields,
            @Nullable String location,
            @Nullable String contentType,
            boolean isEncoded,
            boolean asksForEsi,
            boolean isOverflown,
            FragmentBody body)
            implements Fetched {

        int status() {
            return body.status();
        }
    }

    /** None. */
    record Failed(Failure failure) implements Fetched {}
}
