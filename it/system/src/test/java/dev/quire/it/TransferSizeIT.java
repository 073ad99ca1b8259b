package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.ContentCoding;
import dev.quire.proxy.gzip.BodyDecoder;
import dev.quire.proxy.gzip.Brotli;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No response is larger than the origin's own, whatever the client accepts. */
class TransferSizeIT {
    private static final String FRAGMENT = "<p>fragment</p>";
    private static final int HEADER_BYTES = 10;
    private static final String INCLUDE = "<esi:include src=\"/fragment\"/>";
    private static final Source PAGE = new Source(resource("page.html"), resource("page.html.br"));
    private static final Source LONG = Source.ofLongText();

    /** Values of Accept-Encoding; an empty one means that the field is absent. */
    private static final List<String> ACCEPTED =
            List.of(
                    "",
                    "gzip",
                    "br",
                    "gzip, deflate, br, zstd",
                    "br;q=0, x-gzip;q=0.5",
                    "*",
                    "zstd, deflate",
                    "gzip;q=0");

    private final Origin origin = Origin.start();

    @AfterEach
    void stop() {
        origin.close();
    }

    /** A body in all codings of an origin. */
    private static final class Source {
        private final byte[] plain;
        private final byte[] gzip;
        private final byte[] brotli;

        Source(byte[] plain, byte[] brotli) {
            this.plain = plain;
            this.gzip = gzipped(plain);
            this.brotli = brotli;
        }

        /** A text that is too long for an event loop in all codings. */
        static Source ofLongText() {
            var random = new Random(1);
            var text = new StringBuilder(INCLUDE);
            for (int i = 0; i < 20_000; i++) {
                text.append(Integer.toString(random.nextInt(1_000_000), 36)).append(' ');
            }
            var plain = text.toString().getBytes(UTF_8);
            return new Source(plain, Brotli.of(plain));
        }

        /** The response of an origin that compresses for {@code accepted}. */
        Answer compressedFor(@Nullable String accepted) {
            boolean takesAll = accepted != null && accepted.contains("*");
            if (takesAll || isNamed("br", accepted)) {
                return coded(brotli, "br");
            }
            return isNamed("gzip", accepted) ? coded(gzip, "gzip") : Answer.status(200).body(plain);
        }

        private static boolean isNamed(String coding, @Nullable String accepted) {
            return accepted != null
                    && accepted.matches("(.*, ?)?(x-)?" + coding + "(?!;q=0($|,)).*");
        }

        private static Answer coded(byte[] body, String coding) {
            return Answer.status(200).body(body).field("Content-Encoding", coding);
        }

        /** The bytes that a client gets of this origin alone. */
        int bytesFor(String accepted) {
            if (accepted.contains("*") || isNamed("br", accepted)) {
                return brotli.length;
            }
            return isNamed("gzip", accepted) ? gzip.length : plain.length;
        }

        String text() {
            return new String(plain, UTF_8);
        }
    }

    /** A kind of response. */
    enum Kind {
        PAGE_NOT_STORED("text/html", "Set-Cookie", "sid=1; Path=/"),
        SCRIPT("application/javascript", "Cache-Control", "max-age=60"),
        SCRIPT_WITH_TAG("text/javascript", "ETag", "\"1\""),
        API("application/json", "Cache-Control", "no-cache, private"),
        DOCUMENT("text/html", "Surrogate-Control", "max-age=60, content=\"ESI/1.0\"");

        private final String type;
        private final String name;
        private final String value;

        Kind(String type, String name, String value) {
            this.type = type;
            this.name = name;
            this.value = value;
        }

        Answer of(Answer body) {
            return body.field("Content-Type", type)
                    .field(name, value)
                    .field("Vary", "Accept-Encoding");
        }
    }

    static Stream<Arguments> kindsAndCodings() {
        return Stream.of(Kind.values())
                .flatMap(kind -> ACCEPTED.stream().map(each -> Arguments.of(kind, each)));
    }

