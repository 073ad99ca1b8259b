package dev.quire.proxy.cache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.Settings;
import dev.quire.core.rule.ResponseRules;
import dev.quire.proxy.disk.DiskTier;
import dev.quire.proxy.route.EsiProcessing;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Responses that the memory does not have are found on disk. */
class RecordTierTest {
    private static final RouteCacheRules RULES =
            CacheHouse.rules(EsiProcessing.ON).recorded(ResponseRules.NONE, CacheHouse.REQUESTS);

    /** For long bodies. */
    private static final RouteCacheRules OF_FILES =
            new RouteCacheRules(RULES.settings(), RULES.esi(), RULES.documents(), 2 << 20)
                    .recorded(ResponseRules.NONE, CacheHouse.REQUESTS);

    private static final String FRESH = "max-age=100";
    private static final String WITH_GRACE = "max-age=100, stale-while-revalidate=100";
    private static final String FOUND = "found ";
    private static final CacheKey OTHER = new CacheKey(Scheme.HTTP, "news.example", "/other");
    private static final long NO_MEMORY = 0;
    private static final int LONG_BYTES = 4000;
    private static final int QUEUE_BYTES = 1 << 20;
    private static final Duration END = Duration.ofSeconds(5);

    /** If removals of so many resources wait, a second one of another is of all its variants. */
    private static final int MANY_RESOURCES = RecordWriter.MAX_REMOVALS / RecordRemoval.MAX_JOINED;

    @TempDir Path directory;
    private final CacheHouse house = new CacheHouse(NO_MEMORY, 1 << 20);

    /** Why the tier was emptied. */
    private final List<String> reasons = new CopyOnWriteArrayList<>();

    private DiskTier disk;
    private RecordLog log;

    @BeforeEach
    void open() throws Exception {
        disk = opened(house);
        log = disk.load();
        begin(house, log);
    }

    private DiskTier opened(CacheHouse of) throws Exception {
        return DiskTier.open(
                new DiskTier.Terms(directory, 16 << 20, 1 << 20),
                of.store.invalidations(),
                () -> Long.MAX_VALUE,
                (id, record) -> null,
                of.time);
    }

    /** The tier of {@code house} uses {@code other} from now on. */
    private void useInstead(RecordLog other) {
        house.tier.end(END);
        begin(house, other);
    }

    private static void end(CacheHouse of) {
        of.tier.end(END);
        of.tier.close();
    }

    private static void begin(CacheHouse of, RecordLog from) {
        expect(of);
        of.tier.use(from);
    }

    private static void expect(CacheHouse of) {
        of.tier.limit(
                new RecordTier.Terms(
                        Duration.ofSeconds(10),
                        64 << 20,
                        QUEUE_BYTES,
                        2,
                        Duration.ofMillis(500),
                        LONG_BYTES,
                        1 << 20));
        of.tier.expect(reason -> {});
    }

    @AfterEach
    void close() {
        end(house);
        disk.close();
        house.close();
    }

    @Test
    void responseIsFoundWhileItWaitsAndOnceItIsWritten() {
        house.stored(RULES, "text", "Cache-Control", FRESH);
        TierRest.settle(house);

        assertThat(house.tier.count(TierWrite.STORED)).isEqualTo(1);
        assertThat(house.store.held().isEmpty()).isTrue();
        assertThat(house.textOf()).isNull();
        assertThat(searched()).isEqualTo("text");
        assertThat(house.tier.count(TierOutcome.HIT)).isEqualTo(1);
    }

    @Test
    void faultOfOneRequestReachesIt() {
        house.stored(RULES, "text", "Cache-Control", FRESH);
        TierRest.settle(house);
        var taker =
                house.reader(house.here)
                        .looking(() -> {
                            throw new StackOverflowError("for the test");
                        });
        assertThat(search(RULES, taker)).isTrue();

        TierRest.await(() -> !taker.heard().isEmpty());
        assertThat(taker.heard()).containsExactly("bug for the test");
        TierRest.settle(house);
        assertThat(searched()).isEqualTo("text");
    }

    @Test
    void responseIsInTheFileOnceNoOtherWaits() {
        house.stored(RULES, "text", "Cache-Control", FRESH);

        TierRest.await(
                () -> directory.resolve("000001.seg").toFile().length() > "text".length() + 64);
    }

    @Test
    void responseInMemoryIsWrittenAfterTwoSeconds() {
        try (var other = new CacheHouse()) {
            begin(other, log);
            other.stored(RULES, "text", "Cache-Control", FRESH);
            assertThat(other.store.held().isEmpty()).isFalse();
            other.time.pass(RecordWriter.WAIT);
            TierRest.await(() -> other.tier.count(TierWrite.STORED) == 1);
            end(other);
        }
    }

    @Test
    void oldestResponseIsWrittenAtOnceIfTheQueueIsHalfFull() {
        var text = "x".repeat(QUEUE_BYTES / 3);
        try (var other = new CacheHouse(8 << 20, 8 << 20)) {
            begin(other, log);
            for (var language : List.of("de", "fr")) {
                storeVariant(other, OF_FILES, language, text);
            }
            TierRest.await(() -> other.tier.count(TierWrite.STORED) == 1);
            TierRest.awaitWriter(other);

            assertThat(other.tier.count(TierWrite.STORED)).isEqualTo(1);
            assertThat(other.tier.waitingBytes()).isBetween(QUEUE_BYTES / 3L, QUEUE_BYTES / 2L);
            end(other);
        }
    }

