package dev.quire.test.memory;

import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.parse.Subrequest.Dca;
import dev.quire.core.policy.AuthorLifetime;
import dev.quire.core.policy.CacheKey;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What makes a request one for a fragment.
 *
 * @param terms what the include says besides the address
 * @param parent the document that includes it
 * @param depth levels below the page
 */
record Inclusion(FragmentTerms terms, CacheKey parent, int depth) {

    /** Whether the answer may come from the store, and go there. */
    boolean mayBeStored() {
        return terms.mayBeStored()
                && terms.method().equals("GET")
                && terms.body().isEmpty()
                && terms.ttl().filter(Duration::isZero).isEmpty();
    }

    /** Whether an ESI document is wanted as it came. */
    boolean wantsSource() {
        return terms.dca() == Dca.NONE;
    }

    /** What the page says of the lifetime. */
    AuthorLifetime lifetime() {
        return new AuthorLifetime(terms.ttl(), terms.staleFor());
    }

    /**
     * What is asked for behind a redirect (RFC 9110 §15.4). What was written for one host is told
     * to no other.
     *
     * @param isRepeated whether the same request is made once more; else it is a plain GET
     */
    Inclusion redirected(boolean isRepeated, boolean staysThere) {
        var fields = staysThere ? terms.fields() : List.<FragmentTerms.FieldEdit>of();
        if (isRepeated) {
            return with(terms.mayBeStored(), terms.method(), terms.body(), fields);
        }
        return with(
                // What a redirected POST brings is the answer to what was posted.
                terms.mayBeStored() && terms.method().equals("GET") && terms.body().isEmpty(),
                "GET",
                Optional.empty(),
                fields.stream().filter(edit -> !isOfTheBody(edit.name())).toList());
    }

    private Inclusion with(
            boolean mayBeStored,
            String method,
            Optional<String> body,
            List<FragmentTerms.FieldEdit> fields) {
        return new Inclusion(
                new FragmentTerms(
                        terms.ttl(),
                        terms.staleFor(),
                        mayBeStored,
                        terms.timeout(),
                        terms.followsRedirects(),
                        method,
                        body,
                        fields,
                        terms.dca()),
                parent,
                depth);
    }

    /** The same without the edits that no include may make. */
    Inclusion allowed() {
        var fields = terms.fields().stream().filter(FieldNames::mayBeMade).toList();
        return fields.size() == terms.fields().size()
                ? this
                : with(terms.mayBeStored(), terms.method(), terms.body(), fields);
    }

    static boolean isOfTheBody(String name) {
        return name.toLowerCase(Locale.ROOT).startsWith("content-");
    }
}
