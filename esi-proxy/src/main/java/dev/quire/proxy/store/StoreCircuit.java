package dev.quire.proxy.store;

import java.util.Arrays;

/**
 * The circuit breaker of the store, for all its connections. It opens if at least half of the calls
 * of the last ten seconds, and at least ten, have failed, or ten in a row within a tenth of a
 * second or longer. Then one call a second tries whether the store works. Thread-safe: all state is
 * guarded by the object's own lock. Times are in nanoseconds.
 */
public final class StoreCircuit {
    private static final int SECONDS = 10;
    private static final int LEAST_CALLS = 20;
    private static final int IN_A_ROW = 10;

    /** Calls that wait at the same time fail together: that alone does not open it. */
    private static final long LEAST_NANOS_IN_A_ROW = 100_000_000L;

    private static final long NANOS_A_SECOND = 1_000_000_000L;

    /** Whether calls pass. */
    public enum State {
        CLOSED(0),
        /** A call tries whether the store works. */
        HALF_OPEN(1),
        OPEN(2);

        private final int number;

        State(int number) {
            this.number = number;
        }

        /** In metrics. */
        public int number() {
            return number;
        }
    }

    private final int[] calls = new int[SECONDS];
    private final int[] failed = new int[SECONDS];
    private final long start;
    private long second;

    /** The failures since the last success, and when the first one was. */
    private int inARow;

    private long inARowSince;
    private volatile State state = State.CLOSED;

    /**
     * @param now the earliest time
     */
    public StoreCircuit(long now) {
        this.start = now;
    }

    /** Whether calls pass now. */
    public State state() {
        return state;
    }

    /** Notes the outcome of a call. Returns whether it has opened the circuit. */
    public synchronized boolean ended(boolean hasFailed, long now) {
        if (state != State.CLOSED) {
            return false;
        }
        int slot = slot(now);
        calls[slot]++;
        if (!hasFailed) {
            inARow = 0;
            return false;
        }
        failed[slot]++;
        inARowSince = inARow == 0 ? now : inARowSince;
        inARow++;
        int all = Arrays.stream(calls).sum();
        boolean isOften = all >= LEAST_CALLS && Arrays.stream(failed).sum() * 2 >= all;
        boolean isSteady = inARow >= IN_A_ROW && now - inARowSince >= LEAST_NANOS_IN_A_ROW;
        if (!isOften && !isSteady) {
            return false;
        }
        state = State.OPEN;
        return true;
    }

    /** Admits a trial call, whose outcome is given to {@link #tried}; false if none is due. */
    public synchronized boolean tryOne() {
        if (state != State.OPEN) {
            return false;
        }
        state = State.HALF_OPEN;
        return true;
    }

    /** Reports the outcome of the trial call. */
    public synchronized void tried(boolean hasFailed) {
        if (state != State.HALF_OPEN) {
            throw new IllegalStateException("expected a trial call, but the circuit is " + state);
        }
        if (hasFailed) {
            state = State.OPEN;
        } else {
            Arrays.fill(calls, 0);
            Arrays.fill(failed, 0);
            inARow = 0;
            state = State.CLOSED;
        }
    }

    /** Returns the slot of the current second, and clears expired ones. */
    private int slot(long now) {
        // Loops read the clock before they take the lock.
        long next = Math.max(second, (now - start) / NANOS_A_SECOND);
        for (long each = Math.max(second + 1, next - SECONDS + 1); each <= next; each++) {
            calls[(int) (each % SECONDS)] = 0;
            failed[(int) (each % SECONDS)] = 0;
        }
        second = next;
        return (int) (next % SECONDS);
    }
}
