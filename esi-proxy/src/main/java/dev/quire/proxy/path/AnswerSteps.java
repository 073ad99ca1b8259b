package dev.quire.proxy.path;

import dev.quire.proxy.exchange.Time;
import org.jspecify.annotations.Nullable;

/**
 * The steps that find and deliver the responses to client requests, of one generation.
 *
 * @param assembling null once a response flows that is not assembled: they hold all routes
 * @param replacing null once a response flows, for the same reason
 */
public record AnswerSteps(
        RequestPath path,
        @Nullable Pages assembling,
        Codings codings,
        FragmentTransforms reshaping,
        UnsafeMethodInvalidation invalidation,
        @Nullable OwnErrorPages replacing,
        HintSender hints,
        Time time) {

    Pages pages() {
        if (assembling == null) {
            throw new IllegalStateException("the response already flows");
        }
        return assembling;
    }

    OwnErrorPages errors() {
        if (replacing == null) {
            throw new IllegalStateException("the response already flows");
        }
        return replacing;
    }

    /** Returns the steps for the rest of a stream. */
    AnswerSteps forStream() {
        return new AnswerSteps(path, null, codings, reshaping, invalidation, null, hints, time);
    }
}
