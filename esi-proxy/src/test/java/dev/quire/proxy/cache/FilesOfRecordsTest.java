package dev.quire.proxy.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.rule.ResponseRules;
import dev.quire.proxy.disk.DiskTier;
import dev.quire.proxy.route.EsiProcessing;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Long responses are sent from their files, and only as long as they are the ones to send. */
class FilesOfRecordsTest {
    private static final RouteCacheRules RULES =
            CacheHouse.rules(EsiProcessing.ON).recorded(ResponseRules.NONE, CacheHouse.REQUESTS);
    private static final long NO_MEMORY = 0;
    private static final int FROM_BYTES = 600;
    private static final long HEAD_BYTES = 1 << 20;
    private static final String OLD = "old ".repeat(200);
    private static final String NEW = "new ".repeat(200);
    private static final String IN_A_FILE = "in a file: ";
    private static final String[] FRESH = {"Cache-Control", "max-age=1000", "Cache-Tag", "news"};

    @TempDir Path directory;
    private final CacheHouse house = new CacheHouse(NO_MEMORY, 1 << 20);
    private DiskTier disk;
    private HangingLog log;

    @BeforeEach
    void open() throws Exception {
        disk =
                DiskTier.open(
                        new DiskTier.Terms(directory, 16 << 20, 1 << 20),
                        house.store.invalidations(),
                        () -> Long.MAX_VALUE,
                        (id, record) -> null,
                        house.time);
        begin(HangingLog.counting(disk.load()), HEAD_BYTES);
    }

    private void begin(HangingLog from, long headBytes) {
        log = from;
        house.tier.limit(
                new RecordTier.Terms(
                        Duration.ofSeconds(10),
                        64 << 20,
                        1 << 20,
                        2,
                        Duration.ofMillis(500),
                        FROM_BYTES,
                        headBytes));
        house.tier.expect(reason -> {});
        house.tier.use(from);
    }

    /** Whatever a test does, no file remains open, and no memory. */
    @AfterEach
    void close() {
        house.tier.end(Duration.ofSeconds(5));
        house.tier.close();
        disk.close();
        TierRest.await(() -> openFiles() == 0);
        house.close();
    }

    @Test
    void responseIsSentFromItsFileAndThenWithoutARead() {
        stored(OLD, FRESH);

        assertThat(searched()).isEqualTo(IN_A_FILE + OLD);
        assertThat(atOnce()).isEqualTo(OLD);
        assertThat(atOnce()).isEqualTo(OLD);
        assertThat(log.reads()).hasValue(1);
        assertThat(house.tier.count(TierOutcome.HIT)).isEqualTo(3);
    }

    @Test
    void partOfABodyIsReadAndSent() {
        stored(OLD + NEW.substring(0, 8), FRESH);
        searched();
        var response = requireNonNull(inFile());
        var file = requireNonNull(response.file());

        assertThat(InFiles.text(response, OLD.length() - 4, 8)).isEqualTo("old new ");
        var bytes =
                requireNonNull(file.read(OLD.length() - 4, 12, UnpooledByteBufAllocator.DEFAULT));
        assertThat(bytes.toString(UTF_8)).isEqualTo("old new new ");
        bytes.release();
        assertThat(response.length()).isEqualTo(OLD.length() + 8);
        response.release();
    }

    @Test
    void shortResponseIsGivenAsBytes() {
        stored("short", FRESH);

        assertThat(searched()).isEqualTo("found short");
        assertThat(inFile()).isNull();
    }

    @Test
    void sinkThatTakesNoFilesGetsBytes() {
        stored(OLD, FRESH);
        var taker = house.reader(house.here).looking(house::textOf);

        assertThat(answered(taker)).isEqualTo("found " + OLD);
        assertThat(inFile()).isNull();
    }

    static Stream<Named<String[]>> needed() {
        return Stream.of(
                named("document", new String[] {"Content-Type", "text/html"}),
                named("coded", new String[] {"Content-Encoding", "zstd"}));
    }

    @ParameterizedTest
    @MethodSource("needed")
    void responseWhoseBytesAreNeededIsGivenAsBytes(String... field) {
        stored(OLD, "Cache-Control", "max-age=1000", field[0], field[1]);

        assertThat(searched()).startsWith("found ");
        assertThat(inFile()).isNull();
    }