    @ParameterizedTest
    @MethodSource("kindsAndCodings")
    void responseIsNoLargerThanThatOfAnOriginThatCompresses(Kind kind, String accepted) {
        serve(kind, PAGE, true);
        // Quire has no encoder for brotli: an assembled page comes in gzip.
        int own =
                kind == Kind.DOCUMENT
                        ? Math.max(
                                PAGE.bytesFor(accepted),
                                PAGE.bytesFor(accepted.replace("br", "").replace("*", "gzip")))
                        : PAGE.bytesFor(accepted);
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            for (int i = 0; i < 3; i++) {
                var response = get(client, accepted);

                assertThat(text(response)).isEqualTo(expected(kind, PAGE));
                assertThat(response.body().length()).isLessThanOrEqualTo(own + own / 100);
                assertThat(response.field("Vary")).isEqualTo("Accept-Encoding");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kindsAndCodings")
    void responseIsNoLargerThanThatOfAnOriginThatNeverCompresses(Kind kind, String accepted) {
        serve(kind, LONG, false);
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            for (int i = 0; i < 2; i++) {
                var response = get(client, accepted);

                assertThat(text(response)).isEqualTo(expected(kind, LONG));
                assertThat(response.body().length())
                        .isLessThanOrEqualTo(LONG.plain.length * 101 / 100);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("firstClients")
    void storedResponseServesEveryClientInACodingItAccepts(Kind kind, String first) {
        serve(kind, PAGE, true);
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            get(client, first);

            for (var accepted : ACCEPTED) {
                var response = get(client, accepted);
                var coding = response.field("Content-Encoding");

                assertThat(text(response)).isEqualTo(expected(kind, PAGE));
                assertThat(response.field("Vary")).isEqualTo("Accept-Encoding");
                if (accepted.contains("gzip") && !accepted.contains("gzip;q=0")) {
                    int own = PAGE.gzip.length;
                    assertThat(response.body().length()).isLessThanOrEqualTo(own + own / 100);
                }
                assertThat(coding == null || accepted.contains(coding) || accepted.equals("*"))
                        .isTrue();
            }
            assertThat(origin.requests("/a")).hasSize(1);
        }
    }

    static Stream<Arguments> firstClients() {
        return Stream.of(Kind.SCRIPT, Kind.DOCUMENT)
                .flatMap(kind ->
                        Stream.of("", "gzip", "br", "gzip, deflate, br, zstd")
                                .map(each -> Arguments.of(kind, each)));
    }

    @Test
    void textThatComesPlainForAnotherClientIsCompressed() {
        serve(Kind.SCRIPT, LONG, false);
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            get(client, "");

            var coded = get(client, "gzip, br");

            assertThat(coded.field("Content-Encoding")).isEqualTo("gzip");
            assertThat(text(coded)).isEqualTo(LONG.text());
            assertThat(coded.body().length()).isLessThan(LONG.gzip.length * 101 / 100);
            assertThat(origin.requests("/a")).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Cache-Control: max-age=60",
                "Cache-Control: no-cache",
                "Vary: *",
                "Age: 1000"
            })
    void textThatComesPlainIsCompressedAsItIsPassedOn(String field) {
        for (var source : List.of(PAGE, LONG)) {
            origin.on("/a", plain(source.plain, field));
            try (var proxy = RunningProxy.inFrontOf(origin).start();
                    var client = proxy.connect()) {
                var coded = get(client, "gzip, br");
                var plain = get(client, "");

                assertThat(coded.field("Content-Encoding")).isEqualTo("gzip");
                assertThat(coded.field("Content-Length")).isNull();
                assertThat(coded.field("ETag")).isEqualTo("W/\"1\"");
                assertThat(text(coded)).isEqualTo(source.text());
                assertThat(coded.body().length())
                        .isLessThanOrEqualTo(source.gzip.length * 101 / 100);
                assertThat(plain.field("ETag")).isEqualTo("\"1\"");
                assertThat(plain.text()).isEqualTo(source.text());
                assertThat(List.of(coded, plain))
                        .allSatisfy(each -> assertThat(each.field("Vary")).isNotNull());
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "Cookie        | a=b       | - | -",
                "Authorization | Basic YTpi | - | -",
                "-             | -         | Cache-Control | no-transform",
                "-             | -         | Cache-Control | private",
                "-             | -         | Cache-Control | no-store",
                "-             | -         | Set-Cookie    | a=b",
                "-             | -         | Content-Type  | text/event-stream",
                "-             | -         | Content-Type  | image/png",
            })
    void responseThatMayHoldASecretOrGainsNothingIsPassedOnAsItCame(
            @Nullable String asked, @Nullable String its, @Nullable String name, String value) {
        var answer = Answer.status(200).body(PAGE.plain).field("Vary", "*").field("ETag", "\"1\"");
        if (name != null) {
            answer = answer.field(name, value);
        }
        if (!"Content-Type".equals(name)) {
            answer = answer.field("Content-Type", "text/html");
        }
        origin.on("/a", answer);
        try (var proxy = RunningProxy.inFrontOf(origin).start()) {
            var response =
                    asked == null || its == null
                            ? proxy.get("/a", "Accept-Encoding", "gzip")
                            : proxy.get("/a", "Accept-Encoding", "gzip", asked, its);

            assertThat(response.field("Content-Encoding")).isNull();
            assertThat(response.field("ETag")).isEqualTo("\"1\"");
            assertThat(response.text()).isEqualTo(PAGE.text());
        }
    }

    @Test
    void clientOfHttp10GetsTextAsItCame() {
        origin.on("/a", plain(PAGE.plain, "Vary: *"));
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            client.send("GET /a HTTP/1.0\r\nHost: a.example\r\nAccept-Encoding: gzip\r\n\r\n");

            assertThat(client.response().text()).isEqualTo(PAGE.text());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Vary: *", "Cache-Control: max-age=60"})
    void textThatIsCompressedInPassingIsFlushedWhereTheOriginPauses(String field) {
        origin.on("/a", plain(LONG.plain, field));
        int first = 2_000;
        try (var held = origin.holdAfter("/a", first);
                var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            var response = client.request("GET", "/a", "Accept-Encoding", "gzip").begin();
            held.awaitWaiting(1);

            int bytes = HEADER_BYTES;
            while (inflated(response.awaitBytes(bytes).bytes()).length() < first) {
                bytes = response.content().length() + 1;
            }
            assertThat(LONG.text()).startsWith(inflated(response.content().bytes()));
            held.release();
            assertThat(text(response.finish())).isEqualTo(LONG.text());
        }
    }

    @Test
    void textThatBreaksOffIsTruncatedInGzipToo() {
        origin.on("/a", plain(LONG.plain, "Vary: *").cutAfter(50_000));
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            var response = client.request("GET", "/a", "Accept-Encoding", "gzip").begin();

            var text = inflated(response.awaitCut().bytes());

            assertThat(text).hasSize(50_000);
            assertThat(LONG.text()).startsWith(text);
        }
    }

    /** The response is stored long before its first client has received it. */
    @ParameterizedTest
    @ValueSource(strings = {"Vary: *", "Cache-Control: max-age=60"})
    void slowClientGetsAllOfALongTextInGzip(String field) {
        var random = new Random(2);
        var letters = new byte[8 * 1024 * 1024];
        for (int i = 0; i < letters.length; i++) {
            letters[i] = (byte) (' ' + random.nextInt(64));
        }
        origin.on("/a", plain(letters, field));
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            var response = client.request("GET", "/a", "Accept-Encoding", "gzip").begin();
            if (field.startsWith("Cache-Control")) {
                proxy.awaitNoFetch();
            }

            assertThat(text(response.finish()).getBytes(UTF_8)).isEqualTo(letters);
            assertThat(text(get(client, "gzip")).getBytes(UTF_8)).isEqualTo(letters);
        }
    }

    private static Answer plain(byte[] body, String field) {
        int colon = field.indexOf(':');
        return Answer.status(200)
                .body(body)
                .field("Content-Type", "text/html")
                .field("ETag", "\"1\"")
                .field(field.substring(0, colon), field.substring(colon + 2));
    }

    /** The readable part of an incomplete gzip body. */
    private static String inflated(byte[] coded) {
        var inflater = new Inflater(true);
        try {
            inflater.setInput(coded, HEADER_BYTES, coded.length - HEADER_BYTES);
            var plain = new ByteArrayOutputStream();
            var step = new byte[4096];
            for (int read; (read = inflater.inflate(step)) > 0; ) {
                plain.write(step, 0, read);
            }
            return plain.toString(UTF_8);
        } catch (DataFormatException broken) {
            throw new AssertionError("expected the beginning of a gzip body", broken);
        } finally {
            inflater.end();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "br"})
    void longDocumentInACodingIsAssembled(String coding) {
        serve(Kind.DOCUMENT, LONG, true);
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            for (int i = 0; i < 2; i++) {
                assertThat(text(get(client, coding))).isEqualTo(expected(Kind.DOCUMENT, LONG));
            }
            assertThat(origin.requests("/a")).hasSize(1);
            assertThat(origin.requests("/a").getFirst().field("Accept-Encoding")).isEqualTo(coding);
            assertThat(origin.requests("/fragment").getFirst().field("Accept-Encoding")).isNull();
        }
    }

    @Test
    void documentInACodingThatCannotBeDecodedIs502() {
        origin.on("/a", Kind.DOCUMENT.of(Source.coded(PAGE.plain, "zstd")));
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            assertThat(get(client, "zstd").status()).isEqualTo(502);

            assertThat(origin.requests("/a").getFirst().field("Accept-Encoding")).isNull();
        }
    }

