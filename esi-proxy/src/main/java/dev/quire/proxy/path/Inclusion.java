package dev.quire.proxy.path;

import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.parse.Subrequest.Dca;
import dev.quire.core.policy.AuthorLifetime;
import dev.quire.core.policy.CacheKey;
import java.time.Duration;

/**
 * What makes a request one for a fragment.
 *
 * @param terms what the include says besides the address
 * @param parent the document that includes it
 * @param depth levels below the page; the page's own fragments are at 1
 */
record Inclusion(FragmentTerms terms, CacheKey parent, int depth) {

    /** Whether the answer may come from the store, and go there. */
    boolean mayBeStored() {
        return terms.mayBeStored()
                && terms.method().equals("GET")
                && terms.body().isEmpty()
                && !terms.ttl().filter(Duration::isZero).isPresent();
    }

    /** Whether an ESI document is wanted as it came. */
    boolean wantsSource() {
        return terms.dca() == Dca.NONE;
    }

    /** What the page says of the lifetime. */
    AuthorLifetime lifetime() {
        return terms.ttl().isEmpty() && terms.staleFor().isEmpty()
                ? AuthorLifetime.UNSAID
                : new AuthorLifetime(terms.ttl(), terms.staleFor());
    }
}