    @Test
    void responseThatIsLongerThanTheQueueIsWritten() {
        try (var other = new CacheHouse(8 << 20, 8 << 20)) {
            begin(other, log);
            other.stored(OF_FILES, "x".repeat(QUEUE_BYTES + 1), "Cache-Control", FRESH);

            TierRest.await(() -> other.tier.count(TierWrite.STORED) == 1);
            end(other);
        }
    }

    @Test
    void responseThatIsLongerThanTheQueueLeavesRoomForOthers() {
        try (var other = new CacheHouse(8 << 20, 8 << 20)) {
            var hanging = HangingLog.ofAppends(log);
            begin(other, hanging);
            other.stored(OF_FILES, "x".repeat(QUEUE_BYTES + 1), "Cache-Control", FRESH);
            TierRest.await(() -> hanging.appends().get() == 1);

            other.stored(RULES, "short", "Cache-Control", FRESH);

            assertThat(other.tier.count(TierWrite.DROPPED)).isZero();
            hanging.goOn().countDown();
            end(other);
        }
    }

    /** Two of them are more than the queue takes. */
    @Test
    void secondResponseThatIsLongerThanHalfOfTheQueueIsDroppedAndStaysInMemory() {
        var text = "x".repeat(QUEUE_BYTES * 3 / 4);
        try (var other = new CacheHouse(8 << 20, 8 << 20)) {
            var hanging = HangingLog.ofAppends(log);
            begin(other, hanging);
            for (var language : List.of("de", "fr")) {
                storeVariant(other, OF_FILES, language, text);
                TierRest.await(() -> hanging.appends().get() == 1);
            }

            assertThat(other.tier.count(TierWrite.DROPPED)).isEqualTo(1);
            assertThat(other.textOf("Accept-Language", "fr")).isEqualTo(text);
            hanging.goOn().countDown();
            TierRest.await(() -> other.tier.count(TierWrite.STORED) == 1);
            end(other);
        }
    }

    @Test
    void waitingResponseIsNotWrittenAfterANewerOneWithAnotherVary() {
        try (var other = new CacheHouse()) {
            begin(other, log);
            other.stored(RULES, "varying", "Cache-Control", FRESH, "Vary", "Accept-Language");
            other.time.pass(Duration.ofSeconds(1));
            var german = Fields.of("Accept-Language", "de");
            other.stored(RULES, "brief", german, "Cache-Control", "max-age=5");
            other.time.pass(RecordWriter.WAIT);
            TierRest.await(() -> other.tier.waitingBytes() == 0);

            assertThat(other.tier.count(TierWrite.REPLACED)).isEqualTo(1);
            assertThat(other.tier.count(TierWrite.STORED)).isZero();
            end(other);
        }
    }

    @Test
    void responseThatWasPurgedSoftlyIsWrittenThoughItsRefreshFails() {
        try (var other = new CacheHouse()) {
            begin(other, log);
            written(other, "old");
            other.stored(RULES, "new", "Cache-Control", WITH_GRACE);
            other.store.purge(Purge.of(Set.of(CacheHouse.PAGE)), true);
            var origin = other.origin();
            other.refresh(RULES, origin);
            origin.attempt().fail(Kind.UNREACHABLE);
            other.time.pass(RecordWriter.WAIT);
            TierRest.await(() -> other.tier.waitingBytes() == 0);
            other.passOnLoops(Duration.ofSeconds(1));
            other.store.limit(NO_MEMORY, false);

            assertThat(searched(other)).isEqualTo("new");
            end(other);
        }
    }

    @Test
    void responseThatANewerOneHasOvertakenDoesNotReplaceItsRecord() {
        try (var other = new CacheHouse()) {
            begin(other, log);
            var waiting = other.fragment(other.here);
            var slow = begun(other, waiting, "Cache-Control", FRESH);
            other.time.pass(Duration.ofSeconds(1));
            written(other, "new");

            slow.end();
            other.time.pass(RecordWriter.WAIT);
            TierRest.await(() -> other.tier.waitingBytes() == 0);
            TierRest.awaitWriter(other);

            assertThat(waiting.heard()).containsExactly("whole 200 old");
            assertThat(other.tier.count(TierWrite.STORED)).isEqualTo(1);
            other.store.limit(NO_MEMORY, false);
            assertThat(searched(other)).isEqualTo("new");
            end(other);
        }
    }

    /** The newer one is not in memory, but is found until it is written. */
    @Test
    void responseThatANewerVariantHasOvertakenIsNotWrittenWithoutMemoryEither() {
        var waiting = house.fragment(house.here);
        var slow = begun(house, waiting, "Cache-Control", FRESH, "Vary", "Accept-Language");
        house.time.pass(Duration.ofSeconds(1));
        house.stored(RULES, "new", "Cache-Control", FRESH);

        slow.end();
        TierRest.settle(house);

        assertThat(waiting.heard()).containsExactly("whole 200 old");
        assertThat(house.tier.count(TierWrite.REPLACED)).isZero();
        assertThat(searched()).isEqualTo("new");
    }

