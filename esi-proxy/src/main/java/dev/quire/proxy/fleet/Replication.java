package dev.quire.proxy.fleet;

import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.fleet.Acknowledged.Replicas;
import dev.quire.proxy.fleet.LogServer.Copies;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which invalidations enough replicas of the store have, so that one that becomes the primary
 * server has them. The store is asked once for all that are made while it answers. Thread-safe.
 */
public final class Replication {
    private static final Logger LOG = LoggerFactory.getLogger(Replication.class);

    /** For a question that is under way, and the next one. */
    private static final Duration LONGEST = Duration.ofMillis(300);

    private final Function<Set<RecordPosition>, CompletionStage<Copies>> store;
    private final int wanted;

    /** Guarded by this, as the next fields. */
    private @Nullable Question present;

    private @Nullable Question next;

    /** Whether the last answer had too few. */
    private boolean isLacking;

    /** Asks the store for some entries. */
    private record Question(Set<RecordPosition> entries, CompletableFuture<Copies> answer) {
        Question() {
            this(new HashSet<>(), new CompletableFuture<>());
        }
    }

    /**
     * @param store {@link LogServer#copies} of the store, which waits for {@code wanted} replicas
     */
    public Replication(Function<Set<RecordPosition>, CompletionStage<Copies>> store, int wanted) {
        this.store = store;
        this.wanted = wanted;
    }

    /** Adds to {@code reached} how many replicas have that, if it is in the log. */
    CompletionStage<Acknowledged> with(Acknowledged reached) {
        var position = reached.position();
        if (position == null) {
            return CompletableFuture.completedStage(reached);
        }
        return question(position)
                .copy()
                .orTimeout(LONGEST.toMillis(), TimeUnit.MILLISECONDS)
                .handle((copies, fault) -> reached.with(replicas(position, copies, fault)));
    }

    private Replicas replicas(
            RecordPosition position, @Nullable Copies copies, @Nullable Throwable fault) {
        int found = copies != null && copies.entries().contains(position) ? copies.replicas() : 0;
        if (found >= wanted) {
            report(false, "");
        } else if (copies == null) {
            report(true, reason(fault));
        } else {
            boolean isThere = copies.entries().contains(position);
            report(true, isThere ? found + " have the last one" : "the log lacks the last one");
        }
        return new Replicas(wanted, found);
    }

    private static String reason(@Nullable Throwable fault) {
        boolean isLate =
                fault instanceof TimeoutException
                        || (fault != null && fault.getCause() instanceof TimeoutException);
        return isLate ? "the store does not answer" : FleetLoop.reason(fault);
    }

    private synchronized void report(boolean isLack, String why) {
        if (isLack == isLacking) {
            return;
        }
        isLacking = isLack;
        if (!isLack) {
            LOG.atInfo()
                    .addKeyValue("event", "fleet-replicas-have")
                    .log("fleet: replicas of the store have the invalidations again");
        } else {
            LOG.atWarn()
                    .addKeyValue("event", "fleet-replicas-lack")
                    .log(
                            "fleet: a replica of the store that becomes the primary server may lack"
                                    + " invalidations: {} (fleet.replicas: {})",
                            why,
                            wanted);
        }
    }

    /** Returns what a question that begins now or later says: the present one may be too old. */
    private CompletableFuture<Copies> question(RecordPosition position) {
        Question own;
        synchronized (this) {
            if (present != null) {
                next = next == null ? new Question() : next;
                next.entries().add(position);
                return next.answer();
            }
            own = new Question();
            own.entries().add(position);
            present = own;
        }
        ask(own);
        return own.answer();
    }

    private void ask(Question question) {
        CompletionStage<Copies> asked;
        try {
            asked = store.apply(question.entries());
        } catch (RuntimeException | Error fault) {
            asked = CompletableFuture.failedStage(fault);
        }
        asked.toCompletableFuture()
                .copy()
                .orTimeout(LONGEST.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((copies, fault) -> {
                    askNext();
                    if (fault == null) {
                        question.answer().complete(copies);
                    } else {
                        question.answer().completeExceptionally(fault);
                    }
                });
    }

    private void askNext() {
        Question following;
        synchronized (this) {
            following = next;
            present = following;
            next = null;
        }
        if (following != null) {
            ask(following);
        }
    }
}
