package dev.quire.proxy.fleet;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The fleet that this proxy belongs to, if there is one. Thread-safe. */
public final class Membership {
    private volatile @Nullable Joined joined;

    /**
     * A fleet.
     *
     * @param name its name
     * @param ack what answers wait for if the request does not say that
     * @param patience how long they wait at most
     */
    public record Terms(String name, Ack ack, Duration patience) {}

    /**
     * The fleet with the log that this node takes part in.
     *
     * @param replication empty if answers do not wait for replicas of the store
     */
    public record Joined(Supplier<Terms> now, FleetLog log, Optional<Replication> replication) {

        /** The terms of the present configuration. */
        public Terms terms() {
            return now.get();
        }
    }

    /**
     * Joins a fleet; once.
     *
     * @param terms returns those of the present configuration
     */
    public void join(Supplier<Terms> terms, FleetLog log, Optional<Replication> replication) {
        joined = new Joined(terms, log, replication);
    }

    public Optional<Joined> joined() {
        return Optional.ofNullable(joined);
    }

    /**
     * Completes once all invalidations that this node has made so far have come as far as {@code
     * wanted}, by default as the terms say, or after the patience. Replicas are waited for after
     * that, for a moment. Empty without a fleet.
     */
    public CompletionStage<Optional<Acknowledged>> acknowledged(Optional<Ack> wanted) {
        var present = joined;
        if (present == null) {
            return CompletableFuture.completedStage(Optional.empty());
        }
        var terms = present.terms();
        return present.log()
                .acknowledged(wanted.orElse(terms.ack()), terms.patience())
                .thenCompose(reached ->
                        present.replication()
                                .map(replicas -> replicas.with(reached))
                                .orElseGet(() -> CompletableFuture.completedStage(reached)))
                .thenApply(Optional::of);
    }
}
