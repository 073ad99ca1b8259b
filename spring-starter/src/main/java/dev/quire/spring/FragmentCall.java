package dev.quire.spring;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentRequest;
import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.policy.CacheKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * One request for a fragment, as its include and the redirects so far make it.
 *
 * @param key of what is asked for
 * @param parent of the document that includes it
 * @param depth levels below the page
 * @param body one char for each byte; possibly empty
 * @param fields changes to the client's fields, in order
 * @param timeout how long an answer is waited for, where waiting can be ended
 */
record FragmentCall(
        CacheKey key,
        CacheKey parent,
        int depth,
        String method,
        String body,
        List<FragmentTerms.FieldEdit> fields,
        Duration timeout) {

    /** As {@code asked}. */
    static FragmentCall of(FragmentRequest asked, Duration timeout) {
        var terms = asked.terms();
        return new FragmentCall(
                asked.key(),
                asked.parent(),
                asked.depth(),
                terms.method(),
                terms.body().orElse(""),
                terms.fields(),
                timeout);
    }

    /**
     * The same for {@code target}, to which {@code status} has led: 307 and 308 keep method and
     * body, any other makes a GET of it (RFC 9110 §15.4).
     */
    FragmentCall redirected(CacheKey target, int status, Duration left) {
        boolean same = status == 307 || status == 308;
        return new FragmentCall(
                target, parent, depth, same ? method : "GET", same ? body : "", fields, left);
    }

    /** Why there is no answer when the time is over. */
    Failure late() {
        return new Failure(Side.ORIGIN, Kind.TIMEOUT, key.target() + " takes too long");
    }

    /** The bytes of the body. */
    byte[] bytes() {
        return body.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Without question mark; possibly empty. */
    String query() {
        int question = key.target().indexOf('?');
        return question < 0 ? "" : key.target().substring(question + 1);
    }
}
