package dev.quire.test;

import java.util.function.Predicate;

/**
 * A point in the answers to one path, or to all, which none of them passes until the test lets go.
 * Made by {@link Origin#hold}, {@link Origin#holdAfter} and {@link Origin#holdAll}; any thread.
 */
public final class Held implements AutoCloseable {
    private final Watch watch;
    private final Predicate<ReceivedRequest> whose;
    private final String path;
    private final long afterBodyBytes;
    private int waiting;
    private boolean released;

    /** Nothing of the answer has left yet. */
    static final long BEFORE_HEAD = -1;

    /**
     * @param whose answers are held
     * @param path what a failure calls them
     */
    Held(Watch watch, Predicate<ReceivedRequest> whose, String path, long afterBodyBytes) {
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

    /** Lets go of all answers that wait here, and of those still to come. */
    public void release() {
        watch.change(() -> released = true);
    }

    /** Waits until {@code answers} of them stand at this point together. */
    public void awaitWaiting(int answers) {
        watch.await(
                () -> waiting >= answers,
                () -> "expected " + answers + " held answers for " + path + ", found " + waiting);
    }

    @Override
    public void close() {
        release();
    }

    /** Waits here, on the answer's own thread, as long as it takes. */
    void pass(ReceivedRequest request) {
        watch.change(() -> waiting++);
        try {
            watch.awaitChange(() -> released || request.isAbandoned());
        } finally {
            watch.change(() -> waiting--);
        }
    }
}
