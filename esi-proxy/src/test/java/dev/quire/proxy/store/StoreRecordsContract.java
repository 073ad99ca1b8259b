package dev.quire.proxy.store;

import static dev.quire.proxy.store.OpenRecords.KEY;
import static dev.quire.proxy.store.OpenRecords.PLACE;
import static dev.quire.proxy.store.OpenRecords.TERMS;
import static dev.quire.proxy.store.OpenRecords.VARIANT;
import static dev.quire.proxy.store.OpenRecords.VARIANT_KEY;
import static dev.quire.proxy.store.OpenRecords.bytes;
import static dev.quire.proxy.store.OpenRecords.list;
import static dev.quire.proxy.store.OpenRecords.record;
import static dev.quire.proxy.store.OpenRecords.version;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.cache.SharedRecords.Absent;
import dev.quire.proxy.cache.SharedRecords.Answer;
import dev.quire.proxy.cache.SharedRecords.Ending;
import dev.quire.proxy.cache.SharedRecords.Failed;
import dev.quire.proxy.cache.SharedRecords.ListKind;
import dev.quire.proxy.cache.SharedRecords.Place;
import dev.quire.proxy.cache.SharedRecords.Taken;
import dev.quire.proxy.cache.SharedRecords.Uncacheable;
import dev.quire.proxy.cache.SharedRecords.Version;
import dev.quire.proxy.cache.TierWrite;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Records and leases in a store of any kind. */
public abstract class StoreRecordsContract<S extends OpenRecords> {
    protected S store;

    /** Opens the store of this class, and waits until it is usable on all loops. */
    protected abstract S open(RecordTerms terms);

    protected final S open() {
        return open(TERMS);
    }

    /** Removes all that its server has. */
    protected abstract void clear();

    /** The number of connections that the server has ever accepted. */
    protected abstract long connectionsMade();

    protected abstract boolean has(String key);

    protected abstract int length(String key);

    protected abstract Duration lifetime(String key);

    protected abstract void copy(String from, String to);

    /** Waits until a lease that begins now would end soonest. */
    protected void awaitWorstMoment() {}

    @BeforeEach
    protected final void begin() {
        clear();
        store = open();
    }

    @AfterEach
    protected final void end() {
        store.close();
    }

    @Test
    protected void aRecordIsFoundAtItsPlaceOnly() {
        var record = record(version(1), "page");
        assertThat(store.get(PLACE)).isEqualTo(new Absent());

        store.put(PLACE, version(1), record);

        assertThat(bytes(store.get(PLACE))).isEqualTo(record);
        assertThat(store.get(VARIANT)).isEqualTo(new Absent());
        assertThat(store.get(new Place(new RecordHash(2, -2), null))).isEqualTo(new Absent());
        assertThat(store.records().count(TierWrite.STORED)).isEqualTo(1);
    }

    @Test
    protected void aRecordExpires() {
        var record = Unpooled.copiedBuffer(record(version(1), "page"));
        store.records().put(PLACE, version(1), 50_000, record);
        store.records().put(VARIANT, version(1), Duration.ofDays(40).toMillis(), record);
        record.release();
        store.settle();

        assertThat(lifetime(KEY)).isBetween(Duration.ofSeconds(45), Duration.ofSeconds(50));
        assertThat(lifetime(VARIANT_KEY))
                .describedAs("the largest time")
                .isBetween(Duration.ofSeconds(86_000), Duration.ofSeconds(86_400));
    }

    @Test
    protected void theLaterOfTwoRecordsStays() {
        // Just before the time begins again.
        long last = (1L << 26) - 1;
        var later = record(version(last), "later");
        store.put(PLACE, version(last), later);

        store.put(PLACE, version(last - 1), record(version(last - 1), "earlier"));
        assertThat(bytes(store.get(PLACE))).isEqualTo(later);
        assertThat(store.records().count(TierWrite.STORED)).isEqualTo(1);
        assertThat(store.records().count(TierWrite.REPLACED)).isEqualTo(1);

        var newest = record(version(last + 2), "newest");
        store.put(PLACE, version(last + 2), newest);
        store.put(PLACE, version(last), later);
        assertThat(bytes(store.get(PLACE))).isEqualTo(newest);
        var other = record(version(last + 2), "of the same time");
        store.put(PLACE, version(last + 2), other);
        assertThat(bytes(store.get(PLACE))).isEqualTo(other);
    }

