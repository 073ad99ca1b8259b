package dev.quire.proxy.path;

import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.http.Fields;
import dev.quire.core.parse.Subrequest.Dca;
import dev.quire.core.policy.AuthorLifetime;
import dev.quire.core.policy.CacheKey;
import java.time.Duration;

/**
 * The properties of a request for a fragment.
 *
 * @param terms the attributes of the include except the URL
 * @param parent the document that includes it
 * @param depth levels below the page; the page's own fragments are at 1
 */
record Inclusion(FragmentTerms terms, CacheKey parent, int depth) {

    /** Whether the response may be served from the store and stored. */
    boolean mayBeStored() {
        return terms.mayBeStored()
                && terms.method().equals("GET")
                && terms.body().isEmpty()
                && !terms.ttl().filter(Duration::isZero).isPresent();
    }

    /** Whether an ESI document is wanted unprocessed. */
    boolean wantsSource() {
        return terms.dca() == Dca.NONE;
    }

    /**
     * Returns the fields of its request: {@code ofClient}, the place in the page, and the changes
     * of the include.
     *
     * @param fragment the key of the fragment
     */
    Fields sentWith(Fields ofClient, CacheKey fragment) {
        var fields = new Fields.Builder().addAll(ofClient);
        if (terms.body().isPresent()) {
            fields.add("Content-Type", "application/x-www-form-urlencoded");
        }
        fields.add("X-ESI-Level", Integer.toString(depth));
        var url = parent.asParentOf(fragment);
        if (url != null) {
            fields.add("X-ESI-Parent", url);
        }
        return terms.edited(fields.build());
    }

    AuthorLifetime lifetime() {
        return terms.ttl().isEmpty() && terms.staleFor().isEmpty()
                ? AuthorLifetime.UNSAID
                : new AuthorLifetime(terms.ttl(), terms.staleFor(), terms.isStamped());
    }
}
