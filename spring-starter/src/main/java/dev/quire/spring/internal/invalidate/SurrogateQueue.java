package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.Invalidation;
import dev.quire.spring.invalidate.InvalidationReport.Delivery;
import dev.quire.spring.invalidate.InvalidationReport.Outcome;
import dev.quire.spring.invalidate.SurrogateAnswer;
import dev.quire.spring.invalidate.SurrogateAnswer.Denied;
import dev.quire.spring.invalidate.SurrogateAnswer.Done;
import dev.quire.spring.invalidate.SurrogateAnswer.Failed;
import dev.quire.spring.invalidate.SurrogateAnswer.Refused;
import dev.quire.spring.invalidate.SurrogateClient;
import dev.quire.spring.invalidate.SurrogateClient.Capability;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The delivery to one surrogate: a bounded queue and the virtual thread that empties it. Any thread
 * may add; only that thread takes.
 *
 * <p>Queued invalidations are sent together, up to {@value #MOST_KEYS} keys per request, so that a
 * surrogate that was down receives few requests when it is back. Failed deliveries are retried with
 * growing pauses, with the following ones queued behind, until they expire. A batch that is refused
 * is sent again in halves, so that only the wrong invalidation is lost: that takes less than two
 * requests for each invalidation, even if all are wrong.
 */
final class SurrogateQueue {

    /** Maximum number of keys per request, Fastly's limit. */
    static final int MOST_KEYS = 256;

    private static final Logger log = LoggerFactory.getLogger(SurrogateQueue.class);
    private static final int MOST_DENIED_ALONE = 3;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    private static final QueuedInvalidation END =
            QueuedInvalidation.of(
                    new Invalidation(Set.of(), Set.of(), Invalidation.Mode.HARD), 0, false, null);

    private final SurrogateClient client;
    private final String name;
    private final String product;
    private final InvalidationProperties properties;
    private final ObservationRegistry observations;
    private final RecentInvalidations recent;
    private final BlockingQueue<QueuedInvalidation> queue;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final LongAdder lost = new LongAdder();
    private final Thread worker;

    /** Whether the last attempt failed: responses then no longer wait. */
    private volatile boolean failing;

    /** The batch that is delivered, whole. For the worker alone, like the next two. */
    private List<QueuedInvalidation> batch = List.of();

    /** Whether the surrogate has accepted a part of the batch. */
    private boolean accepts;

    /** How many invalidations of the batch were denied alone. */
    private int deniedAlone;

    /** Whether the worker has ended: a thread that adds a parcel then removes it itself. */
    private volatile boolean ended;

    SurrogateQueue(
            SurrogateClient client,
            InvalidationProperties properties,
            ObservationRegistry observations,
            RecentInvalidations recent) {
        this.client = client;
        this.name = client.name();
        this.product = client.product();
        this.properties = properties;
        this.observations = observations;
        this.recent = recent;
        this.queue = new ArrayBlockingQueue<>(properties.queue());
        this.worker = Thread.ofVirtual().name("quire-invalidate-" + name).start(this::work);
    }

    SurrogateClient client() {
        return client;
    }

    String name() {
        return name;
    }

    int waiting() {
        return queue.size();
    }

    /** Returns the number of invalidations that were lost. */
    long lost() {
        return lost.sum();
    }

    /**
     * Queues {@code invalidation}, in as many parts as needed. Never throws, because the caller's
     * change has already happened.
     */
    List<QueuedInvalidation> send(Invalidation invalidation) {
        Invalidation possible;
        try {
            possible = possible(invalidation);
        } catch (RuntimeException | Error fault) {
            lost.increment();
            log.error(
                    "the client of {} failed, so {} is not invalidated there. It may serve outdated responses until they expire.",
                    name,
                    keys(invalidation),
                    fault);
            return List.of();
        }
        var parcels = new ArrayList<QueuedInvalidation>(1);
        for (var part : InvalidationKeys.parts(possible, MOST_KEYS)) {
            if (!part.isEmpty()) {
                parcels.add(put(part, false, cause()));
            }
        }
        return parcels;
    }

    /**
     * Stops accepting invalidations. Queued ones are not tried again after a failure; those that
     * are refused together are still sent in parts.
     */
    void close() {
        closing.countDown();
        // with a full queue the worker is not waiting
        queue.offer(END);
    }

    /** Waits until all are sent, at most until {@code deadline}; the rest is dropped. */
    void awaitEnd(long deadline) throws InterruptedException {
        long left = deadline - System.nanoTime();
        if (left > 0) {
            worker.join(Duration.ofNanos(left));
        }
        ended = true;
        worker.interrupt();
        for (var parcel = queue.poll(); parcel != null; parcel = queue.poll()) {
            drop(parcel, "the application has stopped");
        }
    }

    private QueuedInvalidation put(
            Invalidation invalidation, boolean repeated, @Nullable Observation cause) {
        long deadline = System.nanoTime() + properties.giveUpAfter().toNanos();
        var parcel = QueuedInvalidation.of(invalidation, deadline, repeated, cause);
        if (!queue.offer(parcel)) {
            drop(
                    parcel,
                    "its queue of %d invalidations is full (quire.invalidation.queue)"
                            .formatted(properties.queue()));
        } else if (ended && queue.remove(parcel)) {
            drop(parcel, "the application has stopped");
        }
        if (failing) {
            parcel.tried().complete(null);
        }
        return parcel;
    }

    private void work() {
        boolean more = true;
        while (more) {
            try {
                more = deliverNext();
            } catch (InterruptedException cutShort) {
                // a client may interrupt this thread or report an interrupt: only the end stops the
                // worker
                more = !ended;
            } catch (RuntimeException | Error fault) {
                log.error("an invalidation at {} failed; continuing with the next", name, fault);
            }
        }
    }

    /** Sends the next batch; returns false at the end. */
    private boolean deliverNext() throws InterruptedException {
        batch = next();
        accepts = false;
        deniedAlone = 0;
        if (!batch.isEmpty()) {
            deliver(batch, 1);
        }
        return !batch.isEmpty();
    }

    /**
     * Returns the next batch for one request: queued invalidations of one mode, up to the key
     * limit; empty at the end.
     */
    private List<QueuedInvalidation> next() throws InterruptedException {
        var first = isClosing() ? queue.poll() : queue.take();
        if (first == null || first.isEnd()) {
            return List.of();
        }
        var load = new ArrayList<QueuedInvalidation>();
        load.add(first);
        int keys = first.invalidation().size();
        for (var more = queue.peek(); more != null; more = queue.peek()) {
            keys += more.invalidation().size();
            if (more.isEnd()
                    || more.invalidation().mode() != first.invalidation().mode()
                    || keys > MOST_KEYS) {
                break;
            }
            load.add(more);
            queue.remove();
        }
        return load;
    }

    /**
     * Sends a batch until all of it has ended.
     *
     * @param first number of the first attempt
     */
    private void deliver(List<QueuedInvalidation> load, int first) throws InterruptedException {
        var left = load;
        int failures = 0;
        var why = "the invalidation was interrupted";
        try {
            for (int attempt = first; !left.isEmpty(); attempt++) {
                var answer = send(union(left), left.getFirst().cause());
                switch (answer) {
                    case Done done -> {
                        recovered();
                        accepts = true;
                        end(left, Outcome.DONE, "", attempt);
                        left = List.of();
                    }
                    case Refused refused -> left = withoutRefused(left, refused.why(), attempt);
                    case Denied denied -> {
                        boolean isLost = left.size() == 1 || deniesEverything();
                        deniedAlone += isLost ? 1 : 0;
                        left = withoutRefused(left, isLost, denied.why(), attempt);
                    }
                    case Failed failed -> {
                        failing(failed.why());
                        batch.forEach(parcel -> parcel.tried().complete(null));
                        left = withoutLate(left, failed.why(), attempt);
                        if (!left.isEmpty()) {
                            pause(++failures);
                        }
                    }
                }
            }
        } catch (RuntimeException | Error fault) {
            why = fault.toString();
            throw fault;
        } finally {
            end(left, Outcome.DROPPED, ended ? "the application has stopped" : why, 0);
        }
    }

    private List<QueuedInvalidation> withoutRefused(
            List<QueuedInvalidation> load, String why, int attempt) throws InterruptedException {
        return withoutRefused(load, load.size() == 1, why, attempt);
    }

    /** Returns what is left of a refused batch. A wrong key must not lose other invalidations. */
    private List<QueuedInvalidation> withoutRefused(
            List<QueuedInvalidation> load, boolean isLost, String why, int attempt)
            throws InterruptedException {
        if (isLost) {
            end(load, Outcome.REFUSED, why, attempt);
            return List.of();
        }
        int half = load.size() / 2;
        deliver(load.subList(0, half), attempt + 1);
        return load.subList(half, load.size());
    }

    /** Whether answers that are not about keys, as with a wrong token, are for all of the batch. */
    private boolean deniesEverything() {
        return !accepts && deniedAlone >= MOST_DENIED_ALONE;
    }

    private SurrogateAnswer send(Invalidation invalidation, @Nullable Observation cause)
            throws InterruptedException {
        var observation = started(invalidation, cause);
        SurrogateAnswer answer;
        try {
            answer = client.send(invalidation);
        } catch (RuntimeException | Error wrong) {
            // a custom client may throw anything; the queue must continue
            log.error("the client of {} failed", name, wrong);
            answer = new Denied(wrong.toString());
            failed(observation, wrong);
        }
        stop(observation, answer);
        return answer;
    }

    private @Nullable Observation cause() {
        try {
            return observations.getCurrentObservation();
        } catch (RuntimeException | Error fault) {
            notObserved(fault);
            return null;
        }
    }

    /** Starts an observation; its failure does not prevent delivery. */
    private Observation started(Invalidation invalidation, @Nullable Observation cause) {
        try {
            return Observation.createNotStarted("quire.invalidate", observations)
                    .contextualName("invalidate " + product)
                    .parentObservation(cause)
                    .lowCardinalityKeyValue("kind", kind(invalidation))
                    .lowCardinalityKeyValue("client", product)
                    .highCardinalityKeyValue("surrogate", name)
                    .start();
        } catch (RuntimeException | Error fault) {
            notObserved(fault);
            return Observation.NOOP;
        }
    }

    private void failed(Observation observation, Throwable wrong) {
        try {
            observation.error(wrong);
        } catch (RuntimeException | Error fault) {
            notObserved(fault);
        }
    }

    private void stop(Observation observation, SurrogateAnswer answer) {
        try {
            observation.lowCardinalityKeyValue(
                    "outcome",
                    switch (answer) {
                        case Done done -> "done";
                        case Failed failed -> "failed";
                        case Refused refused -> "refused";
                        case Denied denied -> "refused";
                    });
            observation.stop();
        } catch (RuntimeException | Error fault) {
            notObserved(fault);
        }
    }

    private void notObserved(Throwable fault) {
        log.error("observing an invalidation at {} failed", name, fault);
    }

    private void failing(String why) {
        if (!failing) {
            failing = true;
            log.warn(
                    "{} does not accept invalidations: {}. They are retried for {} s; until then it may serve outdated responses. Check that it runs, and check quire.surrogate.urls and quire.surrogate.token.",
                    name,
                    why,
                    properties.giveUpAfter().toSeconds());
            // responses with parcels further back in the queue need not wait either
            queue.forEach(parcel -> parcel.tried().complete(null));
        }
    }

    private void recovered() {
        if (failing) {
            failing = false;
            log.info("{} accepts invalidations again", name);
        }
    }

    private List<QueuedInvalidation> withoutLate(
            List<QueuedInvalidation> parcels, String why, int attempts) {
        long now = System.nanoTime();
        var late = new ArrayList<QueuedInvalidation>();
        var rest = new ArrayList<QueuedInvalidation>();
        for (var parcel : parcels) {
            (isClosing() || parcel.deadline() - now <= 0 ? late : rest).add(parcel);
        }
        end(late, Outcome.GAVE_UP, why, attempts);
        return rest;
    }

    private void pause(int failures) throws InterruptedException {
        long most =
                Math.min(
                        LONGEST_PAUSE.toNanos(),
                        properties.retryAfter().toNanos() << Math.min(failures - 1, 20));
        // half of it is random, so that many applications do not retry at the same time
        long pause = most / 2 + ThreadLocalRandom.current().nextLong(most / 2 + 1);
        closing.await(pause, TimeUnit.NANOSECONDS);
    }

    private void end(List<QueuedInvalidation> parcels, Outcome outcome, String why, int attempts) {
        for (var parcel : parcels) {
            var delivery = new Delivery(name, parcel.invalidation(), outcome, why, attempts);
            recent.add(delivery);
            if (outcome == Outcome.DONE) {
                repeatLater(parcel);
            } else {
                lost.increment();
                log.warn(
                        "{} did not invalidate {}: {} ({}, attempts: {}). It may serve outdated responses until they expire.",
                        name,
                        keys(parcel.invalidation()),
                        why,
                        outcome,
                        attempts);
            }
            parcel.end(delivery);
        }
    }

    private void drop(QueuedInvalidation parcel, String why) {
        if (!parcel.isEnd()) {
            end(List.of(parcel), Outcome.DROPPED, why, 0);
        }
    }

    private void repeatLater(QueuedInvalidation parcel) {
        var after = properties.repeatAfter();
        if (after != null && !parcel.repeated() && !isClosing()) {
            CompletableFuture.delayedExecutor(after.toNanos(), TimeUnit.NANOSECONDS)
                    .execute(() -> {
                        if (!isClosing()) {
                            put(parcel.invalidation(), true, null);
                        }
                    });
        }
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    /** Returns the part of {@code invalidation} that this surrogate supports. */
    private Invalidation possible(Invalidation invalidation) {
        var can = client.capabilities();
        boolean tags = invalidation.tags().isEmpty() || can.contains(Capability.TAGS);
        boolean urls = invalidation.urls().isEmpty() || can.contains(Capability.URLS);
        if (!tags || !urls) {
            lost.increment();
            log.warn(
                    "{} cannot invalidate by {}; not sent: {}",
                    name,
                    tags ? "URL" : "tag",
                    keys(invalidation));
        }
        return new Invalidation(
                tags ? invalidation.tags() : Set.of(),
                urls ? invalidation.urls() : Set.of(),
                can.contains(Capability.SOFT) ? invalidation.mode() : Invalidation.Mode.HARD);
    }

    private static Invalidation union(List<QueuedInvalidation> parcels) {
        var merged =
                InvalidationKeys.merged(
                        parcels.stream().map(QueuedInvalidation::invalidation).toList());
        return merged.getFirst();
    }

    private static String kind(Invalidation invalidation) {
        if (invalidation.tags().isEmpty()) {
            return "url";
        }
        return invalidation.urls().isEmpty() ? "tag" : "tag+url";
    }

    /** Returns a few of the keys, to limit the log line. */
    private static String keys(Invalidation invalidation) {
        var some = new LinkedHashSet<String>();
        invalidation.tags().stream().limit(10).forEach(some::add);
        invalidation.urls().stream().limit(10).forEach(url -> some.add(url.toString()));
        int more = invalidation.size() - some.size();
        return String.join(" ", some) + (more > 0 ? " and " + more + " more" : "");
    }
}