    @Test
    protected void aRecordOfAnotherEpochIsNotLater() {
        store.put(PLACE, version(9), record(version(9), "of the first epoch"));
        store.epoch.set(7);
        var next = new Version(new RecordPosition(7, 0), 64);

        store.put(PLACE, next, record(next, "of the second"));

        assertThat(bytes(store.get(PLACE))).isEqualTo(record(next, "of the second"));
        store.put(PLACE, version(10), record(version(10), "of the first again"));
        assertThat(bytes(store.get(PLACE))).isEqualTo(record(next, "of the second"));
        assertThat(store.records().count(TierWrite.REPLACED)).isEqualTo(1);
    }

    @Test
    protected void ofTwoWritesAtOnceTheLaterStays() {
        try (var other = open()) {
            for (int i = 2; i < 200; i += 2) {
                var first = Unpooled.copiedBuffer(record(version(i), "page " + i));
                var second = Unpooled.copiedBuffer(record(version(i + 1), "page " + (i + 1)));
                store.records().put(PLACE, version(i), 60_000, first);
                other.records().put(PLACE, version(i + 1), 60_000, second);
                first.release();
                second.release();
                store.settle();
                other.settle();

                assertThat(bytes(store.get(PLACE)))
                        .isEqualTo(record(version(i + 1), "page " + (i + 1)));
            }
            assertThat(other.records().count(TierWrite.STORED)).isEqualTo(99);
        }
    }

    @Test
    protected void aRecordIsRemovedUnlessItIsLater() {
        store.put(PLACE, version(5), record(version(5), "page"));

        remove(version(4), null);
        assertThat(bytes(store.get(PLACE))).isNotEmpty();
        remove(version(5), null);
        assertThat(store.get(PLACE)).isEqualTo(new Absent());
    }

    private void remove(Version version, @Nullable ListKind kept) {
        store.records().remove(PLACE, version, kept);
        store.settle();
    }

    @Test
    protected void aListOfVariantsIsKeptIfItIsOfTheGivenKind() {
        var kind = new ListKind(-5, 6L);
        var list = list(version(5), kind);
        store.put(PLACE, version(5), list);

        for (var kept : List.of(kind, new ListKind(-5, null))) {
            remove(version(6), kept);
            assertThat(bytes(store.get(PLACE))).describedAs("" + kept).isEqualTo(list);
        }
        for (var kept :
                Arrays.asList(
                        null, new ListKind(-6, null), new ListKind(-5, 7L), new ListKind(6, -5L))) {
            store.put(PLACE, version(5), list);
            remove(version(4), kept);
            assertThat(bytes(store.get(PLACE))).describedAs("later").isEqualTo(list);
            remove(version(5), kept);
            assertThat(store.get(PLACE)).describedAs("" + kept).isEqualTo(new Absent());
        }
    }

    @Test
    protected void aRecordThatIsNoListIsRemovedThoughListsAreKept() {
        for (var record : List.of(record(version(5), "page"), new byte[20])) {
            store.put(PLACE, version(5), record);
            remove(version(5), new ListKind(-5, 6L));
            assertThat(store.get(PLACE)).isEqualTo(new Absent());
        }
    }

