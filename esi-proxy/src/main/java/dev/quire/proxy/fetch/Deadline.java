package dev.quire.proxy.fetch;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A deadline that is moved often and rarely reached. Confined to its loop, and measured by that
 * loop's ticker.
 */
final class Deadline {
    // Moving the deadline only writes a number: the pending timer checks it when it fires, and
    // reschedules itself if needed. So a body in a thousand pieces does not set a thousand timers.

    private static final long NEVER = Long.MAX_VALUE;

    private final EventLoop loop;
    private final Runnable expired;
    private long duePoint;
    private boolean running;
    private long timerPoint = NEVER;
    private @Nullable ScheduledFuture<?> timer;

    Deadline(EventLoop loop, Runnable expired) {
        this.loop = loop;
        this.expired = expired;
    }

    void start(Duration time) {
        long now = loop.ticker().nanoTime();
        duePoint = now + time.toNanos();
        running = true;
        if (timer == null || timerPoint - duePoint > 0) {
            cancelTimer();
            setTimer(now);
        }
    }

    /** Clears the deadline until the next start. */
    void stop() {
        running = false;
    }

    /** Clears the deadline and cancels the timer. */
    void end() {
        running = false;
        cancelTimer();
    }

    private void setTimer(long now) {
        timerPoint = duePoint;
        timer = loop.schedule(this::fired, Math.max(0, duePoint - now), TimeUnit.NANOSECONDS);
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void fired() {
        timer = null;
        if (!running) {
            return;
        }
        long now = loop.ticker().nanoTime();
        if (now - duePoint < 0) {
            setTimer(now);
        } else {
            running = false;
            expired.run();
        }
    }
}
