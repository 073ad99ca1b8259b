package dev.quire.test.internal;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.Freshness;
import dev.quire.test.wire.Content;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A page, or a fragment of it.
 *
 * @param target path and query, or the absolute URL on another authority
 * @param parent the document that includes it; null for the page
 * @param depth levels below the page, whose own is 0
 * @param outcome the cache outcome
 * @param status the application's; 0 without a response
 * @param error why it failed; null if it is part of the page
 * @param from when it was requested, since the request of the page
 * @param to when it was complete, or had failed
 * @param fields as the application sent them, if it did
 * @param body as the application sent it; null if unknown
 * @param freshness of the stored response; empty if it is not stored
 */
public record Part(
        String target,
        @Nullable String parent,
        int depth,
        CacheOutcome outcome,
        int status,
        @Nullable String error,
        Duration from,
        Duration to,
        Fields fields,
        @Nullable Content body,
        Optional<Freshness> freshness) {

    public String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }
}