    /** The newer one is not from a fetch of this process. */
    @Test
    void responseIsNotFoundInPlaceOfANewerOneThatIsHeld() {
        try (var other = new CacheHouse()) {
            begin(other, log);
            other.stored(RULES, "new", "Cache-Control", FRESH);
            var stored = other.found();
            other.time.pass(Duration.ofSeconds(1));
            var slow = begun(other, other.fragment(other.here), "Cache-Control", FRESH);
            other.time.pass(Duration.ofMillis(500));
            var newer = stored.with(StoredContent.justNow(other.time.now()));
            stored.release();
            var hold = other.store.held().held(newer);
            other.store.limit(NO_MEMORY, false);
            other.store.limit(1 << 20, false);

            slow.end();

            assertThat(other.textOf()).isEqualTo("new");
            assertThat(other.store.size()).isZero();
            other.store.held().release(hold);
            end(other);
        }
    }

    /** Returns a fetch whose response is not complete. */
    private static ScriptedOrigin.Attempt begun(CacheHouse in, Taker taker, String... head) {
        var origin = in.origin();
        in.here.run(() -> in.coalescer.fetchUncoalesced(CacheHouse.PAGE, origin, RULES, taker));
        return origin.attempt().head(200, head).data("old");
    }

    @Test
    void waitingResponseThatIsReplacedRemovesTheOlderRecord() {
        try (var other = new CacheHouse()) {
            begin(other, log);
            written(other, "old");
            other.stored(RULES, "new", "Cache-Control", FRESH);
            var waiting = other.found();
            other.time.pass(Duration.ofSeconds(1));
            // As from a store of several proxies.
            var newest = waiting.with(StoredContent.justNow(other.time.now()));
            waiting.release();
            var hold = other.store.held().held(newest);
            other.time.pass(RecordWriter.WAIT);
            TierRest.await(() -> other.tier.count(TierWrite.REPLACED) == 1);
            TierRest.awaitWriter(other);

            assertThat(log.has(recordOf(CacheHouse.PAGE))).isFalse();
            other.store.held().release(hold);
            end(other);
        }
    }

    /** Stores {@code text} in {@code other}, and waits until it is written. */
    private static void written(CacheHouse other, String text) {
        long before = other.tier.count(TierWrite.STORED);
        other.stored(RULES, text, "Cache-Control", FRESH);
        other.time.pass(RecordWriter.WAIT);
        TierRest.await(() -> other.tier.count(TierWrite.STORED) > before);
    }

    private static RecordHash recordOf(CacheKey resource) {
        return RecordKey.of(resource, requireNonNull(RULES.storage())).hash();
    }

    @Test
    void olderResponseIsNotFoundInPlaceOfOneThatWasPurged() {
        try (var other = new CacheHouse()) {
            begin(other, log);
            written(other, "old");
            other.stored(RULES, "new", "Cache-Control", FRESH, "Surrogate-Key", "b");
            other.store.purge(new Purge(Set.of(), Set.of("b"), Set.of(), List.of()), false);

            assertThat(other.textOf()).isNull();
            searched(other);
            assertThat(other.textOf()).isNull();
            end(other);
        }
    }

    @Test
    void responseThatWasPurgedIsNotWrittenAndRemovesTheOlderRecord() {
        try (var other = new CacheHouse()) {
            begin(other, log);
            written(other, "old");
            other.stored(RULES, "new", "Cache-Control", FRESH, "Surrogate-Key", "b");
            other.store.purge(new Purge(Set.of(), Set.of("b"), Set.of(), List.of()), false);
            other.time.pass(RecordWriter.WAIT);
            TierRest.await(() -> other.tier.count(TierWrite.REPLACED) == 1);
            TierRest.awaitWriter(other);

            assertThat(other.tier.count(TierWrite.STORED)).isEqualTo(1);
            assertThat(log.has(recordOf(CacheHouse.PAGE))).isFalse();
            assertThat(other.textOf()).isNull();
            end(other);
        }
    }

    @Test
    void readThatBeganBeforeAPurgedResponseWasNotWrittenFindsNothing() {
        try (var other = new CacheHouse()) {
            var hanging = new HangingLog(log);
            begin(other, hanging);
            written(other, "old");
            other.stored(RULES, "new", "Cache-Control", FRESH, "Surrogate-Key", "b");
            other.store.purge(new Purge(Set.of(), Set.of("b"), Set.of(), List.of()), false);
            var taker = other.reader(other.here).looking(other::textOf);
            assertThat(search(other, RULES, taker)).isTrue();
            TierRest.await(() -> hanging.reads().get() == 1);
            other.time.pass(RecordWriter.WAIT);
            TierRest.await(() -> other.store.held().isEmpty());
            hanging.goOn().countDown();

            TierRest.await(() -> !taker.heard().isEmpty());
            assertThat(taker.heard()).containsExactly("not found");
            assertThat(other.textOf()).isNull();
            end(other);
        }
    }