    @Test
    void staleResponseIsGivenAsBytes() {
        stored(OLD, "Cache-Control", "max-age=20, stale-while-revalidate=100");
        assertThat(searched()).isEqualTo(IN_A_FILE + OLD);
        house.time.pass(Duration.ofSeconds(5));
        assertThat(atOnce()).isEqualTo(OLD);
        house.time.pass(Duration.ofSeconds(16));

        assertThat(searched()).isEqualTo("found " + OLD);
    }

    @Test
    void headsAreForgottenTenSecondsAfterTheirLastUse() {
        stored(OLD, FRESH);
        searched();
        for (int i = 0; i < 3; i++) {
            house.time.pass(Duration.ofSeconds(9));
            assertThat(atOnce()).isEqualTo(OLD);
        }
        house.time.pass(Duration.ofSeconds(11));

        assertThat(inFile()).isNull();
        assertThat(searched()).isEqualTo(IN_A_FILE + OLD);
        assertThat(log.reads()).hasValue(2);
    }

    @Test
    void recordIsCheckedAgainAfterAMinuteThoughItIsInUse() throws Exception {
        stored(OLD, FRESH);
        searched();
        damage("old old");
        for (int i = 0; i < 7; i++) {
            house.time.pass(Duration.ofSeconds(8));
            assertThat(atOnce()).isNotNull();
        }
        house.time.pass(Duration.ofSeconds(8));

        assertThat(inFile()).isNull();
        assertThat(searched()).isNull();
    }

    @Test
    void withoutMemoryForHeadsEachRequestReads() {
        stored(OLD, FRESH);
        restart(HangingLog.counting(log.log()), 0);

        assertThat(searched()).isEqualTo(IN_A_FILE + OLD);
        assertThat(inFile()).isNull();
        assertThat(searched()).isEqualTo(IN_A_FILE + OLD);
        assertThat(log.reads()).hasValue(2);
    }

