package dev.quire.test.memory;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A page, or a fragment, and what came of asking for it.
 *
 * @param key null where an include's reference is none that may be followed
 * @param parent the document that includes it; null for the page
 * @param depth levels below the page, whose own is 0
 * @param status the application's; 0 if it gave none
 * @param error why there is none; null when there is one
 * @param from when it was asked for, since the page was
 * @param to when it was there, or had failed
 * @param fields as the application sent them
 * @param body as the application sent it, without content coding; null if it sent none
 * @param freshness how long it is kept; empty if it is not
 */
public record Asked(
        @Nullable CacheKey key,
        @Nullable CacheKey parent,
        int depth,
        Way way,
        int status,
        @Nullable String error,
        Duration from,
        Duration to,
        Fields fields,
        @Nullable Bytes body,
        Optional<Freshness> freshness) {

    /** The way it came into the page. */
    public enum Way {
        /** It was stored, and fresh. */
        HIT,
        /** It was stored, and stale, but allowed to stand in. */
        STALE,
        /** It was stored, and the application said that it still holds. */
        REVALIDATED,
        /** The application was asked, and the answer may be kept. */
        MISS,
        /** The application was asked, and the answer is this reader's alone. */
        PASS,
        /** There is none. */
        FAILED
    }
}