    @Test
    void longBodyLeavesTheMemoryOnceItIsWritten() {
        var text = "x".repeat(FileBody.SENDFILE_BYTES);
        try (var other = new CacheHouse()) {
            begin(other, log);
            other.tier.longBodiesLeaveMemory(true);
            other.stored(OF_FILES, text, "Cache-Control", FRESH);
            other.found().release();

            other.time.pass(RecordWriter.WAIT);
            TierRest.await(() -> other.store.size() == 0);

            var taker = other.reader(other.here).takingFiles();
            assertThat(search(other, OF_FILES, taker)).isTrue();
            TierRest.await(() -> taker.heard().contains("in a file: " + text));
            end(other);
        }
    }

    @Test
    void olderVariantLeavesTheMemoryWithALongBody() {
        var edition = Fields.of("X-Ed", "1");
        try (var other = new CacheHouse()) {
            begin(other, log);
            other.tier.longBodiesLeaveMemory(true);
            other.stored(RULES, "old", edition, "Cache-Control", FRESH, "Vary", "X-Ed");
            other.time.pass(Duration.ofSeconds(1));
            other.stored(
                    OF_FILES, "x".repeat(FileBody.SENDFILE_BYTES), edition, "Cache-Control", FRESH);

            other.time.pass(RecordWriter.WAIT);
            TierRest.await(() -> other.tier.count(TierWrite.STORED) == 1);
            TierRest.awaitWriter(other);

            assertThat(other.store.size()).isZero();
            assertThat(other.textOf("X-Ed", "1")).isNull();
            end(other);
        }
    }

    @Test
    void shorterBodyStaysInMemory() {
        try (var other = new CacheHouse()) {
            begin(other, log);
            other.tier.longBodiesLeaveMemory(true);
            other.stored(OF_FILES, "x".repeat(FileBody.SENDFILE_BYTES - 1), "Cache-Control", FRESH);

            other.time.pass(RecordWriter.WAIT);
            TierRest.await(() -> other.tier.count(TierWrite.STORED) == 1);
            TierRest.await(() -> other.store.held().isEmpty());

            assertThat(other.store.size()).isEqualTo(1);
            end(other);
        }
    }

    /** Two responses, each of which has its language as text. */
    private void storeVariants() {
        storeVariants("de", "fr");
    }

    private void storeVariants(String... languages) {
        for (var language : languages) {
            storeVariant(house, RULES, language, language);
        }
        TierRest.settle(house);
    }

    private static void storeVariant(
            CacheHouse of, RouteCacheRules rules, String language, String text) {
        of.stored(
                rules,
                text,
                Fields.of("Accept-Language", language),
                "Cache-Control",
                FRESH,
                "Vary",
                "Accept-Language");
    }

    @Test
    void eachVariantIsFoundByItsRequests() {
        storeVariants();

        assertThat(searched("Accept-Language", "de")).isEqualTo("de");
        assertThat(searched("Accept-Language", "fr")).isEqualTo("fr");
        assertThat(searched("Accept-Language", "en")).isNull();
    }

    @Test
    void variantsOfTheDiskAreListedWithoutValuesOfTheirFields() {
        for (var language : List.of("de", "fr")) {
            house.stored(
                    RULES,
                    language,
                    Fields.of("Accept-Language", language),
                    "Cache-Control",
                    FRESH,
                    "Cache-Tag",
                    language,
                    "Vary",
                    "Accept-Language");
        }
        TierRest.settle(house);

        assertThat(listed(house, response -> response.tags() + " " + response.selecting()))
                .hasSize(2)
                .allMatch(text -> text.contains("accept-language"))
                .anyMatch(text -> text.startsWith("[de] "))
                .noneMatch(text -> text.endsWith("de") || text.contains("=de"));
    }

    @Test
    void purgedResponsesOfTheDiskAreNotListed() {
        house.stored(RULES, "text", "Cache-Control", FRESH);
        TierRest.settle(house);
        assertThat(listed(house, StoredResponse::status)).containsExactly(200);
        house.store.purge(Purge.of(Set.of(CacheHouse.PAGE)), false);

        assertThat(listed(house, StoredResponse::status)).isEmpty();
    }

    @Test
    void responsesInMemoryAreNotListedAgain() {
        try (var other = new CacheHouse()) {
            begin(other, log);
            other.stored(RULES, "text", "Cache-Control", FRESH);
            other.time.pass(RecordWriter.WAIT);
            TierRest.await(() -> other.tier.count(TierWrite.STORED) == 1);

            assertThat(listed(other, StoredResponse::status)).isEmpty();
            other.store.limit(0, false);
            assertThat(listed(other, StoredResponse::status)).containsExactly(200);
            end(other);
        }
    }

    private static <T> List<T> listed(CacheHouse of, Function<StoredResponse, T> shown) {
        var listed = new CopyOnWriteArrayList<T>();
        of.tier.forEachOther(CacheHouse.PAGE, RULES, response -> listed.add(shown.apply(response)));
        return listed;
    }

    @Test
    void waitOfEachRequestIsCounted() {
        var waits = new CopyOnWriteArrayList<Long>();
        house.tier.onWait(waits::add);
        house.stored(RULES, "text", "Cache-Control", FRESH);
        TierRest.settle(house);

        assertThat(searched()).isEqualTo("text");
        assertThat(waits).hasSize(1).allMatch(nanos -> nanos >= 0);
    }

