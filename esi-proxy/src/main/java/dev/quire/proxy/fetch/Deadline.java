package dev.quire.proxy.fetch;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A time by which something must have happened, moved often and reached rarely. Only on its loop,
 * by the loop's own clock.
 */
final class Deadline {
    // Moving the deadline only writes a number: the timer that is already set looks at it when it
    // fires and sets itself again. A body in a thousand pieces costs no timer for each of them.

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

    /** Counts {@code time} from now; what was counted before is forgotten. */
    void start(Duration time) {
        long now = loop.ticker().nanoTime();
        duePoint = now + time.toNanos();
        running = true;
        if (timer == null || timerPoint - duePoint > 0) {
            cancelTimer();
            setTimer(now);
        }
    }

    /** Counts no longer, until the next start. */
    void stop() {
        running = false;
    }

    /** Stops for good and leaves nothing with the loop. */
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
