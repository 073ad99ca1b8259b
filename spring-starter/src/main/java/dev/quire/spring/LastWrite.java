package dev.quire.spring;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who writes without blocking, and behind him what a swap keeps back: that goes when he is done,
 * and as soon as the container takes it. He is asked for nothing more then.
 */
final class LastWrite implements WriteListener {

    private static final Logger log = LoggerFactory.getLogger(LastWrite.class);

    private final WriteListener writer;
    private final ServletOutputStream out;
    private final StampSwap swap;

    /** What is done behind the last write. Whoever takes it away does it. */
    private final AtomicReference<@Nullable Runnable> awaited = new AtomicReference<>();

    private volatile boolean isDone;

    LastWrite(WriteListener writer, ServletOutputStream out, StampSwap swap) {
        this.writer = writer;
        this.out = out;
        this.swap = swap;
    }

    /** Nothing more is written: the rest goes, now or soon, and then comes {@code behind}. */
    void end(Runnable behind) {
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
