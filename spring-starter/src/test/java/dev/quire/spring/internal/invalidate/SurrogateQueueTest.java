package dev.quire.spring.internal.invalidate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.quire.spring.invalidate.Invalidation;
import dev.quire.spring.invalidate.InvalidationReport;
import dev.quire.spring.invalidate.InvalidationReport.Delivery;
import dev.quire.spring.invalidate.InvalidationReport.Outcome;
import dev.quire.spring.invalidate.SurrogateAnswer;
import dev.quire.spring.invalidate.SurrogateClient;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Delivery to surrogates: retries, losses and log messages. */
class SurrogateQueueTest {

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ObservationRegistry observations = ObservationRegistry.create();
    private final RecentInvalidations recent = new RecentInvalidations(Clock.systemUTC());
    private final AdminRequests requests = new AdminRequests(Duration.ofSeconds(30));
    private final List<QueuedInvalidator> opened = new ArrayList<>();

    private Endpoint endpoint;

    @BeforeEach
    void open() {
        endpoint = Endpoint.start();
        observations
                .observationConfig()
                .observationHandler(new DefaultMeterObservationHandler(meters));
    }

    @AfterEach
    void close() {
        opened.forEach(QueuedInvalidator::close);
        endpoint.close();
        requests.close();
    }

    private static InvalidationProperties properties(
            int queue, Duration giveUpAfter, @Nullable Duration repeatAfter) {
        return new InvalidationProperties(
                false,
                Duration.ofSeconds(30),
                queue,
                Duration.ofMillis(2),
                giveUpAfter,
                repeatAfter,
                Duration.ofSeconds(20),
                true,
                List.of(),
                null);
    }

    private QueuedInvalidator invalidator(InvalidationProperties properties, Endpoint... all) {
        var clients = new ArrayList<SurrogateClient>();
        for (var one : all) {
            clients.add(new QuireClient(requests, URI.create(one.url()), Optional.empty(), null));
        }
        return invalidator(properties, clients);
    }

    private QueuedInvalidator invalidator(
            InvalidationProperties properties, List<SurrogateClient> clients) {
        var invalidator =
                new QueuedInvalidator(
                        Transactions.NONE,
                        properties,
                        clients,
                        observations,
                        recent,
                        new InvalidationFaults());
        opened.add(invalidator);
        return invalidator;
    }

    private QueuedInvalidator patient() {
        return invalidator(properties(1000, Duration.ofMinutes(5), null), endpoint);
    }

    /** Returns the results of all deliveries, newest first. */
    private List<String> outcomes(QueuedInvalidator invalidator) {
        report(invalidator);
        return recent.latest().stream().map(InvalidationHistory.Entry::outcome).toList();
    }

    private static InvalidationReport report(QueuedInvalidator invalidator) {
        return invalidator.flush().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }

    private double observed(String outcome) {
        var timer = meters.find("quire.invalidate").tag("outcome", outcome).timer();
        return timer == null ? 0 : timer.count();
    }

    @Test
    void whatFailsIsTriedUntilItSucceeds() {
        endpoint.answerNext(503, 500, 429);
        var invalidator = patient();

        invalidator.tags("article-7");

        assertThat(outcomes(invalidator)).containsExactly(endpoint.url() + ": done");
        assertThat(endpoint.rest()).hasSize(4);
        assertThat(observed("failed")).isEqualTo(3);
        assertThat(observed("done")).isEqualTo(1);
    }

    @Test
    void whatIsRefusedIsNotTriedAgain() {
        endpoint.answerNext(401);
        var invalidator = patient();

        invalidator.tags("article-7");

        assertThat(outcomes(invalidator)).singleElement().asString().contains("refused", "401");
        assertThat(endpoint.rest()).hasSize(1);
        assertThat(invalidator.queues().getFirst().lost()).isEqualTo(1);
    }

