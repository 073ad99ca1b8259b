package dev.quire.proxy.fetch;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The permits for connections to one server over all loops, and the queue of requests that wait for
 * one. Thread-safe: guarded by the object's own lock, which is not held during callbacks.
 */
final class Permits {
    // A connection that becomes free serves a waiter of its own loop rather than the oldest waiter:
    // moving its permit to another loop means closing it and opening a new one there. Older waiters
    // are passed over a limited number of times, so that no loop starves.
    private static final int MAX_PASSED_OVER = 16;

    /** A queued request. */
    interface Waiter {
        /** The loop of the request. */
        EventLoop loop();

        /**
         * Runs on its loop with a permit of {@code from}, which the waiter owns, to use or release.
         */
        void permitted(Permits from);

        /** Runs on its loop with a usable connection that has just become free. */
        void offered(OriginConnection connection);
    }

    /** The use of a connection that has become free. */
    sealed interface Use {
        /** Keep it: no request is queued. */
        record Keep() implements Use {}

        /** Give it to {@code waiter}, a request of the same loop that has left the queue. */
        record Serve(Waiter waiter) implements Use {}

        /** Close it: its permit is needed on another loop. */
        record Yield() implements Use {}
    }

    private static final Use KEEP = new Use.Keep();
    private static final Use YIELD = new Use.Yield();

    private final int max;
    private final int maxQueue;
    private final StalledReaders stalled;
    private final List<IdleConnections> pools = new CopyOnWriteArrayList<>();
    private final ArrayDeque<Waiter> line = new ArrayDeque<>();
    private int taken;
    private int passedOver;
    // Written under the lock; read without it whenever a connection becomes free.
    private volatile int waiting;

    /**
     * @param max maximum number of permits
     * @param maxQueue maximum number of queued requests
     */
    Permits(int max, int maxQueue) {
        this.max = max;
        this.maxQueue = maxQueue;
        this.stalled = new StalledReaders(max);
    }

    StalledReaders stalled() {
        return stalled;
    }

    /** Adds a pool whose idle connections may be closed to free permits for other loops. */
    void add(IdleConnections pool) {
        pools.add(pool);
    }

    synchronized boolean tryTake() {
        if (taken >= max) {
            return false;
        }
        taken++;
        return true;
    }

    /**
     * Queues {@code waiter}, and closes an idle connection of any loop to free a permit. A waiter
     * for which one is closed does not count against the queue limit. False if the queue is full.
     */
    boolean enqueue(Waiter waiter) {
        IdleConnections closing;
        synchronized (this) {
            // The waiter is announced before the pools are searched, and a connection is counted as
            // idle before it checks for waiters: one of the two sees the other.
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

    /** Removes {@code waiter} from the queue; no effect if it has already been served. */
    synchronized void withdraw(Waiter waiter) {
        line.remove(waiter);
        waiting = line.size();
    }

    /** Releases a permit, to the oldest waiter if there is one. */
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
                // Its loop has terminated: the permit goes to the next waiter.
                synchronized (this) {
                    taken--;
                }
            }
        }
    }

    boolean anyWaiting() {
        return waiting > 0;
    }

    /** Decides what to do with a free connection of {@code loop}. Called on that loop. */
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

    int waiting() {
        return waiting;
    }

    /** Idle connections of all loops. */
    int idle() {
        return pools.stream().mapToInt(IdleConnections::count).sum();
    }
}
