package dev.quire.proxy.fleet;

import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.fleet.LogServer.Copies;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Which invalidations enough replicas of the store have, so that one that becomes the primary
 * server has them. The store is asked once for all that are made while it answers. Thread-safe.
 */
public final class Replication {
    private static final Logger LOG = LoggerFactory.getLogger(Replication.class);

    /** For a question that is under way, and the next one. */
    private static final Duration LONGEST = Duration.ofMillis(300);

    private final Supplier<CompletionStage<Copies>> store;
    private final int wanted;
    private final AtomicBoolean isLacking = new AtomicBoolean();

    /** Guarded by this, as the next one. */
    private @Nullable CompletableFuture<Copies> present;

    private @Nullable CompletableFuture<Copies> next;

    /**
     * @param store {@link LogServer#copies} of the store, which waits for {@code wanted} replicas
     */
    public Replication(Supplier<CompletionStage<Copies>> store, int wanted) {
        this.store = store;
        this.wanted = wanted;
    }

    /** Adds to {@code reached} how many replicas have that, if it is in the log. */
    CompletionStage<Acknowledged> with(Acknowledged reached) {
        var position = reached.position();
        if (position == null) {
            return CompletableFuture.completedStage(reached);
        }
        return of(position).thenApply(number -> reached.with(replicas(number)));
    }

    private Acknowledged.Replicas replicas(int number) {
        boolean isTooFew = number < wanted;
        if (isLacking.compareAndSet(!isTooFew, isTooFew)) {
            LOG.atLevel(isTooFew ? Level.WARN : Level.INFO)
                    .addKeyValue("event", isTooFew ? "fleet-replicas-lack" : "fleet-replicas-have")
                    .log(
                            isTooFew
                                    ? "fleet: {} of {} replicas of the store have the last"
                                            + " invalidation: if one becomes the primary server, it"
                                            + " may lack that (expected as many as fleet.replicas)"
                                    : "fleet: {} of {} replicas of the store have the last"
                                            + " invalidation",
                            number,
                            wanted);
        }
        return new Acknowledged.Replicas(wanted, number);
    }

    private CompletionStage<Integer> of(RecordPosition position) {
        return question()
                .copy()
                .completeOnTimeout(Copies.NONE, LONGEST.toMillis(), TimeUnit.MILLISECONDS)
                .thenApply(copies -> copies.of(position));
    }

    /** Returns a question that begins now or later: the present one may be older than an entry. */
    private CompletableFuture<Copies> question() {
        CompletableFuture<Copies> own;
        synchronized (this) {
            if (present != null) {
                next = next == null ? new CompletableFuture<>() : next;
                return next;
            }
            own = new CompletableFuture<>();
            present = own;
        }
        ask(own);
        return own;
    }

    private void ask(CompletableFuture<Copies> question) {
        CompletionStage<Copies> asked;
        try {
            asked = store.get();
        } catch (RuntimeException | Error fault) {
            asked = CompletableFuture.failedStage(fault);
        }
        asked.toCompletableFuture()
                .copy()
                .completeOnTimeout(Copies.NONE, LONGEST.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((copies, fault) -> {
                    askNext();
                    question.complete(fault == null ? copies : Copies.NONE);
                });
    }

    private void askNext() {
        CompletableFuture<Copies> following;
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
