package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static dev.quire.it.Answers.privately;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Content codings of the proxy and of origins (RFC 9110 §8.4, §12.5.3). */
class CompressionIT {
    private static final String LIST = "<li class=\"item\">one of many</li>\n".repeat(200);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int MIB = 1024 * 1024;

    private final Origin origin = Origin.start();

    @AfterEach
    void stop() {
        origin.close();
    }

    @Test
    void pageInGzipIsThePlainPage() {
        origin.on("/page", page("<ul>" + LIST + include("/outer") + include("/me") + "</ul>"))
                .on("/outer", page("(" + include("/inner") + LIST + include("/inner") + ")"))
                .on("/inner", fragment("<p>inner</p>"))
                .on("/me", request -> privately("hello " + request.field("Cookie")));

        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            for (int i = 0; i < 3; i++) {
                var plain = client.get("/page", "Cookie", "name=Kim");
                var coded = client.get("/page", "Cookie", "name=Kim", "Accept-Encoding", "gzip");

                assertThat(plain.text()).startsWith("<ul><li").contains("hello name=Kim");
                assertThat(plain.field("Content-Encoding")).isNull();
                assertThat(coded.field("Content-Encoding")).isEqualTo("gzip");
                assertThat(inflated(coded)).isEqualTo(plain.text());
                assertThat(coded.body().length()).isLessThan(plain.body().length() / 10);
                assertThat(coded.fields().all("Vary")).containsExactly("Accept-Encoding");
                assertThat(plain.fields().all("Vary")).containsExactly("Accept-Encoding");
            }
        }
    }

    @Test
    void pageInGzipBeginsBeforeItsLastFragmentIsThere() {
        origin.on("/page", page(LIST + include("/late") + ".")).on("/late", fragment("late"));
        try (var held = origin.hold("/late");
                var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            var begun = client.request("GET", "/page", "Accept-Encoding", "gzip").begin();

            assertThat(begun.field("Transfer-Encoding")).isEqualTo("chunked");
            held.release();

            assertThat(inflated(begun.finish())).isEqualTo(LIST + "late.");
        }
    }

    @Test
    void longPartIsCompressedAsideForThoseWhoComeLater() {
        var text = LIST.repeat(100);
        origin.on("/page", page(text));
        try (var proxy = RunningProxy.inFrontOf(origin).start();
                var client = proxy.connect()) {
            var first = client.get("/page", "Accept-Encoding", "gzip");
            assertThat(inflated(first)).isEqualTo(text);
            assertThat(first.body().length()).isGreaterThan(text.length());

            var then = first;
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (then.body().length() > text.length() / 50) {
                assertThat(System.nanoTime()).as("deadline for compression").isLessThan(end);
                then = client.get("/page", "Accept-Encoding", "gzip");
            }

            assertThat(inflated(then)).isEqualTo(text);
        }
    }

    @Test
    void textIsCompressedWhereAllIs() {
        origin.on(
                "/a.css",
                Answer.status(200)
                        .body(LIST)
                        .field("Content-Type", "text/css")
                        .field("Cache-Control", "max-age=60")
                        .field("ETag", "\"1\""));
        try (var proxy =
                        RunningProxy.inFrontOf(origin)
                                .with("cache", "{ memory: 64MiB, compress: all }")
                                .start();
                var client = proxy.connect()) {
            client.get("/a.css");

            var coded = client.get("/a.css", "Accept-Encoding", "gzip");
            var confirmed =
                    client.get("/a.css", "Accept-Encoding", "gzip", "If-None-Match", "W/\"1\"");

            assertThat(inflated(coded)).isEqualTo(LIST);
            assertThat(coded.field("ETag")).isEqualTo("W/\"1\"");
            assertThat(confirmed.status()).isEqualTo(304);
            assertThat(confirmed.field("ETag")).isEqualTo("W/\"1\"");
            assertThat(origin.requests("/a.css")).hasSize(1);
        }
    }

    @Test
    void longBodyInACodingIsDecodedForWhoDoesNotTakeIt() {
        var noise = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            noise.append(i * 7919L % 10_007).append(' ');
        }
        var text = noise.toString();
        var coded = gzip(text.getBytes(UTF_8));
        assertThat(coded.length).isGreaterThan(100_000);
        origin.on(
                "/a",
                Answer.status(200)
                        .body(coded)
                        .field("Content-Encoding", "gzip")
                        .field("Cache-Control", "max-age=60"));
        try (var proxy = unparsed();
                var client = proxy.connect()) {
            assertThat(inflated(client.get("/a", "Accept-Encoding", "gzip"))).isEqualTo(text);

            for (int i = 0; i < 2; i++) {
                var plain = client.get("/a");
                assertThat(plain.field("Content-Encoding")).isNull();
                assertThat(plain.text()).isEqualTo(text);
            }
            assertThat(client.get("/a", "Accept-Encoding", "x-gzip").body().bytes())
                    .isEqualTo(coded);
            assertThat(origin.requests("/a")).hasSize(1);
        }
    }

    static Stream<Arguments> bombs() {
        var zeros = new byte[30 * MIB];
        var bomb = gzip(zeros);
        return Stream.of(
                Arguments.of("gzip", bomb),
                Arguments.of("gzip", twice(gzip(new byte[5 * MIB]))),
                Arguments.of("gzip, gzip", gzip(bomb)),
                Arguments.of("br", bomb));
    }

    @ParameterizedTest
    @MethodSource("bombs")
    void pageThatInflatesPastAllBoundsIs502AndNotStored(String coding, byte[] body) {
        origin.on("/page", page("").body(body).field("Content-Encoding", coding));
        try (var proxy = RunningProxy.inFrontOf(origin).start()) {
            assertThat(proxy.get("/page").status()).isEqualTo(502);
            assertThat(proxy.get("/page").status()).isEqualTo(502);

            assertThat(origin.requests("/page")).hasSize(2);
            assertThat(proxy.stored()).isEmpty();
        }
    }

    @Test
    void fragmentThatInflatesPastAllBoundsIsLeftOut() {
        origin.on("/page", page("a" + include("/bomb") + "b"))
                .on(
                        "/bomb",
                        fragment("")
                                .body(gzip(new byte[30 * MIB]))
                                .field("Content-Encoding", "gzip"));
        try (var proxy = RunningProxy.inFrontOf(origin).start()) {
            assertThat(proxy.get("/page").text()).isEqualTo("ab");
            assertThat(proxy.stored()).hasSize(1);
        }
    }

    @Test
    void storedBodyThatInflatesPastAllBoundsIsAskedForAgainByWhoDoesNotTakeIt() {
        var bomb = gzip(new byte[30 * MIB]);
        origin.on(
                "/a",
                request ->
                        request.field("Accept-Encoding") == null
                                ? fragment("plain")
                                : Answer.status(200)
                                        .body(bomb)
                                        .field("Content-Encoding", "gzip")
                                        .field("Cache-Control", "max-age=60"));
        try (var proxy = unparsed();
                var client = proxy.connect()) {
            assertThat(client.get("/a", "Accept-Encoding", "gzip").body().bytes()).isEqualTo(bomb);

            assertThat(client.get("/a").text()).isEqualTo("plain");
            assertThat(client.get("/a").text()).isEqualTo("plain");
        }
    }

    private RunningProxy unparsed() {
        return RunningProxy.inFrontOf(origin)
                .with("routes", "[ { origin: tested, esi: off } ]")
                .start();
    }

    private static String inflated(Response response) {
        try (var plain = new GZIPInputStream(new ByteArrayInputStream(response.body().bytes()))) {
            return new String(plain.readAllBytes(), UTF_8);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static byte[] gzip(byte[] plain) {
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** The same member twice. */
    private static byte[] twice(byte[] member) {
        var both = new ByteArrayOutputStream();
        both.writeBytes(member);
        both.writeBytes(member);
        return both.toByteArray();
    }
}
