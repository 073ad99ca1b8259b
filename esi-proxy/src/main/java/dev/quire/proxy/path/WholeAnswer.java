package dev.quire.proxy.path;

import dev.quire.core.policy.Conditions;
import dev.quire.core.policy.RangeAnswer;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.gzip.GzipPiece;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Sends a stored response that is not assembled. */
record WholeAnswer(Exchange exchange, AnswerSteps steps) {

    /**
     * Sends {@code response}; takes over one reference, also if it fails. Preconditions are
     * evaluated before Range (RFC 9110 §13.2.2).
     *
     * @param compressed its body; null to send it as it is
     */
    void send(StoredResponse response, @Nullable GzipPiece compressed, Instant now) {
        try {
            boolean isNotModified = Conditions.isNotModified(exchange.request(), response.head());
            if (compressed == null) {
                if (isNotModified) {
                    Answers.notModified(exchange, response, now);
                } else {
                    asItIs(response, now);
                }
            } else if (isNotModified) {
                Answers.notModifiedCompressed(exchange, response, now);
            } else {
                Answers.compressed(exchange, response, compressed, now);
            }
            steps.codings().headSent(response);
        } finally {
            response.release();
        }
    }

    private void asItIs(StoredResponse response, Instant now) {
        switch (RangeAnswer.of(
                exchange.request(),
                response.head(),
                response.rangeValidators(),
                response.length())) {
            case RangeAnswer.Whole all -> Answers.stored(exchange, response, now);
            case RangeAnswer.Parts(var ranges) -> Answers.parts(exchange, response, ranges, now);
            case RangeAnswer.Unsatisfiable none ->
                    Answers.unsatisfiable(exchange, response.length(), steps.time().wall());
        }
    }
}