    /** An event after which the response must not be sent from its place. */
    record Event(String name, Consumer<FilesOfRecordsTest> action, @Nullable String then) {
        static Stream<Event> all() {
            return Stream.of(
                    new Event("replaced", test -> test.stored(NEW, FRESH), IN_A_FILE + NEW),
                    new Event(
                            "replaced by a short one",
                            test -> test.stored("new", FRESH),
                            "found new"),
                    new Event(
                            "replaced by one that is not written",
                            test -> test.stored(NEW, "Cache-Control", "max-age=9"),
                            null),
                    new Event(
                            "outdated by one that is not stored",
                            test -> test.fetched(NEW, "Cache-Control", "no-store"),
                            null),
                    new Event(
                            "a newer variant",
                            test ->
                                    test.stored(
                                            NEW,
                                            "Cache-Control",
                                            "max-age=1000",
                                            "Vary",
                                            "Accept-Language"),
                            IN_A_FILE + NEW),
                    new Event(
                            "purged by its URL",
                            test -> test.purge(Purge.of(Set.of(CacheHouse.PAGE)), false),
                            null),
                    new Event(
                            "purged by its tag",
                            test ->
                                    test.purge(
                                            new Purge(
                                                    Set.of(), Set.of("news"), Set.of(), List.of()),
                                            false),
                            null),
                    new Event(
                            "purged softly",
                            test -> test.purge(Purge.of(Set.of(CacheHouse.PAGE)), true),
                            "found " + OLD),
                    new Event(
                            "banned",
                            test -> test.house.store.invalidations().ban(Bans.tag("news")),
                            null),
                    new Event("evicted", FilesOfRecordsTest::fillUp, null),
                    new Event("dropped", test -> test.disk.drop(), null),
                    new Event("switched off", test -> test.house.tier.end(Duration.ZERO), null));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Event> events() {
        return Event.all();
    }

    @ParameterizedTest
    @MethodSource("events")
    void responseIsNotSentFromItsOldPlace(Event event) {
        stored(
                OLD,
                "Cache-Control",
                "max-age=1000, stale-while-revalidate=100",
                "Cache-Tag",
                "news");
        assertThat(searched()).isEqualTo(IN_A_FILE + OLD);
        assertThat(atOnce()).isEqualTo(OLD);

        event.action().accept(this);

        assertThat(inFile()).isNull();
        assertThat(searched()).isEqualTo(event.then());
    }

    @ParameterizedTest
    @MethodSource("events")
    void responseThatIsBeingSentIsSentWhole(Event event) {
        stored(
                OLD,
                "Cache-Control",
                "max-age=1000, stale-while-revalidate=100",
                "Cache-Tag",
                "news");
        searched();
        var sending = requireNonNull(inFile());

        event.action().accept(this);

        assertThat(InFiles.text(sending, 0, sending.length())).isEqualTo(OLD);
        sending.release();
    }

    @Test
    void fileOfAnEvictedSegmentIsOpenUntilTheLastResponseIsSent() {
        stored(OLD, FRESH);
        searched();
        var one = requireNonNull(inFile());
        var region = requireNonNull(inFile()).file();
        var part = requireNonNull(region).region(0, 100);
        region.record().release();
        fillUp();
        long others = openFiles();

        one.release();
        assertThat(openFiles()).isEqualTo(others);
        part.release();
        TierRest.await(() -> openFiles() == others - 1);
    }

    @Test
    void eachVariantIsSentToItsRequestsOnly() {
        for (var language : List.of("de", "fr")) {
            stored(
                    language + " " + OLD,
                    Fields.of("Accept-Language", language),
                    "Cache-Control",
                    "max-age=1000",
                    "Vary",
                    "Accept-Language");
        }

        for (int i = 0; i < 2; i++) {
            for (var language : List.of("de", "fr")) {
                assertThat(searched("Accept-Language", language))
                        .isEqualTo(IN_A_FILE + language + " " + OLD);
                assertThat(atOnce("Accept-Language", language)).isEqualTo(language + " " + OLD);
            }
            assertThat(inFile("Accept-Language", "de")).isNull();
            assertThat(inFile("Accept-Language", "en")).isNull();
        }
    }

    @Test
    void otherSettingsOfTheRouteFindNothing() {
        stored(OLD, FRESH);
        searched();
        var other =
                CacheHouse.rules(EsiProcessing.OFF)
                        .recorded(ResponseRules.NONE, CacheHouse.REQUESTS);

        assertThat(house.tier.inFile(CacheHouse.PAGE, other, SentRequest.of(CacheHouse.get())))
                .isNull();
    }

    @Test
    void requestsOfBothKindsShareASearch() {
        stored(OLD, FRESH);
        var held = new HangingLog(log.log());
        restart(held, HEAD_BYTES);
        var takers =
                List.of(
                        house.reader(house.here).takingFiles(),
                        house.reader(house.there).takingFiles(),
                        house.reader(house.there).looking(house::textOf),
                        house.reader(house.here).takingFiles().looking(house::textOf));
        takers.forEach(taker -> assertThat(search(taker)).isTrue());
        held.goOn().countDown();

        assertThat(takers.stream().map(this::first))
                .containsExactly(IN_A_FILE + OLD, IN_A_FILE + OLD, "found " + OLD, "found " + OLD);
        // One for the file, and one for the bytes, which the last one shares.
        assertThat(held.reads()).hasValue(2);
    }

    @Test
    void searchThatTheFirstRequestMakesForBytesServesAllWithOneRead() {
        stored(OLD, FRESH);
        var held = new HangingLog(log.log());
        restart(held, HEAD_BYTES);
        var one = house.reader(house.here).looking(house::textOf);
        var other = house.reader(house.there).takingFiles().looking(house::textOf);
        assertThat(search(one)).isTrue();
        assertThat(search(other)).isTrue();
        held.goOn().countDown();

        assertThat(List.of(first(one), first(other)))
                .containsExactly("found " + OLD, "found " + OLD);
        assertThat(held.reads()).hasValue(1);
    }

    @Test
    void readThatWasOutdatedLeavesNoHead() {
        stored(OLD, FRESH);
        var held = new HangingLog(log.log());
        var taker = whileReading(held);
        fetched(NEW, "Cache-Control", "no-store");
        held.goOn().countDown();

        assertThat(first(taker)).isEqualTo("not found");
        assertThat(inFile()).isNull();
        TierRest.awaitWriter(house);
        assertThat(searched()).isNull();
    }

    @Test
    void readDuringAPurgeFindsNothing() {
        stored(OLD, FRESH);
        var held = new HangingLog(log.log());
        var taker = whileReading(held);
        purge(Purge.of(Set.of(CacheHouse.PAGE)), false);
        held.goOn().countDown();

        assertThat(first(taker)).isEqualTo("not found");
        assertThat(inFile()).isNull();
    }

    /** {@link #close} fails if it keeps the file open. */
    @Test
    void readThatCameTooLateReleasesTheResponse() {
        stored(OLD, FRESH);
        var held = new HangingLog(log.log());
        var taker = whileReading(held);
        house.passOnLoops(Duration.ofMillis(500));
        assertThat(first(taker)).isEqualTo("not found");
        held.goOn().countDown();

        // It was read and is at hand for the next one.
        TierRest.await(() -> OLD.equals(atOnce()));
        assertThat(house.tier.count(TierOutcome.TIMEOUT)).isEqualTo(1);
    }

    @Test
    void damagedRecordIsNotSent() throws Exception {
        stored(OLD, FRESH);
        damage("old old");

        assertThat(searched()).isNull();
        assertThat(inFile()).isNull();
    }

    private void damage(String text) throws IOException {
        for (var file : files()) {
            var bytes = Files.readString(file, ISO_8859_1);
            int at = bytes.indexOf(text);
            if (at >= 0) {
                try (var open = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    open.write(ByteBuffer.wrap(new byte[] {'X'}), at);
                }
            }
        }
    }

    private List<Path> files() throws IOException {
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".seg")).toList();
        }
    }

    private void restart(HangingLog from, long headBytes) {
        house.tier.end(Duration.ofSeconds(5));
        begin(from, headBytes);
    }

    private void stored(String text, String... head) {
        stored(text, Fields.EMPTY, head);
    }

    private void stored(String text, Fields request, String... head) {
        house.time.pass(Duration.ofMillis(1));
        house.stored(RULES, text, request, head);
        TierRest.settle(house);
    }

    private void fetched(String text, String... head) {
        var origin = house.origin();
        var taker = house.fragment(house.here);
        house.here.run(
                () -> house.coalescer.fetchUncoalesced(CacheHouse.PAGE, origin, RULES, taker));
        origin.attempt().head(200, head).data(text).end();
    }

    private void purge(Purge purge, boolean isSoft) {
        house.store.purge(purge, isSoft);
    }

    /** Evicts all segments, and uses their slots again. */
    private void fillUp() {
        house.tier.inOrder(() -> {
            var other = Unpooled.buffer().writeZero(200_000);
            for (int i = 0; i < 200; i++) {
                log.append(new RecordHash(i, i), 0, Long.MAX_VALUE, other);
            }
            other.release();
        });
        TierRest.awaitWriter(house);
    }

    private @Nullable StoredResponse inFile(String... fields) {
        return house.tier.inFile(CacheHouse.PAGE, RULES, SentRequest.of(CacheHouse.get(fields)));
    }

    /** Returns the text that is sent without a search, or null. */
    private @Nullable String atOnce(String... fields) {
        var found = inFile(fields);
        if (found == null) {
            return null;
        }
        var text = InFiles.text(found, 0, found.length());
        found.release();
        return text;
    }

    /** Returns what a request that takes files gets from the tier, or null. */
    private @Nullable String searched(String... fields) {
        return answered(
                house.reader(house.here, fields).takingFiles().looking(() -> house.textOf(fields)));
    }

    private @Nullable String answered(Taker taker) {
        if (!search(taker)) {
            return null;
        }
        var heard = first(taker);
        return heard.equals("not found") ? null : heard;
    }

    private String first(Taker taker) {
        TierRest.await(() -> !taker.heard().isEmpty());
        return taker.heard().getFirst();
    }

    private boolean search(Taker taker) {
        return house.here.call(() ->
                house.tier.search(
                        CacheHouse.PAGE, RULES, UnaryOperator.<CacheKey>identity(), taker));
    }

    /** Returns the taker of a search that {@code held} reads for. */
    private Taker whileReading(HangingLog held) {
        restart(held, HEAD_BYTES);
        var taker = house.reader(house.here).takingFiles();
        assertThat(search(taker)).isTrue();
        TierRest.await(() -> held.reads().get() == 1);
        return taker;
    }

    /** The files of the directory that this process has open, also those that are deleted. */
    private long openFiles() {
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(this::isOfLog).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isOfLog(Path descriptor) {
        try {
            var target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith(directory.toString()) && target.contains(".seg");
        } catch (IOException closed) {
            return false;
        }
    }
}