    @Test
    void whatIsRefusedTogetherIsSentInParts() {
        var picky = new Picky("wrong");
        var invalidator = invalidator(properties(100, Duration.ofMinutes(5), null), List.of(picky));
        invalidator.tags("first");
        picky.asked.acquireUninterruptibly();

        IntStream.range(0, 64).forEach(i -> invalidator.tags(i == 41 ? "wrong" : "t" + i));
        var all = invalidator.flush().toCompletableFuture();
        picky.goOn.countDown();

        assertThat(all.orTimeout(60, TimeUnit.SECONDS).join().deliveries())
                .hasSize(65)
                .filteredOn(delivery -> delivery.outcome() == Outcome.REFUSED)
                .extracting(Delivery::invalidation)
                .containsExactly(Invalidation.ofTags("wrong"));
        assertThat(picky.done).hasSize(64).doesNotHaveDuplicates().startsWith("first", "t0");
        assertThat(invalidator.queues().getFirst().lost()).isEqualTo(1);
        assertThat(picky.requests.get()).isLessThanOrEqualTo(14);
    }

    @Test
    void validInvalidationsAreSentHoweverManyAreRefusedBeforeThem() {
        var picky = new Picky("wrong");
        var invalidator = invalidator(properties(100, Duration.ofMinutes(5), null), List.of(picky));
        invalidator.tags("first");
        picky.asked.acquireUninterruptibly();

        for (int i = 0; i < 8; i++) {
            boolean isValid = i == 4 || i > 5;
            invalidator.tags(isValid ? "t" + i : "wrong", "k" + i);
        }
        var all = invalidator.flush().toCompletableFuture();
        picky.goOn.countDown();

        assertThat(all.orTimeout(60, TimeUnit.SECONDS).join().deliveries())
                .filteredOn(delivery -> delivery.outcome() == Outcome.REFUSED)
                .hasSize(5);
        assertThat(picky.done).containsExactly("first", "t4", "k4", "t6", "k6", "t7", "k7");
    }

    /**
     * Sends {@code count} invalidations together to a surrogate that answers each request with
     * {@code status}, and returns the number of requests.
     */
    private int requestsOfRefused(int status, int count) {
        endpoint.hold();
        endpoint.answerNext(200);
        endpoint.answerNext(IntStream.generate(() -> status).limit(2L * count).toArray());
        var invalidator = patient();
        invalidator.tags("first");
        endpoint.next();
        IntStream.range(0, count).forEach(i -> invalidator.tags("t" + i));
        endpoint.release();
        assertThat(report(invalidator).deliveries())
                .filteredOn(delivery -> delivery.outcome() == Outcome.REFUSED)
                .hasSize(count);
        assertThat(invalidator.queues().getFirst().lost()).isEqualTo(count);
        return endpoint.rest().size();
    }

    /** As with a wrong token. Each attempt may take a second, because such answers are delayed. */
    @Test
    void surrogateThatRefusesEverythingIsNotAskedForEachInvalidation() {
        assertThat(requestsOfRefused(401, 64)).isLessThanOrEqualTo(16);
    }

    @Test
    void keysAreRefusedInLessThanTwoRequestsForEachInvalidation() {
        assertThat(requestsOfRefused(400, 64)).isLessThan(2 * 64);
    }

    @Test
    void whatIsRefusedTogetherAndThenFailsIsTriedUntilItSucceeds() {
        endpoint.hold();
        endpoint.answerNext(200, 400, 503, 200, 503, 400);
        var invalidator = patient();
        invalidator.tags("first");
        endpoint.next();
        invalidator.tags("a");
        invalidator.tags("b");
        var all = invalidator.flush().toCompletableFuture();
        endpoint.release();

        assertThat(all.orTimeout(60, TimeUnit.SECONDS).join().deliveries())
                .extracting(Delivery::invalidation, Delivery::outcome)
                .containsExactlyInAnyOrder(
                        tuple(Invalidation.ofTags("first"), Outcome.DONE),
                        tuple(Invalidation.ofTags("a"), Outcome.DONE),
                        tuple(Invalidation.ofTags("b"), Outcome.REFUSED));
        assertThat(endpoint.rest()).hasSize(5);
    }

    @Test
    void whatCannotBeDeliveredInItsTimeIsGivenUp() {
        int port = endpoint.port();
        endpoint.close();
        var invalidator =
                new QueuedInvalidator(
                        Transactions.NONE,
                        properties(10, Duration.ofMillis(20), null),
                        List.of(
                                new QuireClient(
                                        requests,
                                        URI.create("http://127.0.0.1:" + port),
                                        Optional.empty(),
                                        null)),
                        observations,
                        recent,
                        new InvalidationFaults());
        opened.add(invalidator);

        invalidator.tags("article-7");

        assertThat(outcomes(invalidator)).singleElement().asString().contains("gave up", "Connect");
        assertThat(invalidator.queues().getFirst().lost()).isEqualTo(1);
        assertThat(recent.latest().getFirst().tags()).containsExactly("article-7");
    }

