package dev.quire.spring.internal.stamp;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A write listener of the application, followed by the bytes that a swap still holds. When the
 * listener is done, those bytes are written as soon as the container is ready; the listener is not
 * called again.
 */
public final class LastWrite implements WriteListener {

    private static final Logger log = LoggerFactory.getLogger(LastWrite.class);

    private final WriteListener writer;
    private final ServletOutputStream out;
    private final StampSwap swap;

    /** Runs after the last write, once: the thread that removes it runs it. */
    private final AtomicReference<@Nullable Runnable> awaited = new AtomicReference<>();

    private volatile boolean isDone;

    public LastWrite(WriteListener writer, ServletOutputStream out, StampSwap swap) {
        this.writer = writer;
        this.out = out;
        this.swap = swap;
    }

    /**
     * Ends writing: the held bytes are written, now or when the container is ready, then {@code
     * behind} runs.
     */
    public void end(Runnable behind) {
        isDone = true;
        awaited.set(behind);
        if (!swap.isKeeping() || out.isReady()) {
            writeRest();
        }
    }

    private void writeRest() {
        var behind = awaited.getAndSet(null);
        if (behind == null) {
            return;
        }
        try {
            if (swap.isKeeping()) {
                swap.finish(out);
            }
        } catch (IOException gone) {
            log.debug("the client closed the connection before the response was complete", gone);
        }
        behind.run();
    }

    @Override
    public void onWritePossible() throws IOException {
        if (isDone) {
            writeRest();
        } else {
            writer.onWritePossible();
        }
    }

    @Override
    public void onError(Throwable fault) {
        writer.onError(fault);
    }
}
