package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.Records.KEY;
import static dev.quire.proxy.cache.Records.POSITION;
import static dev.quire.proxy.cache.Records.RULES;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.Settings;
import dev.quire.core.rule.ResponseRules;
import dev.quire.proxy.route.EsiProcessing;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stored responses, written as records and read back. */
class RecordCodecTest {
    private static final Fields GERMAN =
            Fields.of("Accept-Language", "de, en", "Cookie", "session=hush");
    private static final String[] VARYING = {
        "Cache-Control",
        "max-age=60, stale-while-revalidate=5",
        "Vary",
        "Accept-Language, X-Shop",
        "ETag",
        "\"v1\"",
        "Surrogate-Key",
        "front news",
        "Cache-Groups",
        "\"shop\"",
        "Content-Type",
        "text/plain; charset=UTF-8",
        "Age",
        "7"
    };

    private final Records records = new Records();
    private final List<StoredResponse> open = new ArrayList<>();
    private long directBytesBefore;

    @BeforeEach
    void countMemory() {
        directBytesBefore = directBytes();
    }

    @AfterEach
    void nothingIsLeftOver() {
        open.forEach(StoredResponse::release);
        assertThat(directBytes()).isEqualTo(directBytesBefore);
    }

    private static long directBytes() {
        return UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }

    private StoredResponse owned(StoredResponse response) {
        open.add(response);
        return response;
    }

    private StoredResponse plain() {
        return owned(records.plain(GERMAN, "text", VARYING));
    }

    private StoredResponse document() {
        return owned(
                records.document(
                        "a<esi:include src='/x' onerror='continue'/>b<esi:vars>$(HTTP_HOST)"
                                + "</esi:vars><esi:inline name='/in'>i</esi:inline>"));
    }

    private StoredResponse stamped() {
        return owned(records.stamped());
    }

    /** Response rules have changed its head. */
    private StoredResponse ruled() {
        var lines =
                new ReplacedLines(List.of("ETag", "X-By"), Fields.of("ETag", "\"of-the-origin\""));
        var response = plain();
        response.body().retain();
        return owned(new StoredResponse(response.content().replacing(lines)));
    }

    private List<StoredResponse> all() {
        return List.of(
                plain(),
                document(),
                owned(records.document("<esi:include src='/1'/>and<esi:include src='/2'/>")),
                stamped(),
                ruled(),
                owned(records.plain(GERMAN, "", VARYING)));
    }

    @Test
    void everyResponseIsReadAsItWasWritten() {
        for (var stored : all()) {
            var read = owned(records.found(records.written(stored), GERMAN));

            Records.assertSame(read, stored);
            assertThat(read.freshness()).isEqualTo(stored.freshness());
            assertThat(read.testedUpTo()).isEqualTo(POSITION.number());
        }
    }

    @Test
    void headBeforeTheResponseRulesIsReadToo() {
        var read = owned(records.found(records.written(ruled()), GERMAN));

        assertThat(read.head().fields().first("ETag")).isEqualTo("\"v1\"");
        assertThat(read.receivedHead().fields().first("ETag")).isEqualTo("\"of-the-origin\"");
    }

    @Test
    void recordOfWhatWasReadIsTheSame() {
        for (var stored : all()) {
            var record = records.written(stored);

            assertThat(records.written(owned(records.found(record, GERMAN)))).isEqualTo(record);
        }
    }

    @Test
    void sourceOfAStampedDocumentIsReadWithItsStamp() {
        var read = owned(records.found(records.written(stamped()), Fields.EMPTY));

        assertThat(read.compiled()).isNotNull();
        assertThat(
                        new String(
                                read.content()
                                        .judged()
                                        .unstamped(ByteBufUtil.getBytes(read.source())),
                                ISO_8859_1))
                .isEqualTo("a<esi:include src='/x'/>b<esi:include src='/y'/>");
    }