    @Test
    protected void theLeaseIsForOneProcessUntilItIsReturned() {
        try (var other = open()) {
            assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
            assertThat(store.lease(PLACE, null)).describedAs("its own").isEqualTo(new Absent());
            assertThat(other.lease(PLACE, null)).isEqualTo(new Taken());
            assertThat(other.lease(VARIANT, null)).isEqualTo(new Absent());

            other.records().release(PLACE, Ending.NONE);
            other.settle();
            assertThat(other.lease(PLACE, null)).describedAs("not its own").isEqualTo(new Taken());
            store.records().release(PLACE, Ending.NONE);
            store.settle();
            assertThat(other.lease(PLACE, null)).isEqualTo(new Absent());
            assertThat(store.lease(PLACE, null)).isEqualTo(new Taken());
            assertThat(store.records().count(Lease.GRANTED)).isEqualTo(2);
            assertThat(store.records().count(Lease.TAKEN)).isEqualTo(1);
        }
    }

    @Test
    protected void ofAHundredCallersOnTwoProcessesOneHasTheLease() throws Exception {
        try (var other = open()) {
            var answers = new ConcurrentLinkedQueue<Answer>();
            var all = new CountDownLatch(100);
            for (int i = 0; i < 50; i++) {
                var place = new Place(new RecordHash(8, i / 25), null);
                for (var each : List.of(store, other)) {
                    each.records()
                            .lease(
                                    place,
                                    null,
                                    each.loop(i % 2),
                                    answer -> {
                                        answers.add(
                                                each.equals(store) && answer instanceof Absent
                                                        ? new Failed()
                                                        : answer);
                                        all.countDown();
                                    });
                }
            }
            assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();

            // A process has its own lease again; so each place was granted to one of the two.
            assertThat(Collections.frequency(answers, new Taken())).isEqualTo(50);
        }
    }

    @Test
    protected void aLeaseEndsByItself() {
        awaitWorstMoment();
        long taken = System.nanoTime();
        assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());

        try (var other = open()) {
            store.await(() -> other.lease(PLACE, null).equals(new Absent()));
        }

