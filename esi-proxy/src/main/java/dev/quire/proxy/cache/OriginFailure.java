package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheKey;

/** The failures that a fetch finds in the response of its origin. */
final class OriginFailure {

    private OriginFailure() {}

    /** A stored response is to be served in place of {@code head}, an error. */
    static Failure status(CacheKey key, ResponseHead head) {
        return new Failure(
                Side.ORIGIN,
                Kind.STATUS,
                head.status(),
                key.url() + " responded with status " + head.status());
    }

    static Failure unaskedNotModified(CacheKey key) {
        return new Failure(
                Side.ORIGIN,
                Kind.MALFORMED,
                key.url() + " returned 304 to an unconditional request");
    }

    /** The origin was not asked. */
    static Failure elsewhere(CacheKey key) {
        return new Failure(
                Side.ORIGIN,
                Kind.UNREACHABLE,
                "the request of another proxy for " + key.url() + " has just failed");
    }
}
