package dev.quire.test;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Requests that the proxy has sent to an application, each asked on a thread of its own. Any
 * thread.
 */
final class ApplicationCalls implements AutoCloseable {
    private final Application application;
    private final KnownReplies replies;
    private final Watch watch;

    /** Guarded by the watch, as are the next. */
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

    /** What the application has replied. */
    KnownReplies replies() {
        return replies;
    }

    /**
     * Asks the application.
     *
     * @param taker gets the reply, with the watch's lock held
     */
    Call start(Request request, Consumer<Reply> taker) {
        var call = new Call(request, taker);
        watch.change(() -> open.add(call));
        call.thread.start();
        return call;
    }

    /** Waits until every call has its reply. */
    void awaitQuiet() {
        watch.await(open::isEmpty, () -> "expected the application to have answered all requests");
    }

    /** A call that failed because of {@code cause}, which is not the application's. */
    void failed(Throwable cause) {
        watch.change(() -> {
            if (problem == null) {
                problem = cause;
            }
        });
    }

    /** Throws why a call failed since the last time, if one did. */
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

    /** Interrupts the calls that are open; no reply is handed on any more. */
    @Override
    public void close() {
        watch.change(() -> {
            isClosed = true;
            open.forEach(Call::interrupt);
        });
    }

    /** One request on its way to the application. */
    final class Call {
        private final Request request;
        private final Consumer<Reply> taker;
        private final Thread thread;

        Call(Request request, Consumer<Reply> taker) {
            this.request = request;
            this.taker = taker;
            this.thread = Thread.ofVirtual().name("application").unstarted(this::run);
        }

        /** The reply is not waited for any longer. */
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