    @Test
    void responseWithOtherSelectingFieldsIsGoneWithTheNewestOne() {
        var german = Fields.of("Accept-Language", "de");
        house.stored(
                RULES, "old", german, "Cache-Control", "max-age=1000", "Vary", "Accept-Language");
        TierRest.settle(house);
        house.time.pass(Duration.ofSeconds(1));
        house.stored(RULES, "new", german, "Cache-Control", FRESH, "Vary", "X-Other");
        TierRest.settle(house);
        assertThat(searched("Accept-Language", "de")).isEqualTo("new");
        house.time.pass(Duration.ofSeconds(500));

        assertThat(searched("Accept-Language", "de")).isNull();
    }

    @Test
    void newerResponseReplacesTheRecord() {
        house.stored(RULES, "old", "Cache-Control", FRESH);
        TierRest.settle(house);
        house.time.pass(Duration.ofSeconds(1));
        house.stored(RULES, "new", "Cache-Control", FRESH);
        TierRest.settle(house);

        assertThat(searched()).isEqualTo("new");
    }

    @Test
    void newerResponseThatIsNotWrittenRemovesRecordsOfItsRequestsWithOtherSelectingFields() {
        house.stored(RULES, "old", "Cache-Control", FRESH, "Vary", "Accept-Language");
        TierRest.settle(house);
        house.time.pass(Duration.ofSeconds(1));
        house.stored(RULES, "new", "Cache-Control", "max-age=9");
        TierRest.settle(house);

        assertThat(searched()).isNull();
    }

    @Test
    void newerResponseIsFoundAmongThoseOfOneSecond() {
        house.stored(RULES, "old", "Cache-Control", FRESH, "Vary", "Accept-Language");
        TierRest.settle(house);
        house.time.pass(Duration.ofMillis(1));
        house.stored(RULES, "new", "Cache-Control", FRESH);
        TierRest.settle(house);

        assertThat(searched()).isEqualTo("new");
    }

    @Test
    void newerResponseThatIsNotWrittenRemovesTheRecord() {
        for (var newer : Set.of("max-age=9", "no-store", "private")) {
            house.stored(RULES, "old", "Cache-Control", FRESH);
            TierRest.settle(house);
            house.time.pass(Duration.ofSeconds(1));
            fetched("new", "Cache-Control", newer);
            TierRest.settle(house);

            assertThat(searched()).as(newer).isNull();
        }
    }

    @Test
    void responseThatIsNotStoredRemovesTheRecordOfTheValidatedOneOnceItIsComplete() {
        var origin = validating();
        origin.attempt().head(200, "Cache-Control", "no-store").data("new");
        TierRest.settle(house);
        assertThat(house.tier.count(TierWrite.STORED)).isEqualTo(1);
        assertThat(searched()).isEqualTo("old");

        origin.attempt().end();
        TierRest.settle(house);
        assertThat(searched()).isNull();
    }

    @Test
    void responseThatBreaksOffRemovesNoRecord() {
        var origin = validating();
        origin.attempt().head(200, "Cache-Control", "no-store").data("new").fail(Kind.TRUNCATED);
        TierRest.settle(house);

        assertThat(searched()).isEqualTo("old");
    }

    /** The origin of a request that validates a response on disk. */
    private ScriptedOrigin validating() {
        house.stored(RULES, "old", "Cache-Control", FRESH, "ETag", "\"1\"");
        var old = house.found();
        TierRest.settle(house);
        var origin = house.origin();
        house.join(RULES, origin, old, house.reader(house.here));
        return origin;
    }

    @Test
    void supersededResponseIsRemovedWithoutTheVariantThatIsWrittenAlready() {
        house.stored(RULES, "old", "Cache-Control", FRESH, "Vary", "Accept-Language");
        var old = house.found();
        TierRest.settle(house);
        house.time.pass(Duration.ofSeconds(1));
        house.stored(RULES, "new", "Cache-Control", FRESH);
        var newer = house.found();
        TierRest.settle(house);

        house.tier.remove(old, newer, RULES);
        TierRest.settle(house);

        assertThat(searched()).isEqualTo("new");
        old.release();
        newer.release();
    }

    @Test
    void responseThatSetsCookiesIsNotWritten() {
        var settings =
                new Settings(Duration.ZERO, Duration.ZERO, Duration.ZERO, true, true, "quire");
        house.stored(
                CacheHouse.rules(EsiProcessing.ON, settings)
                        .recorded(ResponseRules.NONE, CacheHouse.REQUESTS),
                "text",
                "Cache-Control",
                FRESH,
                "Set-Cookie",
                "a=b");
        TierRest.settle(house);

        assertThat(searched()).isNull();
        assertThat(house.tier.count(TierWrite.REFUSED)).isEqualTo(1);
    }

    @Test
    void purgedResponseIsNotFound() {
        house.stored(RULES, "text", "Cache-Control", FRESH, "Cache-Tag", "news");
        TierRest.settle(house);
        house.store.purge(new Purge(Set.of(), Set.of("news"), Set.of(), List.of()), false);

        assertThat(searched()).isNull();
        assertThat(house.tier.count(TierOutcome.OUTDATED)).isEqualTo(1);
    }

