package dev.quire.spring;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentRequest;
import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.policy.CacheKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * One request for a fragment, as its include and the redirects so far make it.
 *
 * @param key of what is asked for
 * @param parent of the document that includes it
 * @param depth levels below the page
 * @param terms of the include: method, body and changes to the client's fields
 * @param timeout how long an answer is waited for, where waiting can be ended
 */
record FragmentCall(
        CacheKey key, CacheKey parent, int depth, FragmentTerms terms, Duration timeout) {

    /** As {@code asked}. */
    static FragmentCall of(FragmentRequest asked, Duration timeout) {
        return new FragmentCall(asked.key(), asked.parent(), asked.depth(), asked.terms(), timeout);
    }

    /** The request that follows a redirect to {@code target}. */
    FragmentCall redirected(CacheKey target, FragmentTerms next, Duration left) {
        return new FragmentCall(target, parent, depth, next, left);
    }

    String method() {
        return terms.method();
    }

    /** One char for each byte; possibly empty. */
    String body() {
        return terms.body().orElse("");
    }

    /** Why there is no answer when the time is over. */
    Failure late() {
        return new Failure(Side.ORIGIN, Kind.TIMEOUT, key.target() + " timed out");
    }

    /** The bytes of the body. */
    byte[] bytes() {
        return body().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Without question mark; possibly empty. */
    String query() {
        int question = key.target().indexOf('?');
        return question < 0 ? "" : key.target().substring(question + 1);
    }
}