    @Test
    void whatWaitsIsSentTogether() {
        endpoint.hold();
        var invalidator = patient();
        invalidator.tags("first");
        endpoint.next();

        IntStream.range(0, 50).forEach(i -> invalidator.tags("article-" + i, "front"));
        assertThat(invalidator.queues().getFirst().waiting()).isEqualTo(50);
        var all = invalidator.flush().toCompletableFuture();
        endpoint.release();

        assertThat(all.join().deliveries()).hasSize(51);
        assertThat(endpoint.rest()).hasSize(1);
    }

    @Test
    void hardAndSoftAreNotMixed() {
        endpoint.hold();
        var invalidator = patient();
        invalidator.tags("first");
        endpoint.next();

        invalidator.purge(Invalidation.ofTags("a").soft());
        invalidator.tags("b");
        endpoint.release();

        report(invalidator);
        assertThat(endpoint.rest())
                .extracting(Endpoint.Seen::body)
                .containsExactly(
                        "{\"tags\":[\"a\"],\"urls\":[],\"soft\":true}",
                        "{\"tags\":[\"b\"],\"urls\":[],\"soft\":false}");
    }

    @Test
    void noRequestNamesMoreThan256Keys() {
        var invalidator = patient();
        var many = new LinkedHashSet<String>();
        IntStream.range(0, 600).forEach(i -> many.add("t" + i));

        invalidator.purge(new Invalidation(many, Set.of(), Invalidation.Mode.HARD));

        report(invalidator);
        var named = new ArrayList<String>();
        for (var request : endpoint.rest()) {
            var tags =
                    List.of(
                            request.body()
                                    .replaceAll(".*\\[\"(t.*?)\"\\].*", "$1")
                                    .split("\",\"", -1));
            assertThat(tags).hasSizeLessThanOrEqualTo(256);
            named.addAll(tags);
        }
        assertThat(named).containsExactlyElementsOf(many);
    }

    @Test
    void aFullQueueLosesWhatComesNextAndSaysSo() {
        endpoint.hold();
        var invalidator = invalidator(properties(2, Duration.ofMinutes(5), null), endpoint);
        invalidator.tags("under-way");
        endpoint.next();

        IntStream.range(0, 5).forEach(i -> invalidator.tags("t" + i));

        assertThat(invalidator.queues().getFirst().lost()).isEqualTo(3);
        assertThat(recent.latest()).hasSize(3);
        assertThat(recent.latest().getFirst().outcome()).contains("quire.invalidation.queue");
        endpoint.release();
        report(invalidator);
    }

    @Test
    void aSurrogateThatIsDownDoesNotHoldUpTheOthers() {
        try (var other = Endpoint.start()) {
            endpoint.hold();
            var invalidator =
                    invalidator(properties(10, Duration.ofMinutes(5), null), endpoint, other);

            invalidator.tags("article-7");
            assertThat(other.next().body()).contains("article-7");
            invalidator.tags("article-8");

            assertThat(other.next().body()).contains("article-8");
            var all = invalidator.flush().toCompletableFuture();
            endpoint.release();
            assertThat(all.join().deliveries())
                    .contains(
                            new Delivery(
                                    endpoint.url(),
                                    Invalidation.ofTags("article-8"),
                                    Outcome.DONE,
                                    "",
                                    1));
        }
    }

    @Test
    void whatIsQueuedAtTheEndIsStillSent() {
        endpoint.hold();
        var invalidator = patient();
        invalidator.tags("under-way");
        endpoint.next();
        invalidator.tags("queued");
        var later = invalidator.flush().toCompletableFuture();

        Thread.ofVirtual().start(endpoint::release);
        invalidator.close();

        assertThat(later.join().isComplete()).isTrue();
        assertThat(endpoint.next().body()).contains("queued");
    }