    @Test
    void responseThatABanHasHiddenInMemoryDoesNotReturnFromDisk() throws Exception {
        house.store.limit(1 << 20, false);
        house.stored(RULES, "text", "Cache-Control", FRESH, "Cache-Tag", "news");
        house.time.pass(RecordWriter.WAIT);
        TierRest.settle(house);
        var invalidations = house.store.invalidations();
        long number = invalidations.ban(Bans.tag("news")).orElseThrow();
        house.store.sweep(1, () -> {});
        assertThat(invalidations.bans())
                .singleElement()
                .matches(ban -> ban.isCompleted() && ban.hidden() == 1);

        assertThat(invalidations.lift(number)).isFalse();

        assertThat(searched()).isNull();
        assertThat(house.tier.count(TierOutcome.OUTDATED)).isEqualTo(1);
    }

    @Test
    void damagedResponseIsAMissAndTheDiskCountsIt() throws Exception {
        house.stored(RULES, "text", "Cache-Control", FRESH);
        TierRest.settle(house);
        var file = directory.resolve("000001.seg").toFile();
        TierRest.await(() -> file.length() > "text".length() + 64);
        try (var segment = new RandomAccessFile(file, "rw")) {
            segment.seek(segment.length() - 16);
            segment.writeLong(-1);
        }

        assertThat(searched()).isNull();
        assertThat(house.tier.count(TierOutcome.MISS)).isEqualTo(1);
        assertThat(house.tier.count(TierOutcome.CORRUPT)).isZero();
        assertThat(disk.stats().log().damaged()).isEqualTo(1);
    }

    @Test
    void purgeWhileItWaitsHidesIt() {
        try (var other = new CacheHouse()) {
            begin(other, log);
            other.stored(RULES, "text", "Cache-Control", FRESH);
            other.store.purge(Purge.of(Set.of(CacheHouse.PAGE)), false);

            assertThat(other.textOf()).isNull();
            end(other);
        }
    }

    @Test
    void softlyPurgedResponseIsStale() {
        house.stored(RULES, "text", "Cache-Control", WITH_GRACE);
        TierRest.settle(house);
        house.store.purge(Purge.of(Set.of(CacheHouse.PAGE)), true);
        var taker = house.reader(house.here).looking(this::freshness);
        assertThat(search(RULES, taker)).isTrue();

        TierRest.await(() -> !taker.heard().isEmpty());
        assertThat(taker.heard()).containsExactly("found stale");
    }

    @Test
    void nothingIsFoundByAnotherConfiguration() {
        house.stored(RULES, "text", "Cache-Control", FRESH);
        TierRest.settle(house);
        var other =
                CacheHouse.rules(EsiProcessing.OFF)
                        .recorded(ResponseRules.NONE, CacheHouse.REQUESTS);
        var taker = house.reader(house.here);

        assertThat(search(other, taker)).isFalse();
    }

    @Test
    void otherProcessFindsWhatWasNotPurged() throws Exception {
        house.stored(RULES, "text", "Cache-Control", FRESH, "Cache-Tag", "news");
        TierRest.settle(house);
        house.tier.end(END);
        disk.close();

        try (var later = new CacheHouse(NO_MEMORY, 1 << 20)) {
            disk = opened(later);
            begin(later, disk.load());
            assertThat(searched(later)).isEqualTo("text");

            later.store.purge(new Purge(Set.of(), Set.of("news"), Set.of(), List.of()), false);
            assertThat(search(later, RULES, later.reader(later.here))).isTrue();
            TierRest.await(() -> later.tier.count(TierOutcome.OUTDATED) == 1);
            end(later);
        }
    }

    @Test
    void responseThatWasOfNoMoreUseBeforeTheStartIsNotFound() throws Exception {
        house.stored(RULES, "text", "Cache-Control", FRESH);
        TierRest.settle(house);
        house.tier.end(END);
        disk.close();

        try (var later = new CacheHouse(NO_MEMORY, 1 << 20)) {
            later.time.pass(Duration.ofSeconds(200));
            disk = opened(later);
            log = disk.load();
            begin(later, log);

            assertThat(searched(later)).isNull();
            assertThat(later.tier.count(TierOutcome.OUTDATED)).isEqualTo(1);
            TierRest.awaitWriter(later);
            assertThat(log.has(recordOf(CacheHouse.PAGE))).isFalse();
            end(later);
        }
    }

    @Test
    void requestDoesNotWaitForADiskThatHangs() {
        house.stored(RULES, "text", "Cache-Control", FRESH);
        TierRest.settle(house);
        var hanging = HangingLog.ofAppends(log);
        useInstead(hanging);
        for (int i = 0; i < 2; i++) {
            var taker = search();
            int reads = i + 1;
            TierRest.await(() -> hanging.reads().get() == reads);
            house.passOnLoops(Duration.ofMillis(500));
            TierRest.await(() -> taker.heard().contains("not found"));
        }
        assertThat(house.tier.count(TierOutcome.TIMEOUT)).isEqualTo(2);
        assertThat(house.tier.isStalled()).isTrue();
        assertThat(search(RULES, house.reader(house.here))).isFalse();

        hanging.goOn().countDown();
        TierRest.await(() -> !house.tier.isStalled());
        assertThat(house.tier.wasStalled()).isTrue();
        assertThat(house.tier.wasStalled()).isFalse();
        assertThat(searched()).isEqualTo("text");
    }

