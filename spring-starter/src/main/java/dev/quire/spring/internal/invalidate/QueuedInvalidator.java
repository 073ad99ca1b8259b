package dev.quire.spring.internal.invalidate;

import dev.quire.spring.internal.exchange.BeforeCommit;
import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.spring.invalidate.Invalidation;
import dev.quire.spring.invalidate.InvalidationReport;
import dev.quire.spring.invalidate.SurrogateClient;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the invalidations of a transaction until it commits, then passes them to the {@link
 * SurrogateQueue} of each surrogate. The response of the causing request waits for the first
 * attempt at each, so that the next request of the same user sees the change.
 */
public final class QueuedInvalidator implements EsiInvalidator, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(QueuedInvalidator.class);

    private final Transactions transactions;
    private final InvalidationProperties properties;
    private final InvalidationFaults faults;
    private final List<SurrogateQueue> queues;
    private final Set<QueuedInvalidation> underWay = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean saidThatNobodyIsTold = new AtomicBoolean();

    public QueuedInvalidator(
            Transactions transactions,
            InvalidationProperties properties,
            List<SurrogateClient> clients,
            ObservationRegistry observations,
            RecentInvalidations recent,
            InvalidationFaults faults) {
        this.transactions = transactions;
        this.properties = properties;
        this.faults = faults;
        this.queues =
                clients.stream()
                        .map(client -> new SurrogateQueue(client, properties, observations, recent))
                        .toList();
    }

    @Override
    public void purge(Invalidation invalidation) {
        if (!invalidation.isEmpty() && !transactions.keep(invalidation, this::committed)) {
            send(List.of(invalidation));
        }
    }

    @Override
    public CompletionStage<InvalidationReport> flush() {
        var parcels = new LinkedHashSet<>(send(transactions.take()));
        parcels.addAll(underWay);
        var all = parcels.stream().map(QueuedInvalidation::delivered).toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .thenApply(done ->
                        new InvalidationReport(all.stream().map(CompletableFuture::join).toList()));
    }

    public List<SurrogateQueue> queues() {
        return queues;
    }

    /** Sends queued invalidations for the configured time, then stops. */
    @Override
    public void close() {
        queues.forEach(SurrogateQueue::close);
        long deadline = System.nanoTime() + properties.drain().toNanos();
        try {
            for (var queue : queues) {
                queue.awaitEnd(deadline);
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    /** Contains faults, which would otherwise look like a failed commit. */
    private void committed(Collection<Invalidation> invalidations) {
        faults.contain("a transaction", () -> send(invalidations));
    }

    private List<QueuedInvalidation> send(Collection<Invalidation> invalidations) {
        var merged = InvalidationKeys.merged(invalidations);
        if (merged.isEmpty()) {
            return List.of();
        }
        if (queues.isEmpty() && saidThatNobodyIsTold.compareAndSet(false, true)) {
            log.info("quire.surrogate.urls is empty, so invalidations are not sent (logged once)");
        }
        var parcels = new ArrayList<QueuedInvalidation>();
        for (var invalidation : merged) {
            for (var queue : queues) {
                parcels.addAll(queue.send(invalidation));
            }
        }
        for (var parcel : parcels) {
            underWay.add(parcel);
            parcel.delivered().whenComplete((delivery, none) -> underWay.remove(parcel));
        }
        tellTheResponse(merged, parcels.stream().map(QueuedInvalidation::tried).toList());
        return parcels;
    }

    private void tellTheResponse(
            List<Invalidation> invalidations, List<CompletableFuture<Void>> tried) {
        var groups = new LinkedHashSet<String>();
        for (var invalidation : invalidations) {
            if (properties.groups() && invalidation.mode() == Invalidation.Mode.HARD) {
                groups.addAll(invalidation.tags());
            }
        }
        boolean waits = !properties.async() && !tried.isEmpty();
        if (!groups.isEmpty() || waits) {
            BeforeCommit.run(
                    new ResponseToChange(
                            groups,
                            waits ? tried : List.of(),
                            System.nanoTime() + properties.maxWait().toNanos()));
        }
    }
}