    @Test
    void valuesOfClientsAreNotInTheRecord() {
        var stored =
                owned(
                        records.plain(
                                Fields.of("X-Shop", "hush"),
                                "text",
                                "Cache-Control",
                                "max-age=60",
                                "Vary",
                                "X-Shop"));

        var text = new String(records.written(stored), ISO_8859_1);

        assertThat(text)
                .contains("x-shop", KEY.target(), "max-age=60")
                .doesNotContain("hush", "user-4711");
    }

    @Test
    void bodyIsWrittenWithoutACopyAndReadIntoMemoryOfItsSize() {
        var stored = plain();

        var record = records.codec.write(stored, Records.key(), POSITION);
        boolean isShared =
                Arrays.stream(record.nioBuffers())
                        .anyMatch(piece -> piece.isDirect() && piece.remaining() == 4);
        assertThat(stored.body().refCnt()).isEqualTo(2);
        assertThat(isShared).isTrue();
        var read = owned(Records.found(records.codec.read(record, Records.wanted(GERMAN))));
        record.release();

        assertThat(stored.body().refCnt()).isEqualTo(1);
        assertThat(read.body().capacity()).isEqualTo(4);
        assertThat(read.body().isDirect()).isTrue();
    }

    @Test
    void linesOfAStoredHeadAreWrittenAsThoseOfAnyOther() {
        var all = new ArrayList<>(all());
        all.add(owned(records.plain(GERMAN, "text", "Cache-Control", "max-age=60")));
        all.add(
                owned(
                        records.plain(
                                GERMAN, "", "cache-control", "max-age=60", "X-By", "caf\u00e9")));
        for (var stored : all) {
            var meta = RecordMeta.of(stored);
            var copied = new Fields.Builder();
            meta.head().fields().forEach(copied::add);
            var head = new ResponseHead(meta.head().status(), meta.head().reason(), copied.build());

            assertThat(meta.head().fields()).isInstanceOf(StoredHead.class);
            assertThat(ByteBufUtil.getBytes(meta.written()))
                    .isEqualTo(ByteBufUtil.getBytes(with(meta, meta.target(), head).written()));
        }
    }

    private static RecordMeta with(RecordMeta meta, String target, ResponseHead head) {
        return new RecordMeta(
                meta.scheme(),
                meta.authority(),
                target,
                head,
                meta.selecting(),
                meta.replaced(),
                meta.source(),
                meta.stamp(),
                meta.plan());
    }

    @Test
    void headThatIsNotLatin1IsNotWritten() {
        var meta = RecordMeta.of(plain());
        var other = with(meta, "/\u0142", meta.head());

        assertThatThrownBy(other::written)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ISO 8859-1");
    }

    @Test
    void responseOfACheckedRecordSharesOrCopiesItsMemory() {
        var record = Unpooled.wrappedBuffer(records.written(plain()));
        var wanted = Records.wanted(GERMAN);

        var sharing = Records.found(records.codec.readChecked(record, wanted, false));
        var copied = owned(Records.found(records.codec.readChecked(record, wanted, true)));

        assertThat(record.refCnt()).isEqualTo(2);
        assertThat(sharing.body()).isEqualTo(copied.body());
        assertThat(sharing.body().capacity()).isEqualTo(4);
        sharing.release();
        assertThat(record.refCnt()).isEqualTo(1);
        record.release();
        assertThat(copied.body().capacity()).isEqualTo(4);
    }

    @Test
    void bodyInItsOwnMemoryIsTakenOver() {
        var record = Unpooled.wrappedBuffer(records.written(plain()));
        var header = header(ByteBufUtil.getBytes(record));
        var body = UnpooledByteBufAllocator.DEFAULT.directBuffer(4, 4);
        body.writeBytes(record, header.frontBytes(), 4);
        int check = record.getInt(header.frontBytes() + 4);
        var front = record.slice(0, header.frontBytes());

        var read =
                owned(
                        Records.found(
                                records.codec.read(front, body, check, Records.wanted(GERMAN))));

        assertThat(read.body()).isSameAs(body);
        assertThat(body.refCnt()).isEqualTo(1);
        var lost = UnpooledByteBufAllocator.DEFAULT.directBuffer(4, 4).writeZero(4);
        assertThat(records.codec.read(front, lost, check, Records.wanted(GERMAN)))
                .isEqualTo(RecordMiss.CHECKSUM);
        assertThat(lost.refCnt()).isZero();
    }