    @Test
    void readThatBeganBeforeTheResponseWasOutdatedFindsNothing() {
        house.stored(RULES, "text", "Cache-Control", FRESH);
        TierRest.settle(house);
        var hanging = HangingLog.ofAppends(log);
        useInstead(hanging);
        var taker = search();
        fetched("new", "Cache-Control", "no-store");
        hanging.goOn().countDown();

        TierRest.await(() -> taker.heard().contains("not found"));
        assertThat(house.textOf()).isNull();
    }

    @Test
    void responseWaitsUntilItIsWritten() {
        for (var memoryBytes : List.of(NO_MEMORY, 1L << 20)) {
            try (var other = new CacheHouse(memoryBytes, 1 << 20)) {
                var hanging = HangingLog.ofAppends(log);
                begin(other, hanging);
                other.stored(RULES, "text", "Cache-Control", FRESH);
                other.time.pass(RecordWriter.WAIT);
                TierRest.await(() -> hanging.appends().get() == 1);
                assertThat(other.tier.waitingBytes()).isPositive();

                hanging.goOn().countDown();
                TierRest.await(() -> {
                    other.time.pass(Duration.ofSeconds(1));
                    other.tier.inOrder(() -> {});
                    return other.tier.waitingBytes() == 0;
                });
                end(other);
            }
        }
    }

    @Test
    void removalIsNotLostBehindAWriteAtTheEnd() {
        house.stored(RULES, "old", "Cache-Control", FRESH);
        TierRest.settle(house);
        var hanging = HangingLog.ofAppends(log);
        useInstead(hanging);
        var isQueued = new CountDownLatch(1);
        house.tier.inOrder(() -> HangingLog.await(isQueued));
        fetched(OTHER, "other", "Cache-Control", FRESH);
        fetched("new", "Cache-Control", "no-store");
        isQueued.countDown();
        TierRest.await(() -> hanging.appends().get() == 1);

        assertThat(house.tier.end(Duration.ofMillis(1))).isFalse();
        hanging.goOn().countDown();

        assertThat(log.read(recordOf(CacheHouse.PAGE))).isNull();
    }

    @Test
    void responseThatIsNotWrittenInTimeAtTheEndRemovesTheOlderOne() throws Exception {
        house.stored(RULES, "old", "Cache-Control", FRESH);
        TierRest.settle(house);
        var hanging = HangingLog.ofAppends(log);
        useInstead(hanging);
        fetched(OTHER, "other", "Cache-Control", FRESH);
        TierRest.await(() -> hanging.appends().get() == 1);
        fetched("new", "Cache-Control", FRESH);
        var isComplete = new AtomicBoolean();
        var ending =
                Thread.ofPlatform()
                        .start(() -> isComplete.set(house.tier.end(Duration.ofMillis(1))));
        assertThat(ending.join(Duration.ofMillis(100))).isFalse();

        hanging.goOn().countDown();
        ending.join();

        assertThat(isComplete).isTrue();
        assertThat(house.tier.count(TierWrite.DROPPED)).isEqualTo(1);
        assertThat(log.read(RecordKey.of(CacheHouse.PAGE, requireNonNull(RULES.storage())).hash()))
                .isNull();
    }

    @Test
    void endTellsThatResponsesWaitedForALogInVain() {
        try (var other = new CacheHouse()) {
            expect(other);
            assertThat(other.tier.end(END)).isTrue();
            expect(other);
            other.stored(RULES, "text", "Cache-Control", FRESH);

            assertThat(other.tier.end(END)).isFalse();

            assertThat(other.store.held().isEmpty()).isTrue();
            end(other);
        }
    }

    @Test
    void responseWithoutMemoryForItsRecordRemovesTheOlderOneAlone() {
        var lacking = lacking();
        lacking.appends().set(1);
        house.stored(RULES, "new", "Cache-Control", FRESH);
        TierRest.settle(house);

        assertThat(house.tier.count(TierWrite.FAILED)).isEqualTo(1);
        assertThat(searched()).isNull();
        assertThat(log.has(recordOf(OTHER))).isTrue();
        assertThat(reasons).isEmpty();
    }

    @Test
    void removalWithoutMemoryEmptiesTheTier() {
        var lacking = lacking();
        lacking.appends().set(1);
        lacking.removals().set(1);
        house.stored(RULES, "new", "Cache-Control", FRESH);
        TierRest.settle(house);

        assertThat(reasons).containsExactly("a response could not be removed: for the test");
    }

    /** Has a response to the page, and one to another resource. */
    private LogWithoutMemory lacking() {
        house.stored(RULES, "old", "Cache-Control", FRESH);
        fetched(OTHER, "other", "Cache-Control", FRESH);
        TierRest.settle(house);
        house.time.pass(Duration.ofSeconds(1));
        return lackingInstead();
    }

    private LogWithoutMemory lackingInstead() {
        var lacking = new LogWithoutMemory(log);
        house.tier.end(END);
        house.tier.expect(reasons::add);
        house.tier.use(lacking);
        return lacking;
    }

    @Test
    void variantsWithoutMemoryForTheirListAreRemoved() {
        storeVariants();
        lackingInstead().reads().set(1);
        outdate(CacheHouse.PAGE);
        TierRest.awaitWriter(house);

        assertThat(searched("Accept-Language", "de")).isNull();
        assertThat(searched("Accept-Language", "fr")).isNull();
        assertThat(reasons).isEmpty();
    }

