package dev.quire.core.expression;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * What all documents of one page share while they are evaluated: the moment, chance, and how much
 * work and memory may still be spent. Confined to one thread.
 */
public final class Evaluation {

    /** Expressions evaluated, list items copied, sixteen chars read: each is a step. */
    static final int MAX_STEPS = 2_000_000;

    /** Of text and collections made, whether or not they are still held. */
    static final long MAX_BYTES = 16L << 20;

    /** Rounds of all loops; items of all ranges. */
    static final int MAX_ROUNDS = 10_000;

    /** What one item of a list or dictionary counts as, in bytes. */
    static final int ITEM_BYTES = 32;

    /** Told of in one page: a loop repeats its mistakes. */
    static final int MAX_PROBLEMS = 1_000;

    private static final int CHARS_A_STEP = 16;

    /** Told what could not be evaluated as written. */
    public interface Problems {
        /**
         * Something has no value.
         *
         * @param what is wrong, in one sentence without the page's own text
         */
        void found(String what);
    }

    private enum Bound {
        STEPS("the page exceeds its evaluation steps; all later values are empty"),
        BYTES("values exceed 16 MiB in total; the value over the limit is empty"),
        ROUNDS("loops exceed 10000 rounds in total; further rounds are skipped"),
        RANGES("ranges exceed 10000 items in total; the range over the limit is empty");

        private final String exceeded;

        Bound(String exceeded) {
            this.exceeded = exceeded;
        }
    }

    final Instant now;
    final RandomGenerator random;
    private final Problems problems;
    private final Set<Bound> exceeded = EnumSet.noneOf(Bound.class);

    /** What {@code $last_rand()} is. */
    Value lastRandom = Value.Null.NULL;

    private long steps = MAX_STEPS;
    private long bytes = MAX_BYTES;
    private int rounds = MAX_ROUNDS;
    private int told;
    private long rangeItems = MAX_ROUNDS;

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
        if (rounds == 0) {
            return refuse(Bound.ROUNDS);
        }
        rounds--;
        return true;
    }

    /**
     * Takes {@code count} steps off what is left; false, and told of once, if that is not enough.
     * Nothing is evaluated after that. Whoever walks the body of a function or loop asks for its
     * nodes.
     */
    public boolean maySpend(long count) {
        steps -= count;
        if (steps >= 0) {
            return true;
        }
        // Once it is not enough it never is again: what follows must not depend on its size.
        steps = Long.MIN_VALUE / 2;
        return refuse(Bound.STEPS);
    }

    /** Takes the reading of so many chars off what is left. */
    boolean mayRead(long chars) {
        return maySpend(chars / CHARS_A_STEP);
    }

    /** Takes {@code count} bytes off what is left; false if that is not enough. */
    boolean mayProduce(long count) {
        if (count > bytes) {
            return refuse(Bound.BYTES);
        }
        bytes -= count;
        return true;
    }

    /** Whether {@code count} bytes are left; takes none. */
    boolean couldProduce(long count) {
        return count <= bytes || refuse(Bound.BYTES);
    }

    /** Takes a list of {@code count} items off what is left. */
    boolean mayList(long count) {
        return count <= MAX_BYTES ? mayProduce(count * ITEM_BYTES) : refuse(Bound.BYTES);
    }

    /** Takes a range of {@code count} items off what is left. */
    boolean mayRange(long count) {
        if (count > rangeItems) {
            return refuse(Bound.RANGES);
        }
        rangeItems -= count;
        return mayList(count);
    }

    /** Tells of {@code what}, unless so much has been told that nobody learns from more. */
    void problem(String what) {
        if (told < MAX_PROBLEMS) {
            told++;
            problems.found(what);
        }
    }

    private boolean refuse(Bound bound) {
        if (exceeded.add(bound)) {
            problems.found(bound.exceeded);
        }
        return false;
    }
}
