package dev.quire.proxy.cache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SelectingFields;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Records of any response. */
class RecordPropertyTest {
    private static final long LONGEST_NANOS = (1L << 31) * 1_000_000_000L;
    private static final List<String> NAMES =
            List.of(
                    "Cache-Control",
                    "Content-Type",
                    "ETag",
                    "Vary",
                    "Surrogate-Key",
                    "Date",
                    "Content-Encoding",
                    "Cache-Groups",
                    "X-a",
                    "x-A",
                    "Set-Cookie",
                    "Age",
                    "a_b");

    private final Records records = new Records();

    /** A response with all that a record has of it. */
    record Any(
            int status,
            String reason,
            Fields fields,
            String body,
            Freshness.Terms terms,
            Duration initialAge,
            Fields request,
            boolean isRuled) {

        StoredResponse stored(Records records) {
            var head = new ResponseHead(status, reason, fields);
            var bytes = body.getBytes(ISO_8859_1);
            var names = List.of("accept-language", "x-a", "cookie");
            return new StoredResponse(
                    StoredContent.of(
                                    Records.KEY,
                                    head,
                                    Records.HEADS.render(head, bytes.length, false, true),
                                    Unpooled.wrappedBuffer(bytes),
                                    new Freshness(records.now, initialAge, terms),
                                    SelectingFields.of(
                                            names.subList(0, body.length() % 4), request),
                                    true)
                            .compiled(
                                    null,
                                    StampTrust.UNSTAMPED,
                                    Records.RULES.parsing(),
                                    Records.RULES.storage())
                            .replacing(isRuled ? new ReplacedLines(NAMES, fields) : null));
        }
    }

    @Property(tries = 2_000)
    void anyResponseIsReadAsItWasWritten(@ForAll("responses") Any any) {
        var stored = any.stored(records);
        var read = records.found(records.written(stored), any.request());

        Records.assertSame(read, stored);
        assertThat(read.freshness()).isEqualTo(stored.freshness());
        read.release();
        stored.release();
    }

    @Property(tries = 1_000)
    void ageIsNeverLessThanTheTimeThatHasPassed(
            @ForAll("responses") Any any,
            @ForAll("times") Duration before,
            @ForAll("times") Duration after) {
        var stored = any.stored(records);
        records.pass(before);
        var record = records.written(stored);
        records.pass(after);

        var expected = stored.freshness().ageAt(records.now);
        records.restart();
        var read = records.found(record, any.request());

        var longest = any.initialAge().plusNanos(LONGEST_NANOS);
        assertThat(read.freshness().ageAt(records.now))
                .isGreaterThanOrEqualTo(expected)
                .isLessThan(expected.plusMillis(1))
                .isLessThanOrEqualTo(longest);
        read.release();
        stored.release();
    }

    @Property(tries = 500)
    void changedRecordsWithRightChecksumsDoNoHarm(
            @ForAll("responses") Any any, @ForAll @IntRange(min = 1, max = 40) int changes) {
        var random = new Random(changes);
        var samples =
                List.of(
                        any.stored(records),
                        records.stamped(),
                        records.document(
                                "a<esi:include src='/x' alt='/y'/><esi:vars>$(HTTP_HOST|'b')"
                                        + "</esi:vars><esi:inline name='/i'>i</esi:inline>"));
        for (var stored : samples) {
            var record = records.written(stored);
            for (int i = 0; i < changes; i++) {
                int from = random.nextInt(4) == 0 ? 0 : RecordHeader.BYTES;
                record[random.nextInt(from, record.length)] = (byte) random.nextInt(256);
                HostileRecord.run(record);
            }
            stored.release();
        }
    }

    @Provide
    Arbitrary<Any> responses() {
        var fields =
                Combinators.combine(Arbitraries.of(NAMES), texts(40))
                        .as(List::of)
                        .list()
                        .ofMaxSize(12)
                        .map(RecordPropertyTest::fields);
        var terms =
                Combinators.combine(times(), times(), times(), times(), flags(), flags(), flags())
                        .as(Freshness.Terms::new);
        return Combinators.combine(
                        Arbitraries.integers().between(200, 599),
                        texts(10),
                        fields,
                        texts(300),
                        terms,
                        times(),
                        fields,
                        flags())
                .as(Any::new);
    }

    private static Fields fields(List<List<String>> lines) {
        var fields = new Fields.Builder();
        lines.forEach(line -> fields.add(line.get(0), line.get(1)));
        return fields.build();
    }

    /** All characters of field values, with those of other values more often. */
    private static Arbitrary<String> texts(int most) {
        return Arbitraries.strings()
                .withChars(" \t,;:=\"aA0*/")
                .withCharRange(' ', '~')
                .withCharRange('\u0080', '\u00ff')
                .ofMaxLength(most);
    }

    @Provide
    Arbitrary<Duration> times() {
        return Arbitraries.longs().between(0, LONGEST_NANOS).map(Duration::ofNanos);
    }

    private static Arbitrary<Boolean> flags() {
        return Arbitraries.of(true, false);
    }
}
