package dev.quire.core.expression;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The state shared by all documents of one page during evaluation: the time, randomness, and the
 * remaining budget of work and memory. Confined to one thread.
 */
public final class Evaluation {

    /** One step is an expression evaluated, a list item copied, or sixteen chars read. */
    static final int MAX_STEPS = 2_000_000;

    /** The limit for text and collections produced, even if no longer referenced. */
    static final long MAX_BYTES = 16L << 20;

    /** The limit for rounds of all loops, and for items of all ranges. */
    static final int MAX_ROUNDS = 10_000;

    /** The bytes charged for one item of a list or dictionary. */
    static final int ITEM_BYTES = 32;

    /** The maximum number of problems reported for one page; a loop repeats its mistakes. */
    static final int MAX_PROBLEMS = 1_000;

    private static final int CHARS_A_STEP = 16;

    /** The bytes produced in the time of a step. */
    private static final int BYTES_A_STEP = 64;

    /** Receives problems found during evaluation. */
    public interface Problems {
        /**
         * Reports that something has no value.
         *
         * @param what the problem, in one sentence without text of the page
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

    /** The value of {@code $last_rand()}. */
    Value lastRandom = Value.Null.NULL;

    /** The steps left in this turn; negative if it took more. */
    private long turn = Long.MAX_VALUE;

    private long steps = MAX_STEPS;
    private long bytes = MAX_BYTES;
    private int rounds = MAX_ROUNDS;
    private int told;
    private long rangeItems = MAX_ROUNDS;

    /**
     * Creates the evaluation of one page for one request.
     *
     * @param now wall time, for {@code $time()}
     */
    public Evaluation(Instant now, RandomGenerator random, Problems problems) {
        this.now = now;
        this.random = random;
        this.problems = problems;
    }

    /**
     * Begins a turn: the work that is done at once, before other work of the thread. It ends
     * between two nodes of a document, so it has no influence on results.
     */
    public void beginTurn(int steps) {
        turn = steps;
    }

    /** Whether the turn is over: the caller should continue in the next. */
    public boolean isTurnOver() {
        return turn <= 0;
    }

    /** Takes one step off the turn, but not off the budget; false if the turn is over. */
    boolean mayContinueTurn() {
        return turn-- > 0;
    }

    /** Takes one loop round off the budget; false, and reported once, if it is exhausted. */
    public boolean mayIterate() {
        if (rounds == 0) {
            return refuse(Bound.ROUNDS);
        }
        rounds--;
        return true;
    }

    /**
     * Takes {@code count} steps off the budget. Returns false, reported once, if it is exhausted;
     * nothing is evaluated after that. Callers that walk the body of a function or loop charge it.
     */
    public boolean maySpend(long count) {
        turn -= count;
        steps -= count;
        if (steps >= 0) {
            return true;
        }
        // Once exceeded, the budget stays exceeded: later results must not depend on their size.
        steps = Long.MIN_VALUE / 2;
        return refuse(Bound.STEPS);
    }

    /** Takes the reading of {@code chars} chars off the budget. */
    boolean mayRead(long chars) {
        return maySpend(chars / CHARS_A_STEP);
    }

    /** Takes {@code count} bytes off the budget; false if that exceeds it. */
    boolean mayProduce(long count) {
        if (count > bytes) {
            return refuse(Bound.BYTES);
        }
        bytes -= count;
        turn -= count / BYTES_A_STEP;
        return true;
    }

    /** Whether {@code count} bytes are left; takes none. */
    boolean couldProduce(long count) {
        return count <= bytes || refuse(Bound.BYTES);
    }

    /** Takes a list of {@code count} items off the budget. */
    boolean mayList(long count) {
        return count <= MAX_BYTES ? mayProduce(count * ITEM_BYTES) : refuse(Bound.BYTES);
    }

    /** Takes a range of {@code count} items off the budget. */
    boolean mayRange(long count) {
        if (count > rangeItems) {
            return refuse(Bound.RANGES);
        }
        rangeItems -= count;
        return mayList(count);
    }

    /** Reports {@code what}, unless {@link #MAX_PROBLEMS} have been reported. */
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