        assertThat(Duration.ofNanos(System.nanoTime() - taken))
                .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(10));
    }

    @Test
    protected void aLeaseIsReturnedByTheRecord() {
        try (var other = open()) {
            assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
            assertThat(other.lease(PLACE, null)).isEqualTo(new Taken());
            var record = record(version(2), "page");

            store.put(PLACE, version(2), record);

            assertThat(bytes(other.lease(PLACE, null))).isEqualTo(record);
            assertThat(bytes(other.lease(PLACE, version(1)))).isEqualTo(record);
            // The lease is returned after the answer.
            other.await(() -> !has(KEY + ":l"));
            assertThat(other.lease(PLACE, version(2)))
                    .describedAs("that record is of no use")
                    .isEqualTo(new Absent());
        }
    }

    @Test
    protected void aRecordOfAnotherProcessDoesNotReturnTheLease() {
        try (var other = open()) {
            assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
            other.put(PLACE, version(1), record(version(1), "page"));

            assertThat(other.lease(PLACE, version(1))).isEqualTo(new Taken());
        }
    }

    @Test
    protected void aFailedFetchIsKnownForASecond() {
        try (var other = open()) {
            long failed = System.nanoTime();
            assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
            store.records().release(PLACE, Ending.FAILED);
            store.settle();

            assertThat(other.lease(PLACE, null)).isEqualTo(new Failed());
            store.await(() -> other.lease(PLACE, null).equals(new Absent()));
            assertThat(Duration.ofNanos(System.nanoTime() - failed))
                    .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
        }
    }

    @Test
    protected void anUncacheableResponseIsKnownForTwoMinutesAndHidesNoRecord() {
        try (var other = open()) {
            store.records().release(PLACE, Ending.UNCACHEABLE);
            store.settle();

            assertThat(other.lease(PLACE, null)).isEqualTo(new Uncacheable());
            assertThat(lifetime(KEY + ":l"))
                    .isBetween(Duration.ofSeconds(110), Duration.ofSeconds(121));
            var record = record(version(1), "page");
            store.put(PLACE, version(1), record);
            assertThat(bytes(other.lease(PLACE, null))).isEqualTo(record);
            other.settle();
            assertThat(other.lease(PLACE, version(1)))
                    .describedAs("the newer response is cacheable")
                    .isEqualTo(new Absent());
        }
    }

    @Test
    protected void aRecordThatIsTooLongIsNotWritten() {
        int most = store.records().maxRecordBytes();
        var longest = Arrays.copyOf(record(version(1), ""), most);
        store.put(PLACE, version(1), longest);
        assertThat(bytes(store.get(PLACE))).isEqualTo(longest);
        assertThat(bytes(store.lease(PLACE, null))).isEqualTo(longest);

        store.put(VARIANT, version(1), Arrays.copyOf(longest, most + 1));
        assertThat(store.get(VARIANT)).isEqualTo(new Absent());
        assertThat(store.records().count(TierWrite.REFUSED)).isEqualTo(1);
    }

    @Test
    protected void aDamagedRecordIsRemoved() {
        store.put(PLACE, version(1), record(version(1), "page"));

        store.records().corrupt(PLACE);
        store.settle();

        assertThat(store.get(PLACE)).isEqualTo(new Absent());
        assertThat(store.records().corrupt()).isEqualTo(1);
    }

    @Test
    protected void aRecordOfAnotherKeyEndsTheConnections() {
        store.put(PLACE, version(1), record(version(1), "page"));
        long before = connectionsMade();

        store.records().swapped(PLACE);

        // Each question needs a connection too.
        var questions = new AtomicInteger();
        store.await(() -> connectionsMade() - before > questions.incrementAndGet());
        store.await(() -> store.get(PLACE).equals(new Absent()));
        assertThat(store.records().corrupt()).isEqualTo(1);
    }

    @Test
    protected void withASecretOnlyItsRecordsAreRead() {
        try (var signing = signedBy("one secret");
                var other = signedBy("another")) {
            var record = record(version(1), "page");
            signing.put(PLACE, version(1), record);
            assertThat(length(KEY)).isEqualTo(record.length + 16);
            assertThat(bytes(signing.get(PLACE))).isEqualTo(record);
            assertThat(bytes(signing.lease(PLACE, null))).isEqualTo(record);

            copy(KEY, VARIANT_KEY);
            assertThat(signing.get(VARIANT)).describedAs("of another key").isEqualTo(new Absent());
            assertThat(signing.records().corrupt()).isEqualTo(1);

            assertThat(other.get(PLACE)).describedAs("another secret").isEqualTo(new Absent());
            other.settle();
            assertThat(has(KEY)).isFalse();
        }
    }

    private OpenRecords signedBy(String secret) {
        var bytes = Optional.of(secret.getBytes(UTF_8));
        return open(new RecordTerms(TERMS.maxBytes(), TERMS.maxTtl(), TERMS.lease(), bytes));
    }

    @Test
    protected void answersComeOnTheLoopOfTheCallAndAfterIt() throws Exception {
        var wrong = new ConcurrentLinkedQueue<String>();
        var all = new CountDownLatch(400);
        for (int i = 0; i < 200; i++) {
            var loop = store.loop(i % 2);
            Runnable ask =
                    () -> {
                        boolean isOnLoop = loop.inEventLoop();
                        boolean[] isIn = {loop.inEventLoop()};
                        store.records()
                                .get(
                                        PLACE,
                                        loop,
                                        answer -> {
                                            if (!loop.inEventLoop() || (isOnLoop && isIn[0])) {
                                                wrong.add(
                                                        answer
                                                                + " within the call, or not on the loop");
                                            }
                                            all.countDown();
                                        });
                        isIn[0] = false;
                    };
            loop.execute(ask);
            ask.run();
        }

        assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(wrong).isEmpty();
    }

    @Test
    protected void theHolderIsRandom() {
        try (var other = open()) {
            assertThat(store.records().holderName())
                    .matches("[0-9a-f]{16}")
                    .isNotEqualTo(other.records().holderName());
        }
    }
}
