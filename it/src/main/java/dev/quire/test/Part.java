package dev.quire.test;

import dev.quire.core.assemble.Assembly.Way;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.Freshness;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A page, or a fragment asked for on its behalf.
 *
 * @param target path and query, or the whole URL of what another authority has
 * @param parent of the document that includes it; null for the page
 * @param depth levels below the page, whose own is 0
 * @param outcome the way it came into the page
 * @param status the application's; 0 if it gave none
 * @param error why there is none; null when it became part of the page
 * @param from when it was asked for, since the page was
 * @param to when it was whole, or had failed
 * @param fields as the application sent them, when it did
 * @param body as the application sent it; null where that is not known
 * @param freshness how long it is kept; empty if it is not
 */
public record Part(
        String target,
        @Nullable String parent,
        int depth,
        Way outcome,
        int status,
        @Nullable String error,
        Duration from,
        Duration to,
        Fields fields,
        @Nullable Content body,
        Optional<Freshness> freshness) {

    /** The target without its query. */
    public String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }
}
