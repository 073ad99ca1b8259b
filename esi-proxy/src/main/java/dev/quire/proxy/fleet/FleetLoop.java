package dev.quire.proxy.fleet;

import dev.quire.proxy.fault.InternalErrors;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The thread of the log of the fleet. Thread-safe; tasks must not wait. */
final class FleetLoop implements AutoCloseable {
    static final Duration LONGEST_CALL = Duration.ofSeconds(2);

    private final InternalErrors errors =
            new InternalErrors(
                    LoggerFactory.getLogger(FleetLoop.class),
                    "fleet: a step failed; the next tick goes on");

    private final ScheduledThreadPoolExecutor executor;
    private volatile @Nullable Thread thread;

    FleetLoop() {
        executor =
                new ScheduledThreadPoolExecutor(
                        1,
                        task -> {
                            var made = new Thread(task, "quire-fleet");
                            made.setDaemon(true);
                            thread = made;
                            return made;
                        },
                        new ThreadPoolExecutor.DiscardPolicy());
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.prestartCoreThread();
    }

    /** Whether the caller is a task. */
    boolean isHere() {
        return Thread.currentThread().equals(thread);
    }

    void run(Runnable task) {
        executor.execute(guarded(task));
    }

    /** Whether no task runs any more. */
    boolean isClosed() {
        return executor.isShutdown();
    }

    void later(Duration delay, Runnable task) {
        executor.schedule(guarded(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Runs {@code task} now, and after each pause. */
    void repeat(Duration pause, Runnable task) {
        executor.scheduleWithFixedDelay(guarded(task), 0, pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Runs {@code then} with the answer to a call, or with the reason for its absence. */
    <T> void call(
            Supplier<? extends CompletionStage<T>> call,
            BiConsumer<@Nullable T, @Nullable Throwable> then) {
        CompletionStage<T> answer;
        try {
            answer = call.get();
        } catch (RuntimeException | Error bug) {
            errors.add(bug);
            answer = CompletableFuture.failedStage(bug);
        }
        answer.toCompletableFuture()
                .copy()
                .orTimeout(LONGEST_CALL.toNanos(), TimeUnit.NANOSECONDS)
                .whenComplete((value, fault) -> run(() -> then.accept(value, fault)));
    }

    /** Why the store did not answer, in the words of operators. */
    static String reason(@Nullable Throwable failed) {
        var cause = failed != null && failed.getCause() != null ? failed.getCause() : failed;
        return cause instanceof TimeoutException
                ? "no answer within " + LONGEST_CALL.toSeconds() + " s"
                : String.valueOf(cause == null ? null : cause.getMessage());
    }

    private Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException | Error bug) {
                errors.add(bug);
            }
        };
    }

    /** Runs no more tasks than those that are due. Waits for these. */
    @Override
    public void close() {
        executor.close();
    }
}
