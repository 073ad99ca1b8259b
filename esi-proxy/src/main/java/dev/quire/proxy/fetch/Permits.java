package dev.quire.proxy.fetch;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The right to have a connection open, so many for all loops together, and the line of requests
 * that wait for one. Any thread; all state is guarded by the object's own lock, and nobody is
 * called while it is held.
 */
final class Permits {
    // A connection that becomes free serves a waiter of its own loop rather than the oldest of all:
    // passing its permit to another loop means closing it and opening one there. So that a loop
    // without connections is not starved by a busy one, older waiters are passed over only so
    // often.
    private static final int MAX_PASSED_OVER = 16;

    /** A request in the line. */
    interface Waiter {
        /** Where it lives. */
        EventLoop loop();

        /** Runs on its loop: it now owns a permit of {@code from} and uses it or gives it back. */
        void permitted(Permits from);

        /** Runs on its loop: here is a connection, ready to use. */
        void offered(OriginConnection connection);
    }

    /** What to do with a connection that has become free. */
    sealed interface Use {
        /** Nobody waits. */
        record Keep() implements Use {}

        /** It is for {@code waiter}, which lives on the same loop and has left the line. */
        record Serve(Waiter waiter) implements Use {}

        /** Its permit is needed on another loop. */
        record Yield() implements Use {}
    }

    private static final Use KEEP = new Use.Keep();
    private static final Use YIELD = new Use.Yield();

    private final int max;
    private final int maxQueue;
    private final List<IdleConnections> pools = new CopyOnWriteArrayList<>();
    private final ArrayDeque<Waiter> line = new ArrayDeque<>();
    private int taken;
    private int passedOver;
    // Written under the lock, read without it by every connection that becomes free.
    private volatile int waiting;

    /**
     * @param max permits there are
     * @param maxQueue requests that may stand in line
     */
    Permits(int max, int maxQueue) {
        this.max = max;
        this.maxQueue = maxQueue;
    }

    /** From now on idle connections of {@code pool} may be closed for the sake of other loops. */
    void add(IdleConnections pool) {
        pools.add(pool);
    }

    /** Takes a permit if one is free. */
    synchronized boolean tryTake() {
        if (taken >= max) {
            return false;
        }
        taken++;
        return true;
    }

    /**
     * Puts {@code waiter} into the line and has an idle connection closed, if there is one
     * anywhere; who waits for that takes no place of the queue. False if the queue is full.
     */
    boolean enqueue(Waiter waiter) {
        IdleConnections closing;
        synchronized (this) {
            // The line is announced before the pools are looked at, and a connection is counted
            // idle
            // before it looks for a line: one of the two sees the other.
            waiting = line.size() + 1;
            closing = claimIdle();
            if (closing == null && line.size() >= maxQueue && taken >= max) {
                waiting = line.size();
                return false;
            }
            line.add(waiter);
        }
        if (closing != null) {
            closing.closeClaimed();
        }
        giveFreed();
        return true;
    }

    private @Nullable IdleConnections claimIdle() {
        for (var pool : pools) {
            if (pool.claim()) {
                return pool;
            }
        }
        return null;
    }

    /** Takes {@code waiter} out of the line; without effect if its turn has come. */
    synchronized void withdraw(Waiter waiter) {
        line.remove(waiter);
        waiting = line.size();
    }

    /** Gives a permit back: to the oldest waiter, on its own loop, if there is one. */
    void release() {
        synchronized (this) {
            taken--;
        }
        giveFreed();
    }

    private void giveFreed() {
        while (true) {
            Waiter next;
            synchronized (this) {
                if (taken >= max || line.isEmpty()) {
                    return;
                }
                next = line.remove();
                waiting = line.size();
                taken++;
            }
            try {
                next.loop().execute(() -> next.permitted(this));
                return;
            } catch (RejectedExecutionException e) {
                // Its loop has ended: the permit is for somebody else.
                synchronized (this) {
                    taken--;
                }
            }
        }
    }

    /** Whether anybody waits. */
    boolean anyWaiting() {
        return waiting > 0;
    }

    /** What to do with a connection of {@code loop} that has become free; called on that loop. */
    synchronized Use useOf(EventLoop loop) {
        var oldest = line.peek();
        if (oldest == null) {
            return KEEP;
        }
        var mine = oldest;
        if (oldest.loop().equals(loop)) {
            passedOver = 0;
        } else {
            mine = oldestOf(loop);
            if (mine == null || passedOver == MAX_PASSED_OVER) {
                passedOver = 0;
                return YIELD;
            }
            passedOver++;
        }
        line.remove(mine);
        waiting = line.size();
        return new Use.Serve(mine);
    }

    private @Nullable Waiter oldestOf(EventLoop loop) {
        for (var waiter : line) {
            if (waiter.loop().equals(loop)) {
                return waiter;
            }
        }
        return null;
    }

    /** Permits in use: connections open or being opened. */
    synchronized int taken() {
        return taken;
    }

    /** Requests in line. */
    int waiting() {
        return waiting;
    }

    /** Idle connections of all loops. */
    int idle() {
        return pools.stream().mapToInt(IdleConnections::count).sum();
    }
}
