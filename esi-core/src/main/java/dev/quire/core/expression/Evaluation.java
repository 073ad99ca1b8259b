package dev.quire.core.expression;

import java.time.Instant;
import java.util.random.RandomGenerator;

/**
 * What all documents of one page share while they are evaluated: the moment, chance, and how much
 * work and memory may still be spent. Confined to one thread.
 */
public final class Evaluation {

    /** Told what could not be evaluated as written. */
    public interface Problems {
        /**
         * Something has no value.
         *
         * @param what is wrong, in one sentence without the page's own text
         */
        void found(String what);
    }

    final Instant now;
    final RandomGenerator random;
    final Problems problems;

    /**
     * The evaluation of one page for one request.
     *
     * @param now wall time, for {@code $time()}
     */
    public Evaluation(Instant now, RandomGenerator random, Problems problems) {
        this.now = now;
        this.random = random;
        this.problems = problems;
    }

    /** One more round of a loop; false, and told of once, when there have been enough. */
    public boolean mayIterate() {
        throw new UnsupportedOperationException();
    }
}
