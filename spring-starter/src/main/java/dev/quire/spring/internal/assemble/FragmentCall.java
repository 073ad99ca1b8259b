package dev.quire.spring.internal.assemble;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentRequest;
import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.policy.CacheKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * One request for a fragment, after the redirects so far.
 *
 * @param key the key of the fragment
 * @param parent the key of the including document
 * @param depth levels below the page
 * @param terms the include's method, body and changes to the client's fields
 * @param timeout longest wait for a response, where the wait can be interrupted
 */
record FragmentCall(
        CacheKey key, CacheKey parent, int depth, FragmentTerms terms, Duration timeout) {

    static FragmentCall of(FragmentRequest asked, Duration timeout) {
        return new FragmentCall(asked.key(), asked.parent(), asked.depth(), asked.terms(), timeout);
    }

    FragmentCall redirected(CacheKey target, FragmentTerms next, Duration left) {
        return new FragmentCall(target, parent, depth, next, left);
    }

    String method() {
        return terms.method();
    }

    /** Returns the body, one char per byte; possibly empty. */
    String body() {
        return terms.body().orElse("");
    }

    Failure late() {
        return new Failure(Side.ORIGIN, Kind.TIMEOUT, key.target() + " timed out");
    }

    byte[] bytes() {
        return body().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Returns the query without question mark; possibly empty. */
    String query() {
        int question = key.target().indexOf('?');
        return question < 0 ? "" : key.target().substring(question + 1);
    }
}