    @Test
    void tooManyRemovalsEmptyTheTierOnceAndNothingIsFoundUntilThen() {
        house.stored(RULES, "old", "Cache-Control", FRESH);
        TierRest.settle(house);
        house.tier.end(END);
        var goOn = new CountDownLatch(1);
        house.tier.expect(reason -> {
            reasons.add(reason);
            HangingLog.await(goOn);
            disk.drop();
        });
        outdateOthers(RecordWriter.MAX_REMOVALS + 1);
        outdate(CacheHouse.PAGE);
        house.tier.use(log);

        assertThat(search(RULES, house.reader(house.here))).isFalse();
        goOn.countDown();
        TierRest.awaitWriter(house);
        assertThat(reasons).hasSize(1).first().asString().contains("waited to be removed");
        assertThat(log.has(recordOf(CacheHouse.PAGE))).isFalse();
        house.stored(RULES, "new", "Cache-Control", FRESH);
        TierRest.settle(house);
        assertThat(searched()).isEqualTo("new");
    }

    @Test
    void manyRemovalsOfOneResourceThatWaitBecomeOneOfAllVariants() {
        storeVariants();
        removeWhileTheIndexIsLoaded(0, Collections.nCopies(RecordWriter.MAX_REMOVALS + 1, "de"));

        assertThat(reasons).isEmpty();
        assertThat(searched("Accept-Language", "de")).isNull();
        assertThat(searched("Accept-Language", "fr")).isNull();
    }

    @Test
    void removalsOfTwoVariantsThatWaitLeaveTheOtherOnes() {
        storeVariants("de", "fr", "en");
        removeWhileTheIndexIsLoaded(MANY_RESOURCES - 1, List.of("de", "fr"));

        assertThat(searched("Accept-Language", "de")).isNull();
        assertThat(searched("Accept-Language", "fr")).isNull();
        assertThat(searched("Accept-Language", "en")).isEqualTo("en");
    }

    @Test
    void secondRemovalOfAResourceRemovesAllVariantsIfManyResourcesWait() {
        storeVariants("de", "fr", "en");
        removeWhileTheIndexIsLoaded(MANY_RESOURCES, List.of("de", "fr"));

        assertThat(searched("Accept-Language", "en")).isNull();
    }

    /** So many others wait first. */
    private void removeWhileTheIndexIsLoaded(int others, List<String> languages) {
        house.tier.end(END);
        house.tier.expect(reasons::add);
        outdateOthers(others);
        languages.forEach(each -> outdate(CacheHouse.PAGE, "Accept-Language", each));
        house.tier.use(log);
        TierRest.awaitWriter(house);
    }

    private void outdateOthers(int count) {
        for (int i = 0; i < count; i++) {
            outdate(new CacheKey(Scheme.HTTP, "news.example", "/" + i));
        }
    }

    /** A response to {@code resource} is not stored. */
    private void outdate(CacheKey resource, String... fields) {
        house.tier.outdate(resource, SentRequest.of(CacheHouse.get(fields)), RULES);
    }

    @Test
    void requestsForOneResourceShareARead() {
        house.stored(RULES, "text", "Cache-Control", FRESH);
        TierRest.settle(house);
        var hanging = HangingLog.ofAppends(log);
        useInstead(hanging);
        var one = search();
        var other = house.reader(house.there).looking(house::textOf);
        assertThat(search(RULES, other)).isTrue();
        hanging.goOn().countDown();

        TierRest.await(
                () -> one.heard().contains("found text") && other.heard().contains("found text"));
        assertThat(house.tier.count(TierOutcome.HIT)).isEqualTo(1);
    }

    private String freshness() {
        var found = house.found();
        boolean isFresh = found.freshness().isFreshAt(house.time.now());
        found.release();
        return isFresh ? "fresh" : "stale";
    }

    private void fetched(String text, String... head) {
        fetched(CacheHouse.PAGE, text, head);
    }

    private void fetched(CacheKey key, String text, String... head) {
        var origin = house.origin();
        var taker = house.fragment(house.here);
        house.here.run(() -> house.coalescer.fetchUncoalesced(key, origin, RULES, taker));
        origin.attempt().head(200, head).data(text).end();
    }

    private @Nullable String searched(String... fields) {
        return searched(house, fields);
    }

    private static @Nullable String searched(CacheHouse in, String... fields) {
        var taker = in.reader(in.here, fields).looking(() -> in.textOf(fields));
        if (!search(in, RULES, taker)) {
            return null;
        }
        TierRest.await(() -> !taker.heard().isEmpty());
        var heard = taker.heard().getFirst();
        return heard.startsWith(FOUND) ? heard.substring(FOUND.length()) : null;
    }

    private Taker search() {
        var taker = house.reader(house.here).looking(house::textOf);
        assertThat(search(RULES, taker)).isTrue();
        return taker;
    }

    private boolean search(RouteCacheRules rules, Taker taker) {
        return search(house, rules, taker);
    }

    private static boolean search(CacheHouse in, RouteCacheRules rules, Taker taker) {
        return in.here.call(() ->
                in.tier.search(CacheHouse.PAGE, rules, UnaryOperator.<CacheKey>identity(), taker));
    }
}