    @Test
    void whatComesAfterTheEndIsLostAndSaysSo() {
        var invalidator = patient();
        invalidator.close();

        invalidator.tags("too-late");

        // the worker has ended, but the delivery still completes
        assertThat(report(invalidator).isComplete()).isTrue();
        assertThat(recent.latest())
                .singleElement()
                .extracting(InvalidationHistory.Entry::outcome)
                .asString()
                .contains("dropped, the application has stopped");
        assertThat(invalidator.queues().getFirst().waiting()).isZero();
        assertThat(endpoint.rest()).isEmpty();
    }

    @Test
    void whoeverObservesMayFailAndSurrogatesAreToldNevertheless() {
        observations.observationConfig().observationHandler(new FaultyHandler());
        var invalidator = patient();

        invalidator.tags("a");
        report(invalidator);
        invalidator.tags("b");

        assertThat(outcomes(invalidator))
                .containsExactly(endpoint.url() + ": done", endpoint.url() + ": done");
        assertThat(endpoint.rest()).hasSize(2);
    }

    @Test
    void noErrorOfAClientEndsItsLane() {
        var faulty = new Faulty();
        var invalidator = of(faulty);
        for (var fault :
                List.of(
                        new NoClassDefFoundError("a/library/that/is/not/there"),
                        new IllegalStateException("a fault"),
                        new InterruptedException("of the client itself"))) {
            faulty.fault = fault;
            invalidator.tags("a");
            assertThat(outcomes(invalidator)).first().asString().doesNotContain("done");
        }

        faulty.fault = null;
        invalidator.tags("b");

        assertThat(outcomes(invalidator)).hasSize(4).first().isEqualTo("faulty: done");
        assertThat(invalidator.queues().getFirst().lost()).isEqualTo(3);
    }

    @Test
    void aClientThatCannotSayWhatItCanDoIsCountedAndTheOthersAreTold() {
        var faulty = new Faulty();
        faulty.mute = true;
        var invalidator =
                of(
                        faulty,
                        new QuireClient(
                                requests, URI.create(endpoint.url()), Optional.empty(), null));

        invalidator.tags("a");

        assertThat(outcomes(invalidator)).containsExactly(endpoint.url() + ": done");
        assertThat(invalidator.queues().getFirst().lost()).isEqualTo(1);
        assertThat(new SurrogateHealth(invalidator.queues()).health().getStatus())
                .isEqualTo(SurrogateHealth.DEGRADED);
    }

    private QueuedInvalidator of(SurrogateClient... clients) {
        return invalidator(properties(10, Duration.ofMinutes(5), null), List.of(clients));
    }

    @Test
    void theEndDoesNotWaitForWhatCannotBeDelivered() {
        endpoint.answerNext(IntStream.generate(() -> 503).limit(100).toArray());
        var slow =
                new InvalidationProperties(
                        false,
                        Duration.ofSeconds(1),
                        10,
                        Duration.ofMinutes(10),
                        Duration.ofMinutes(20),
                        null,
                        Duration.ofSeconds(20),
                        true,
                        List.of(),
                        null);
        var invalidator = invalidator(slow, endpoint);
        invalidator.tags("article-7");
        endpoint.next();
        var end = invalidator.flush().toCompletableFuture();

        invalidator.close();

        assertThat(end.join().deliveries().getFirst().outcome()).isEqualTo(Outcome.GAVE_UP);
    }

    @Test
    void itIsSaidOnceMoreForReplicasThatLag() {
        var invalidator =
                invalidator(properties(10, Duration.ofMinutes(5), Duration.ofMillis(5)), endpoint);

        invalidator.tags("article-7");

        assertThat(endpoint.next().body()).contains("article-7");
        assertThat(endpoint.next().body()).contains("article-7");
        invalidator.tags("last");
        assertThat(endpoint.next().body()).contains("last").doesNotContain("article-7");
        assertThat(endpoint.next().body()).contains("last").doesNotContain("article-7");
    }

