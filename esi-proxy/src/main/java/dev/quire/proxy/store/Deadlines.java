package dev.quire.proxy.store;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The deadlines of the calls of one connection. One timer serves all. Confined to the loop. */
public final class Deadlines {
    private final EventLoop loop;

    /** In the order of their deadlines. */
    private final ArrayDeque<Call> calls = new ArrayDeque<>();

    private @Nullable ScheduledFuture<?> timer;

    Deadlines(EventLoop loop) {
        this.loop = loop;
    }

    /** A call that waits for its answer. */
    public interface Call {
        /** In nanoseconds. */
        long deadline();

        boolean isAnswered();

        /** The deadline has passed. */
        void expire();
    }

    /** Adds {@code call}, whose deadline is not before those of all calls so far. */
    public void add(Call call) {
        calls.addLast(call);
        begin(call);
    }

    /** Adds {@code call}, whose deadline is not after that of any call without an answer. */
    public void addFirst(Call call) {
        calls.addFirst(call);
        begin(call);
    }

    private void begin(Call call) {
        if (timer == null) {
            waitUntil(call.deadline());
        }
    }

    private void waitUntil(long deadline) {
        long nanos = Math.max(0, deadline - System.nanoTime());
        timer = loop.schedule(this::pass, nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * The loop may have been busy, and have answers that it has not read. It reads before it runs a
     * task that is scheduled now.
     */
    private void pass() {
        long passed = System.nanoTime();
        timer = loop.schedule(() -> expire(passed), 0, TimeUnit.NANOSECONDS);
    }

    /** Ends the calls whose deadlines were before {@code passed}; then the loop has read. */
    private void expire(long passed) {
        try {
            for (var call = calls.peek();
                    call != null && (call.isAnswered() || call.deadline() - passed <= 0);
                    call = calls.peek()) {
                calls.poll();
                if (!call.isAnswered()) {
                    call.expire();
                }
            }
        } finally {
            timer = null;
            var next = calls.peek();
            if (next != null) {
                waitUntil(next.deadline());
            }
        }
    }
}