    /** As nginx does by default. */
    @Test
    void originThatDoesNotCompressForProxiesCompressesWhereViaIsOff() {
        origin.on(
                "/a",
                request ->
                        Kind.PAGE_NOT_STORED.of(
                                PAGE.compressedFor(
                                        request.field("Via") == null
                                                ? request.field("Accept-Encoding")
                                                : null)));
        try (var on = RunningProxy.inFrontOf(origin).start();
                var off = RunningProxy.inFrontOf(origin).origin("via: off").start()) {
            var plain = on.get("/a", "Accept-Encoding", "gzip");
            var coded = off.get("/a", "Accept-Encoding", "gzip", "Via", "1.1 other");

            assertThat(plain.body().length()).isEqualTo(PAGE.plain.length);
            assertThat(coded.body().length()).isEqualTo(PAGE.gzip.length);
            var asked = origin.requests("/a");
            assertThat(asked.getFirst().field("Via")).isEqualTo("1.1 quire");
            assertThat(asked.getFirst().field("CDN-Loop")).isNull();
            assertThat(asked.getLast().field("CDN-Loop")).isEqualTo("quire");
        }
    }

    private void serve(Kind kind, Source source, boolean compresses) {
        origin.on(
                        "/a",
                        request ->
                                kind.of(
                                        compresses
                                                ? source.compressedFor(
                                                        request.field("Accept-Encoding"))
                                                : Answer.status(200).body(source.plain)))
                .on("/fragment", Answers.fragment(FRAGMENT));
    }

    private static String expected(Kind kind, Source source) {
        return kind == Kind.DOCUMENT ? source.text().replace(INCLUDE, FRAGMENT) : source.text();
    }

    private static Response get(HttpWire client, String accepted) {
        return accepted.isEmpty()
                ? client.get("/a")
                : client.get("/a", "Accept-Encoding", accepted);
    }

    private static String text(Response response) {
        var decoder = BodyDecoder.of(ContentCoding.of(response.fields()));
        if (decoder == null) {
            return response.text();
        }
        var plain = new ByteArrayOutputStream();
        BodyDecoder.Target target =
                decoded -> {
                    plain.writeBytes(ByteBufUtil.getBytes(decoded));
                    return null;
                };
        assertThat(decoder.add(Unpooled.wrappedBuffer(response.body().bytes()), target)).isNull();
        assertThat(decoder.end(target)).isNull();
        decoder.discard();
        return plain.toString(UTF_8);
    }

    private static byte[] gzipped(byte[] plain) {
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(plain);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    private static byte[] resource(String name) {
        try (var in = TransferSizeIT.class.getResourceAsStream("/codings/" + name)) {
            return in.readAllBytes();
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }
}
