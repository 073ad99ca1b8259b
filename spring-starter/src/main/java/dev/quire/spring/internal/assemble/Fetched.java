package dev.quire.spring.internal.assemble;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import dev.quire.spring.internal.fields.Documents;
import org.jspecify.annotations.Nullable;

/** The result of one request for a fragment. */
sealed interface Fetched {

    /**
     * A response with any status.
     *
     * @param key the key of the response, base of its relative references
     * @param fields its fields; may be empty if the page is not observed
     * @param location the redirect target, or null
     * @param isEncoded whether it has a {@code Content-Encoding}
     * @param processing whether it requests ESI processing
     * @param isOverflown whether the body exceeded the page's allowance
     * @param body its status and bytes, not parsed
     */
    record Arrived(
            CacheKey key,
            Fields fields,
            @Nullable String location,
            @Nullable String contentType,
            boolean isEncoded,
            Documents.Processing processing,
            boolean isOverflown,
            FragmentBody body)
            implements Fetched {

        int status() {
            return body.status();
        }
    }

    /** A failure without a response. */
    record Failed(Failure failure) implements Fetched {}
}