    @Test
    void everyDamagedRecordIsRefused() {
        for (var stored : all()) {
            var record = records.written(stored);

            for (int bit = 0; bit < record.length * 8; bit++) {
                var damaged = record.clone();
                damaged[bit / 8] ^= (byte) (1 << bit % 8);
                assertThat(records.read(damaged, GERMAN)).isInstanceOf(RecordMiss.class);
            }
            for (int length = 0; length < record.length; length++) {
                assertThat(records.read(Arrays.copyOf(record, length), GERMAN))
                        .isInstanceOf(RecordMiss.class);
            }
            assertThat(records.read(Arrays.copyOf(record, record.length + 1), GERMAN))
                    .isEqualTo(RecordMiss.MALFORMED);
        }
    }

    /** As after a write that was interrupted, or went to the wrong place. */
    @Test
    void partsOfTwoRecordsDoNotFitTogether() {
        var one = records.written(plain());
        records.pass(Duration.ofMillis(1));
        var other = records.written(owned(records.plain(GERMAN, "tixt", VARYING)));
        int bodyAt = header(one).frontBytes();

        for (int at : new int[] {RecordHeader.BYTES, bodyAt}) {
            var mixed = one.clone();
            System.arraycopy(other, at, mixed, at, one.length - at);
            assertThat(records.read(mixed, GERMAN)).isEqualTo(RecordMiss.CHECKSUM);
        }
    }

    @Test
    void recordOfAnotherSchemaIsAMiss() {
        var record = records.written(plain());
        record[5]++;

        assertThat(records.read(record, GERMAN)).isEqualTo(RecordMiss.SCHEMA);
    }

    @Test
    void recordOfAnotherKeyIsAMiss() {
        var record = records.written(plain());
        var route = StorageFingerprint.of(RULES, ResponseRules.NONE, CacheHouse.REQUESTS);
        var others =
                List.of(
                        KEY.ofUrl(),
                        KEY.ofUrl().with(List.of(new CacheKey.Part("login", "user-4712"))),
                        new CacheKey(KEY.scheme(), KEY.authority(), "/other", KEY.parts()),
                        new CacheKey(KEY.scheme(), "other.example", KEY.target(), KEY.parts()));

        for (var other : others) {
            assertThat(records.read(record, wanted(RecordKey.of(other, route))))
                    .isEqualTo(RecordMiss.KEY);
            // Even if both had the same hash, the URLs would differ.
            if (!other.ofUrl().equals(KEY.ofUrl())) {
                assertThat(
                                records.read(
                                        record,
                                        wanted(
                                                new RecordKey(
                                                        other,
                                                        Records.key().route(),
                                                        Records.key().hash()))))
                        .isEqualTo(RecordMiss.KEY);
            }
        }
    }

    @Test
    void recordOfAnotherConfigurationIsAMiss() {
        var record = records.written(plain());
        var other =
                CacheHouse.rules(
                        EsiProcessing.AUTO,
                        new Settings(
                                Duration.ZERO, Duration.ZERO, Duration.ZERO, true, false, "quire"));

        var key =
                RecordKey.of(
                        KEY, StorageFingerprint.of(other, ResponseRules.NONE, CacheHouse.REQUESTS));

        assertThat(records.read(record, wanted(key))).isEqualTo(RecordMiss.KEY);
    }

    private static RecordCodec.Wanted wanted(RecordKey key) {
        return new RecordCodec.Wanted(key, SentRequest.of(CacheHouse.get(GERMAN)), RULES.parsing());
    }

    @Test
    void recordOfAnotherVariantIsAMiss() {
        var record = records.written(plain());

        assertThat(records.read(record, Fields.of("Accept-Language", "de")))
                .isEqualTo(RecordMiss.VARIANT);
        assertThat(records.read(record, Fields.of("Accept-Language", "de, en", "X-Shop", "1")))
                .isEqualTo(RecordMiss.VARIANT);
        owned(records.found(record, Fields.of("accept-language", "DE ,en")));
    }

