package dev.quire.test.wire;

import dev.quire.test.wire.internal.Watch;
import java.util.function.Predicate;

/**
 * A point in the answers to one path, or to all, at which they wait until the test releases them.
 * Created by {@link Origin#hold}, {@link Origin#holdAfter} and {@link Origin#holdAll}. Thread-safe.
 */
public final class HeldAnswers implements AutoCloseable {
    private final Watch watch;
    private final Predicate<ReceivedRequest> whose;
    private final String path;
    private final long afterBodyBytes;
    private int waiting;
    private boolean released;

    static final long BEFORE_HEAD = -1;

    /**
     * @param whose selects the answers to hold
     * @param path their name in a failure message
     */
    HeldAnswers(Watch watch, Predicate<ReceivedRequest> whose, String path, long afterBodyBytes) {
        this.watch = watch;
        this.whose = whose;
        this.path = path;
        this.afterBodyBytes = afterBodyBytes;
    }

    boolean isFor(ReceivedRequest request) {
        return whose.test(request);
    }

    long afterBodyBytes() {
        return afterBodyBytes;
    }

    boolean isReleased() {
        return watch.read(() -> released);
    }

    /** Releases all answers that wait here, and later ones. */
    public void release() {
        watch.change(() -> released = true);
    }

    /** Waits until {@code answers} of them wait at this point at the same time. */
    public void awaitWaiting(int answers) {
        watch.await(
                () -> waiting >= answers,
                () -> "expected " + answers + " held answers for " + path + ", found " + waiting);
    }

    @Override
    public void close() {
        release();
    }

    void pass(ReceivedRequest request) {
        watch.change(() -> waiting++);
        try {
            watch.awaitChange(() -> released || request.isAbandoned());
        } finally {
            watch.change(() -> waiting--);
        }
    }
}