    @Test
    void aClientWithAFaultHarmsOnlyItself() {
        var invalidator =
                new QueuedInvalidator(
                        Transactions.NONE,
                        properties(10, Duration.ofMinutes(5), null),
                        List.of(
                                new Faulty(),
                                new QuireClient(
                                        requests,
                                        URI.create(endpoint.url()),
                                        Optional.empty(),
                                        null)),
                        observations,
                        recent,
                        new InvalidationFaults());
        opened.add(invalidator);

        invalidator.tags("a");
        invalidator.urls(URI.create("http://a.example/"));

        assertThat(outcomes(invalidator))
                .anyMatch(outcome -> outcome.startsWith("faulty: refused"))
                .filteredOn(outcome -> outcome.endsWith(": done"))
                .isNotEmpty();
        // it does not support URLs, so only the tag reached it
        assertThat(invalidator.queues().getFirst().lost()).isEqualTo(2);
    }

    @Test
    void theQueueAndWhatIsLostAreMeters() {
        endpoint.hold();
        var invalidator = patient();
        new InvalidationMeters(invalidator.queues()).bindTo(meters);
        invalidator.tags("under-way");
        endpoint.next();

        invalidator.tags("a");

        assertThat(
                        meters.get("quire.invalidation.queue")
                                .tag("surrogate", endpoint.url())
                                .gauge()
                                .value())
                .isEqualTo(1);
        endpoint.release();
        report(invalidator);
        assertThat(meters.get("quire.invalidation.queue").gauge().value()).isZero();
        assertThat(meters.get("quire.invalidation.lost").functionCounter().count()).isZero();
    }

    @Test
    void healthTellsWhetherSurrogatesAreReached() {
        var health = new SurrogateHealth(patient().queues());

        assertThat(health.health().getStatus().getCode()).isEqualTo("UP");
        assertThat(endpoint.next().target()).isEqualTo("/healthz");

        endpoint.close();
        assertThat(health.health().getStatus()).isEqualTo(SurrogateHealth.DEGRADED);
        assertThat(health.health().getDetails()).containsKey(endpoint.url());
    }

    /** An observation handler that fails on every event. */
    private static final class FaultyHandler implements ObservationHandler<Observation.Context> {
        @Override
        public void onStart(Observation.Context context) {
            throw new IllegalStateException("a fault at the start");
        }

        @Override
        public void onStop(Observation.Context context) {
            throw new NoClassDefFoundError("a/library/that/is/not/there");
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    /** A client that throws and supports tags only. */
    private static final class Faulty implements SurrogateClient {
        private volatile @Nullable Throwable fault = new IllegalArgumentException("a fault");
        private volatile boolean mute;

        @Override
        public String product() {
            return "faulty";
        }

        @Override
        public String name() {
            return "faulty";
        }

        @Override
        public Set<Capability> capabilities() {
            if (mute) {
                throw new NoClassDefFoundError("a/library/that/is/not/there");
            }
            return Set.of(Capability.TAGS);
        }

        @Override
        public SurrogateAnswer send(Invalidation invalidation) throws InterruptedException {
            switch (fault) {
                case null -> {}
                case RuntimeException wrong -> throw wrong;
                case Error wrong -> throw wrong;
                case InterruptedException wrong -> throw wrong;
                default -> throw new IllegalStateException("expected one of these");
            }
            return new SurrogateAnswer.Done();
        }

        @Override
        public SurrogateAnswer reach() {
            if (mute) {
                throw new IllegalStateException("a fault");
            }
            return new SurrogateAnswer.Done();
        }
    }

    /** A client that refuses one tag, and holds the first request. */
    private static final class Picky implements SurrogateClient {
        private final String wrong;
        private final Semaphore asked = new Semaphore(0);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final AtomicInteger requests = new AtomicInteger();
        private final List<String> done = new CopyOnWriteArrayList<>();

        Picky(String wrong) {
            this.wrong = wrong;
        }

        @Override
        public String product() {
            return "picky";
        }

        @Override
        public String name() {
            return "picky";
        }

        @Override
        public Set<Capability> capabilities() {
            return Set.of(Capability.TAGS);
        }

        @Override
        public SurrogateAnswer send(Invalidation invalidation) throws InterruptedException {
            asked.release();
            goOn.await();
            requests.incrementAndGet();
            if (invalidation.tags().contains(wrong)) {
                return new SurrogateAnswer.Refused(wrong);
            }
            done.addAll(invalidation.tags());
            return new SurrogateAnswer.Done();
        }

        @Override
        public SurrogateAnswer reach() {
            return new SurrogateAnswer.Done();
        }
    }
}
