package dev.quire.proxy.cache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.CompiledPageBytes;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.Admission.Decision;
import dev.quire.core.policy.AuthorLifetime;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Compression;
import dev.quire.core.policy.ResponseTimes;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.rule.ResponseRules;
import dev.quire.proxy.deliver.StoredHeads;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.route.EsiProcessing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stored responses and their records, with two clocks moved by hand. */
final class Records implements Time {
    static final CacheKey KEY =
            CacheHouse.PAGE.with(List.of(new CacheKey.Part("login", "user-4711")));
    static final RouteCacheRules RULES =
            CacheHouse.rules(EsiProcessing.AUTO).recorded(ResponseRules.NONE, CacheHouse.REQUESTS);
    static final RecordPosition POSITION = new RecordPosition(77, 5);
    static final Stamp STAMP = new Stamp("AAAAAAAAAAAAAAAAAAAA-_");

    static final HeadBytes HEADS = new StoredHeads(() -> Compression.ESI);

    Instant now = Instant.EPOCH.plusSeconds(1_000_000);
    Instant wall = HandSetTime.NOON;

    final RecordCodec codec =
            new RecordCodec(
                    HEADS,
                    this,
                    position ->
                            position.epoch() == POSITION.epoch()
                                    ? position.number()
                                    : RecordCodec.Orders.UNKNOWN);

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public Instant wall() {
        return wall;
    }

    void pass(Duration time) {
        now = now.plus(time);
        wall = wall.plus(time);
    }

    /** Another process starts: its monotonic clock has another origin. */
    void restart() {
        now = Instant.EPOCH.plusSeconds(50_000_000);
    }

    static RecordKey key() {
        return RecordKey.of(KEY, requireNonNull(RULES.storage()));
    }

    static RecordCodec.Wanted wanted(Fields request) {
        return new RecordCodec.Wanted(
                key(), SentRequest.of(CacheHouse.get(request)), RULES.parsing());
    }

    /** A plain response to {@code request}. */
    StoredResponse plain(Fields request, String text, String... fields) {
        return response(RULES, null, request, 200, Fields.of(fields), text);
    }

    /** An ESI document. */
    StoredResponse document(String text) {
        return response(
                RULES,
                null,
                Fields.EMPTY,
                200,
                Fields.of(
                        "Surrogate-Control",
                        "content=\"ESI/1.0\"",
                        "Content-Type",
                        "text/html",
                        "Cache-Control",
                        "max-age=60"),
                text);
    }

    /** A stamped document, with its source, as a surrogate in front wants it. */
    StoredResponse stamped() {
        return response(
                RULES.asking(AuthorLifetime.UNSAID, true),
                STAMP,
                Fields.EMPTY,
                200,
                Fields.of(
                        "Surrogate-Control",
                        "content=\"ESI/1.0\", stamp=\"" + STAMP.text() + "\"",
                        "Content-Type",
                        "text/html",
                        "Cache-Control",
                        "max-age=60"),
                "a<esi:" + STAMP.text() + ":include src='/x'/>b<esi:include src='/y'/>");
    }

    StoredResponse response(
            RouteCacheRules rules,
            @Nullable Stamp stamp,
            Fields request,
            int status,
            Fields fields,
            String text) {
        var sent = SentRequest.of(CacheHouse.get(request));
        var transit = new InFlightBudget(1 << 20);
        var store = new PageStore(1, transit, this::now);
        var resources =
                new FetchResources(
                        store,
                        new LowerTiers(store, transit, HEADS, this),
                        new HitForMiss(Duration.ZERO, this::now),
                        new RefreshPauses(this::now),
                        transit,
                        HEADS,
                        this,
                        new CountedEvents());
        var admission = new ResponseAdmission(KEY, sent, rules, true, resources);
        var head = admission.judged(new ResponseHead(status, "Fine", fields), stamp);
        var times = new ResponseTimes(now, now, wall);
        assertThat(admission.begin(head, times, false)).isInstanceOf(Decision.Store.class);
        var body = Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
        assertThat(admission.add(body)).isNull();
        body.release();
        admission.ended(Runnable::run, failure -> assertThat(failure).isNull());
        return admission.finish();
    }

    /** Its record, with a key of the default configuration. */
    byte[] written(StoredResponse response) {
        var record = codec.write(response, key(), POSITION);
        var bytes = ByteBufUtil.getBytes(record);
        record.release();
        return bytes;
    }

    RecordCodec.Reading read(byte[] record, Fields request) {
        return read(record, wanted(request));
    }

    RecordCodec.Reading read(byte[] record, RecordCodec.Wanted wanted) {
        var bytes = Unpooled.wrappedBuffer(record);
        var reading = codec.read(bytes, wanted);
        assertThat(bytes.refCnt()).isEqualTo(1);
        assertThat(bytes.readableBytes()).isEqualTo(record.length);
        return reading;
    }

    /** The response of {@code record}; the caller owns its reference. */
    StoredResponse found(byte[] record, Fields request) {
        return found(read(record, request));
    }

    static StoredResponse found(RecordCodec.Reading reading) {
        if (reading instanceof RecordCodec.Found(var response, var bodyAt, var bytes)) {
            return response;
        }
        throw new AssertionError("expected a response, found " + reading);
    }

    /** Compares everything of which requests notice a difference. */
    static void assertSame(StoredResponse read, StoredResponse stored) {
        assertThat(read.key()).isEqualTo(stored.key());
        assertThat(read.status()).isEqualTo(stored.status());
        assertThat(read.head().reason()).isEqualTo(stored.head().reason());
        assertThat(lines(read.head().fields())).isEqualTo(lines(stored.head().fields()));
        assertThat(read.text()).hasToString(stored.text().toString());
        assertThat(ByteBufUtil.getBytes(read.body()))
                .isEqualTo(ByteBufUtil.getBytes(stored.body()));
        assertThat(plan(read)).isEqualTo(plan(stored));
        assertThat(read.freshness().terms()).isEqualTo(stored.freshness().terms());
        assertThat(read.selecting()).isEqualTo(stored.selecting());
        assertThat(read.tags()).isEqualTo(stored.tags());
        assertThat(read.hash()).isEqualTo(stored.hash());
        var one = read.content();
        var other = stored.content();
        assertThat(one.clientLifetime()).isEqualTo(other.clientLifetime());
        assertThat(one.traits()).isEqualTo(other.traits());
        assertThat(one.judged()).isEqualTo(other.judged());
        assertThat(replaced(one)).isEqualTo(replaced(other));
        assertThat(source(read)).isEqualTo(source(stored));
        assertThat(read.weightBytes()).isEqualTo(stored.weightBytes());
        assertThat(RecordCodec.mayBeWritten(read)).isTrue();
    }

    private static byte @Nullable [] plan(StoredResponse response) {
        var compiled = response.compiled();
        return compiled == null ? null : CompiledPageBytes.write(compiled);
    }

    private static byte @Nullable [] source(StoredResponse response) {
        ByteBuf source = response.source();
        return source == null ? null : ByteBufUtil.getBytes(source);
    }

    private static List<String> replaced(StoredContent content) {
        var replaced = content.replaced();
        var all = new ArrayList<String>();
        if (replaced != null) {
            all.addAll(replaced.names());
            all.addAll(lines(replaced.received()));
        }
        return all;
    }

    static List<String> lines(Fields fields) {
        var lines = new ArrayList<String>();
        fields.forEach((name, value) -> lines.add(name + ": " + value));
        return lines;
    }
}