    /** A response that does not depend on an edited field is not for requests with one. */
    @Test
    void recordWithoutAnEditedFieldOfTheRequestIsAMiss() {
        var record = records.written(plain());
        var sent = new SentRequest(CacheHouse.get(GERMAN), GERMAN, List.of(), List.of("x-edited"));

        assertThat(
                        records.read(
                                record,
                                new RecordCodec.Wanted(Records.key(), sent, RULES.parsing())))
                .isEqualTo(RecordMiss.VARIANT);
    }

    @Test
    void recordOfAnUnknownSequenceOfInvalidationsIsAMiss() {
        var record = records.codec.write(plain(), Records.key(), new RecordPosition(78, 5));

        assertThat(records.codec.read(record, Records.wanted(GERMAN)))
                .isEqualTo(RecordMiss.POSITION);
        record.release();
    }

    @Test
    void ageGoesOnWhileNoProcessRuns() {
        var stored = plain();
        records.pass(Duration.ofMillis(2_500));
        var record = records.written(stored);
        records.pass(Duration.ofSeconds(20));
        records.restart();

        var read = owned(records.found(record, GERMAN)).freshness();

        assertThat(read.ageAt(records.now)).isEqualTo(Duration.ofMillis(7_000 + 22_500));
        assertThat(read.initialAge()).isEqualTo(Duration.ofSeconds(7));
        assertThat(read.receivedAt()).isEqualTo(records.now.minusMillis(22_500));
        assertThat(read.remainingAt(records.now)).isEqualTo(Duration.ofMillis(30_500));
        assertThat(read.grace()).isEqualTo(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 999, 1_000})
    void smallStepBackOfTheWallClockLeavesTheAge(long millis) {
        var record = records.written(plain());
        records.wall = records.wall.minusMillis(millis);

        var read = owned(records.found(record, GERMAN)).freshness();

        assertThat(read.ageAt(records.now)).isEqualTo(Duration.ofSeconds(7));
        assertThat(read.isFreshAt(records.now)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {1_001, 3_600_000, 1L << 50})
    void afterALargerStepBackItNeedsAValidation(long millis) {
        var record = records.written(plain());
        records.wall = records.wall.minusMillis(millis);

        var read = owned(records.found(record, GERMAN)).freshness();

        assertThat(read.ageAt(records.now)).isEqualTo(Duration.ofSeconds(7));
        assertThat(read.isFreshAt(records.now)).isFalse();
        assertThat(read.grace()).isZero();
        assertThat(read.staleIfError()).isZero();
        assertThat(read.staleIfUnreachable()).isZero();
    }

    @Test
    void stepForwardMakesItStaleAndKeepsItsWindows() {
        var stored = plain();
        var record = records.written(stored);
        records.wall = records.wall.plusMillis(1L << 50);

        var read = owned(records.found(record, GERMAN)).freshness();

        assertThat(read.isFreshAt(records.now)).isFalse();
        assertThat(read.terms()).isEqualTo(stored.freshness().terms());
    }

    @Test
    void privateResponsesAndFormsAreNotWritten() {
        var own = owned(StoredResponse.made(KEY, new byte[] {1}, null));
        var other = plain();

        assertThat(RecordCodec.mayBeWritten(own)).isFalse();
        assertThatThrownBy(() -> records.codec.write(own, Records.key(), POSITION))
                .isInstanceOf(IllegalArgumentException.class);
        var key =
                RecordKey.of(
                        CacheHouse.PAGE,
                        StorageFingerprint.of(RULES, ResponseRules.NONE, CacheHouse.REQUESTS));
        assertThatThrownBy(() -> records.codec.write(other, key, POSITION))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static RecordHeader header(byte[] record) {
        return switch (RecordHeader.read(Unpooled.wrappedBuffer(record))) {
            case RecordHeader.Valid(var header) -> header;
            case RecordMiss miss -> throw new AssertionError(miss);
        };
    }
}
