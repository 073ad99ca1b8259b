package dev.quire.proxy.path;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Admission;
import dev.quire.core.policy.RangeAnswer;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.DocumentKind;
import dev.quire.proxy.cache.FetchSubscription;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers a client's Range (RFC 9110 §14.2) from the response that arrives, or asks the origin
 * again. Confined to the loop of the exchange.
 */
final class ArrivingParts {
    private final Lookup lookup;
    private final AnswerSink sink;
    private final Consumer<FetchSubscription> subscribed;

    /** Whether the origin was asked again because of Range: once at most. */
    private boolean isAskedAgain;

    /**
     * @param sink receives the response
     * @param subscribed is given the fetch if the origin is asked again
     */
    ArrivingParts(Lookup lookup, AnswerSink sink, Consumer<FetchSubscription> subscribed) {
        this.lookup = lookup;
        this.sink = sink;
        this.subscribed = subscribed;
    }

    /**
     * Returns the answer to Range from the response with {@code head}. Returns null if the origin
     * was asked again instead: with Range for a part that is not at hand, or without it because the
     * whole has to be assembled, or the client may have the beginning in another coding.
     *
     * @param fetch that brings the response, of {@code kind}
     */
    @Nullable RangeAnswer of(
            ResponseHead head, DocumentKind kind, FetchSubscription fetch, AnswerSteps steps) {
        var exchange = lookup.exchange();
        var fetches = steps.path().fetches();
        if (fetch.isForPart()) {
            if (kind != DocumentKind.PART
                    && (isAskedAgain || !steps.codings().mayNotFit(exchange, head))) {
                return RangeAnswer.WHOLE;
            }
            fetch.leave();
            if (isAskedAgain) {
                sink.failed(
                        new Failure(
                                Side.ORIGIN,
                                Kind.MALFORMED,
                                lookup.key().url()
                                        + " returned a part of an ESI document, and a whole"
                                        + " response that is not a document"));
                return null;
            }
            isAskedAgain = true;
            subscribed.accept(fetches.forward(lookup, sink));
            return null;
        }
        if (isAskedAgain || kind.isDocument()) {
            return RangeAnswer.WHOLE;
        }
        if (steps.codings()
                .isCompressedInPassing(exchange, head, Admission.announcedBytes(head.fields()))) {
            return RangeAnswer.WHOLE;
        }
        var usable = RangeAnswer.Validators.of(steps.codings().mayDiffer(exchange, head, false));
        var answer =
                RangeAnswer.ofArriving(exchange.request(), head, usable, fetch.isFeedingStore());
        if (answer == null && fetch.isRepeated()) {
            return RangeAnswer.WHOLE;
        }
        if (answer == null) {
            isAskedAgain = true;
            fetch.leaveForPart();
            subscribed.accept(fetches.part(lookup, sink));
        }
        return answer;
    }
}
