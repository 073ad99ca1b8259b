package dev.quire.test;

import dev.quire.test.wire.Request;
import dev.quire.test.wire.internal.Watch;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The requests sent to an application by the proxy, each on its own thread. Thread-safe. */
final class ApplicationCalls implements AutoCloseable {
    private final Application application;
    private final KnownReplies replies;
    private final Watch watch;

    /** Guarded by the watch, as are the next fields. */
    private final Set<Call> open = new HashSet<>();

    private @Nullable Throwable problem;

    private boolean isClosed;

    /**
     * @param watch guards the calls
     */
    ApplicationCalls(Application application, Watch watch) {
        this.application = application;
        this.replies = new KnownReplies(application.authority());
        this.watch = watch;
    }

    KnownReplies replies() {
        return replies;
    }

    /**
     * Sends a request to the application.
     *
     * @param taker receives the reply, with the watch's lock held
     */
    Call start(Request request, Consumer<Reply> taker) {
        var call = new Call(request, taker);
        watch.change(() -> open.add(call));
        call.thread.start();
        return call;
    }

    void awaitQuiet() {
        watch.await(open::isEmpty, () -> "expected the application to have answered all requests");
    }

    /**
     * Records a call that failed because of {@code cause}, which is not the application's fault.
     */
    void failed(Throwable cause) {
        watch.change(() -> {
            if (problem == null) {
                problem = cause;
            }
        });
    }

    /** Throws the cause of a failed call since the last check, if there is one. */
    void requireNoProblem() {
        @Nullable Throwable met =
                watch.read(() -> {
                    var first = problem;
                    problem = null;
                    return first;
                });
        switch (met) {
            case null -> {}
            case AssertionError error -> throw error;
            case RuntimeException bug -> throw bug;
            case Throwable other -> throw new IllegalStateException(other);
        }
    }

    /** Interrupts the open calls; no further reply is delivered. */
    @Override
    public void close() {
        watch.change(() -> {
            isClosed = true;
            open.forEach(Call::interrupt);
        });
    }

    final class Call {
        private final Request request;
        private final Consumer<Reply> taker;
        private final Thread thread;

        Call(Request request, Consumer<Reply> taker) {
            this.request = request;
            this.taker = taker;
            this.thread = Thread.ofVirtual().name("application").unstarted(this::run);
        }

        void interrupt() {
            thread.interrupt();
        }

        private void run() {
            Reply given = new Reply.None("the application could not be called");
            try {
                given = application.answer(request);
                replies.add(request, given);
            } catch (RuntimeException | AssertionError cannotAsk) {
                failed(cannotAsk);
            } finally {
                done(given);
            }
        }

        private void done(Reply given) {
            watch.change(() -> {
                open.remove(this);
                if (!isClosed) {
                    taker.accept(given);
                }
            });
        }
    }
}
