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
     * A loop that was busy may have answers that it has not read yet. It reads before it runs a
     * task that is scheduled now.
     */
    private void pass() {
        timer = loop.schedule(this::expire, 0, TimeUnit.NANOSECONDS);
    }

    private void expire() {
        timer = null;
        long now = System.nanoTime();
        for (var call = calls.peek(); call != null; call = calls.peek()) {
            if (!call.isAnswered() && call.deadline() - now > 0) {
                waitUntil(call.deadline());
                return;
            }
            calls.poll();
            if (!call.isAnswered()) {
                call.expire();
            }
        }
    }
}
