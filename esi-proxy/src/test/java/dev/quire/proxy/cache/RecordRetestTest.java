package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.SearchPattern;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.PathPattern;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records that are written again, compared with the same responses in memory. */
class RecordRetestTest {
    private static final RecordHash ID = new RecordHash(1, 2);
    private static final CacheKey URL = Records.KEY.ofUrl();
    private static final CacheKey OTHER = new CacheKey(URL.scheme(), URL.authority(), "/other");
    private static final List<String> TAGS = List.of("red", "green", "blue");
    private static final List<String> TYPES = List.of("text/plain", "image/png");

    private final Records records = new Records();
    private Invalidations invalidations = invalidations();
    private RecordRetest retest = retest();

    private Invalidations invalidations() {
        return new Invalidations(
                records::now, new HashedPositions(HashedPositions.DEFAULT_COUNT, new Random(1)));
    }

    private RecordRetest retest() {
        return new RecordRetest(invalidations, records, each -> {}, record -> false);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void recordIsWrittenAgainIfItsResponseWouldBeUsable(long seed) {
        var random = new Random(seed);
        var outcomes = new HashMap<String, Integer>();
        for (int i = 0; i < 600; i++) {
            invalidations = invalidations();
            retest = retest();
            act(random, random.nextInt(3));
            var response = response(random);
            response.testedUpTo(invalidations.newest());
            records.pass(Duration.ofMillis(random.nextInt(5_000)));
            var record = write(response);
            act(random, random.nextInt(4));

            outcomes.merge(compare(record, response), 1, Integer::sum);
        }
        assertThat(outcomes).containsOnlyKeys("usable", "stale", "hidden", "expired");
        assertThat(outcomes.values()).allMatch(count -> count >= 10, "is frequent");
    }

    private String compare(ByteBuf record, StoredResponse response) {
        var again = retest.again(ID, record);
        var inMemory = invalidations.applied(response);
        try {
            if (inMemory == null || !isOfUse(inMemory)) {
                assertThat(again).isNull();
                return inMemory == null ? "hidden" : "expired";
            }
            assertSame(again, inMemory);
            return inMemory == response ? "usable" : "stale";
        } finally {
            if (again != null) {
                again.record().release();
            }
            if (inMemory != null && inMemory != response) {
                inMemory.release();
            }
            response.release();
            record.release();
        }
    }

    private boolean isOfUse(StoredResponse response) {
        return PageStore.keepFor(response.freshness(), response.hasValidator(), records.now())
                .isPositive();
    }

    private void assertSame(RecordLog.@Nullable Reinserted again, StoredResponse inMemory) {
        if (again == null) {
            throw new AssertionError("expected a record of " + inMemory.freshness());
        }
        assertThat(again.position()).isEqualTo(invalidations.newest());
        var codec = new RecordCodec(Records.HEADS, records, invalidations::order);
        var read = Records.found(codec.read(again.record(), Records.wanted(Fields.EMPTY)));
        try {
            assertThat(read.key()).isEqualTo(inMemory.key());
            assertThat(read.status()).isEqualTo(inMemory.status());
            assertThat(Records.lines(read.head().fields()))
                    .isEqualTo(Records.lines(inMemory.head().fields()));
            assertThat(read.body()).isEqualTo(inMemory.body());
            assertThat(read.testedUpTo()).isEqualTo(again.position());
            assertThat(read.freshness()).isEqualTo(inMemory.freshness());
        } finally {
            read.release();
        }
    }

    private ByteBuf write(StoredResponse response) {
        return records.codec.write(
                response, Records.key(), invalidations.position(response.testedUpTo()));
    }

    private StoredResponse response(Random random) {
        var fields = new Fields.Builder();
        fields.add(
                "Cache-Control",
                "max-age=%d, stale-while-revalidate=%d, stale-if-error=%d"
                        .formatted(1 + random.nextInt(20), random.nextInt(10), random.nextInt(10)));
        fields.add("Content-Type", TYPES.get(random.nextInt(TYPES.size())));
        fields.add("Surrogate-Key", TAGS.get(random.nextInt(TAGS.size())));
        if (random.nextBoolean()) {
            fields.add("Cache-Groups", "\"" + TAGS.get(random.nextInt(TAGS.size())) + "\"");
        }
        if (random.nextInt(3) == 0) {
            fields.add("ETag", "\"v1\"");
        }
        return records.response(
                Records.RULES,
                null,
                Fields.EMPTY,
                random.nextBoolean() ? 200 : 404,
                fields.build(),
                "text");
    }

    private void act(Random random, int times) {
        for (int i = 0; i < times; i++) {
            invalidate(random);
            records.pass(Duration.ofMillis(random.nextInt(8_000)));
        }
    }

    private void invalidate(Random random) {
        boolean isSoft = random.nextBoolean();
        var url = random.nextInt(3) == 0 ? URL : OTHER;
        var tag = random.nextInt(3) == 0 ? TAGS.get(random.nextInt(TAGS.size())) : "none";
        switch (random.nextInt(9)) {
            case 0 -> invalidations.purge(Purge.of(url), isSoft, false);
            case 1 ->
                    invalidations.purge(
                            new Purge(Set.of(), Set.of(tag), Set.of(), List.of()), isSoft, false);
            case 2 ->
                    invalidations.purge(
                            new Purge(
                                    Set.of(),
                                    Set.of(),
                                    Set.of(random.nextBoolean() ? URL.authority() : "x"),
                                    List.of()),
                            isSoft,
                            false);
            case 3 ->
                    invalidations.purge(
                            new Purge(
                                    Set.of(),
                                    Set.of(),
                                    Set.of(),
                                    List.of(new PathPattern(random.nextBoolean() ? "/**" : "/x"))),
                            isSoft,
                            false);
            case 4 -> invalidations.invalidate(url, null);
            case 5 -> invalidations.invalidateGroups(URL, Set.of(tag));
            case 6 -> invalidations.lift(invalidations.newest());
            case 7 -> invalidations.complete(random.nextInt(4) == 0 ? invalidations.newest() : 0);
            default -> invalidations.ban(condition(random, tag));
        }
    }

    private static BanCondition condition(Random random, String tag) {
        return new BanCondition(
                Optional.of(new HostPattern(random.nextInt(4) == 0 ? "x" : "*")),
                random.nextInt(4) == 0
                        ? Optional.of(SearchPattern.of("^/x", 1_000))
                        : Optional.empty(),
                random.nextBoolean() ? Optional.of(tag) : Optional.empty(),
                random.nextBoolean()
                        ? Optional.of(random.nextBoolean() ? "image/*" : "text/plain")
                        : Optional.empty(),
                random.nextBoolean() ? Optional.of(404) : Optional.empty(),
                random.nextBoolean()
                        ? Optional.of(Duration.ofSeconds(random.nextInt(10)))
                        : Optional.empty());
    }

    @Test
    void damagedRecordIsNotWrittenAgain() {
        var response = response(new Random(1));
        var record = write(response);
        var bytes = ByteBufUtil.getBytes(record);
        record.release();
        response.release();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] ^= 1;
            assertThat(retest.again(ID, Unpooled.wrappedBuffer(bytes))).as("byte %s", i).isNull();
            bytes[i] ^= 1;
            assertThat(retest.again(ID, Unpooled.wrappedBuffer(bytes, 0, i))).isNull();
        }
        assertThat(retest.again(ID, Unpooled.wrappedBuffer(bytes)))
                .isEqualTo(new RecordLog.Reinserted(0, Unpooled.wrappedBuffer(bytes)))
                .satisfies(whole -> whole.record().release());
    }

    @Test
    void recordOfAnotherSequenceIsNotWrittenAgain() {
        var response = response(new Random(1));
        var record = records.codec.write(response, Records.key(), new RecordPosition(99, 0));

        assertThat(retest.again(ID, record)).isNull();

        record.release();
        response.release();
    }

    @Test
    void recordOfAnotherKindIsPassedOnAsItIs() {
        invalidations.invalidate(URL, null);
        var other = Unpooled.copyInt(0x51564152);
        retest =
                new RecordRetest(
                        invalidations,
                        records,
                        each -> {},
                        record -> record.getInt(0) == 0x51564152);

        var again = retest.again(ID, other);

        assertThat(again).isEqualTo(new RecordLog.Reinserted(1, other));
        assertThat(other.refCnt()).isEqualTo(2);
        other.release(2);
    }

    @Test
    void idsOfRecordsAreThoseOfResponsesThatWereReceivedBefore() {
        var before = records.plain(Fields.EMPTY, "before", "Cache-Control", "max-age=60");
        records.pass(Duration.ofSeconds(10));
        long until = records.wall().toEpochMilli();
        records.pass(Duration.ofMillis(1));
        var after =
                records.plain(
                        Fields.of("Accept-Language", "de"),
                        "after",
                        "Cache-Control",
                        "max-age=60",
                        "Vary",
                        "Accept-Language");
        records.pass(Duration.ofSeconds(10));
        var memory = List.of(before, after);
        retest = new RecordRetest(invalidations, records, memory::forEach, record -> false);

        var key = Records.key().hash();
        var list = RecordVariants.listOf(key);
        var german = RecordVariants.Variant.of(after, key, 0).hash();

        assertThat(ids(until, true)).contains(key, list).doesNotContain(german);
        assertThat(ids(until + 1, true)).contains(key, list, german);
        assertThat(ids(Long.MAX_VALUE, true)).contains(key, list, german);
        assertThat(ids(Long.MAX_VALUE, false)).isEmpty();
        memory.forEach(StoredResponse::release);
    }

    private List<RecordHash> ids(long until, boolean isWanted) {
        var ids = new ArrayList<RecordHash>();
        retest.forEachInMemory(until, () -> isWanted, ids::add);
        return ids;
    }
}
