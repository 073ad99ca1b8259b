package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.policy.Compression;
import dev.quire.proxy.path.OneThread.Rules;
import dev.quire.proxy.route.EsiProcessing;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that are not assembled: compressed by the proxy, or in the codings of their origin. */
@Timeout(60)
class CompressedBodyTest {
    private static final String GZIP = "Accept-Encoding: gzip";
    private static final String BROTLI = "Accept-Encoding: br";
    private static final String ZSTD = "Accept-Encoding: zstd";
    private static final String CODED = "Content-Encoding: gzip";
    private static final String FRESH = "Cache-Control: max-age=60";
    private static final String BRIEF = "Cache-Control: max-age=1";
    private static final String CSS = "Content-Type: text/css";
    private static final String TEXT = ".class { color: red }\n".repeat(100);

    @Test
    void storedTextComesInGzipUnderAWeakTag() {
        try (var proxy = new OneThread(all())) {
            proxy.stored(
                    "/a",
                    ok(
                            TEXT,
                            CSS,
                            FRESH,
                            "ETag: \"1\"",
                            "Vary: Origin",
                            "Repr-Digest: sha-256=:AA==:",
                            "Accept-Ranges: bytes"));
            var client = proxy.client();

            var coded = Received.of(client.get("/a", GZIP).received());
            var plain = Received.of(client.get("/a").received());

            assertThat(coded.inflated()).isEqualTo(TEXT);
            assertThat(coded.body().length()).isLessThan(100);
            assertThat(coded.field("Content-Encoding")).isEqualTo("gzip");
            assertThat(coded.field("Content-Length")).isEqualTo("" + coded.body().length());
            assertThat(coded.field("ETag")).isEqualTo("W/\"1\"");
            assertThat(coded.field("Vary")).isEqualTo("Origin, Accept-Encoding");
            assertThat(coded.field("Age")).isEqualTo("0");
            assertThat(coded.head()).doesNotContain("Digest", "Accept-Ranges");
            assertThat(plain.body()).isEqualTo(TEXT);
            assertThat(plain.field("ETag")).isEqualTo("\"1\"");
            assertThat(plain.field("Vary")).isEqualTo("Origin, Accept-Encoding");
            assertThat(plain.field("Repr-Digest")).isEqualTo("sha-256=:AA==:");
        }
    }

    @Test
    void answerThatFlowsBeforeItIsStoredIsCompressedToo() {
        try (var proxy = new OneThread(all())) {
            var client = proxy.client();

            client.get("/a", GZIP);
            proxy.ask("/a").say(ok(TEXT, CSS, FRESH));

            var first = Received.of(client.received());
            assertThat(first.field("Vary")).isEqualTo("Accept-Encoding");
            assertThat(first.inflated()).isEqualTo(TEXT);
            client.get("/a");
            assertThat(Received.of(client.received()).body()).isEqualTo(TEXT);
        }
    }

    @Test
    void answerThatFlowsBeforeItIsStoredIsPlainForAnyoneElse() {
        try (var proxy = new OneThread(all())) {
            var client = proxy.client();

            client.get("/a");
            proxy.ask("/a").say(ok(TEXT, CSS, FRESH));

            var first = Received.of(client.received());
            assertThat(first.field("Vary")).isEqualTo("Accept-Encoding");
            assertThat(first.body()).isEqualTo(TEXT);
        }
    }

    @Test
    void answerThatIsNotStoredIsCompressedInPassing() {
        try (var proxy = new OneThread(all())) {
            var client = proxy.client();

            client.get("/a", GZIP);
            proxy.ask("/a")
                    .say(
                            ok(
                                    TEXT,
                                    CSS,
                                    "Cache-Control: no-cache",
                                    "ETag: \"1\"",
                                    "Vary: Origin, *",
                                    "Content-MD5: AA==",
                                    "Accept-Ranges: bytes"));
            var coded = Received.of(client.received());

            assertThat(coded.inflated()).isEqualTo(TEXT);
            assertThat(coded.field("Content-Encoding")).isEqualTo("gzip");
            assertThat(coded.field("Transfer-Encoding")).isEqualTo("chunked");
            assertThat(coded.field("ETag")).isEqualTo("W/\"1\"");
            assertThat(coded.field("Vary")).isEqualTo("Origin, *");
            assertThat(coded.head())
                    .doesNotContain("Content-Length", "Content-MD5", "Accept-Ranges");
        }
    }

    @Test
    void headAndConfirmationOfAnAnswerThatIsNotStoredSpeakOfTheCompressedOne() {
        try (var proxy = new OneThread(all())) {
            var client = proxy.client();
            var plain = ok(TEXT, CSS, "Vary: *", "ETag: \"1\"");
            client.get("/a", GZIP);
            proxy.ask("/a").say(plain);
            var coded = Received.of(client.received());

            client.send(request("HEAD", "/a", GZIP));
            proxy.ask("/a").say(plain.substring(0, plain.length() - TEXT.length()));
            var head = Received.of(client.received());
            client.get("/a", GZIP, "If-None-Match: W/\"1\"");
            proxy.ask("/a").say("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");
            var weak = Received.of(client.received());
            client.get("/a", GZIP, "If-None-Match: \"1\"");
            proxy.ask("/a").say("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");
            var strong = Received.of(client.received());

            assertThat(head.head() + "Transfer-Encoding: chunked\r\n").isEqualTo(coded.head());
            assertThat(head.body()).isEmpty();
            assertThat(weak.field("ETag")).isEqualTo("W/\"1\"");
            assertThat(weak.head()).doesNotContain("Content-Encoding");
            assertThat(strong.field("ETag")).isEqualTo("\"1\"");
        }
    }

    @Test
    void answerThatIsNotStoredIsLeftAlone() {
        try (var proxy = new OneThread(all())) {
            var client = proxy.client();

            client.get("/a", GZIP);
            proxy.ask("/a").say(ok(TEXT, CSS, "Cache-Control: no-store"));

            var first = Received.of(client.received());
            assertThat(first.head()).doesNotContain("Vary", "Content-Encoding");
            assertThat(first.body()).isEqualTo(TEXT);
        }
    }

    @Test
    void longBodyIsCompressedOnceBeforeItIsSent() {
        try (var proxy = new OneThread(all())) {
            proxy.stored("/a", ok(TEXT.repeat(50), CSS, FRESH));
            var client = proxy.client();

            var first = Received.of(client.get("/a", GZIP).awaited());
            var then = Received.of(client.get("/a", GZIP).received());

            assertThat(first.inflated()).isEqualTo(TEXT.repeat(50));
            assertThat(then.inflated()).isEqualTo(TEXT.repeat(50));
        }
    }

    @Test
    void longBodyIsSentAsItIsIfOthersAreCompressedForTooLong() {
        try (var proxy = new OneThread(all())) {
            var text = TEXT.repeat(50);
            proxy.stored("/a", ok(text, CSS, FRESH, "ETag: \"1\""));
            var client = proxy.client();

            var plain = Received.of(proxy.during("/a", () -> client.get("/a", GZIP).awaited()));
            var coded = Received.of(client.get("/a", GZIP).awaited());

            assertThat(plain.body()).isEqualTo(text);
            assertThat(plain.field("ETag")).isEqualTo("\"1\"");
            assertThat(plain.field("Vary")).isEqualTo("Accept-Encoding");
            assertThat(coded.inflated()).isEqualTo(text);
        }
    }

    @Test
    void headAndConfirmationSpeakOfTheSameAnswer() {
        try (var proxy = new OneThread(all())) {
            proxy.stored("/a", ok(TEXT, CSS, FRESH, "ETag: \"1\""));
            var client = proxy.client();
            var coded = Received.of(client.get("/a", GZIP).received());

            var head = Received.of(client.send(request("HEAD", "/a", GZIP)).received());
            var confirmed =
                    Received.of(client.get("/a", GZIP, "If-None-Match: W/\"1\"").received());

            assertThat(head.head()).isEqualTo(coded.head());
            assertThat(head.body()).isEmpty();
            assertThat(confirmed.head()).startsWith("HTTP/1.1 304 ");
            assertThat(confirmed.field("ETag")).isEqualTo("W/\"1\"");
            assertThat(confirmed.field("Vary")).isEqualTo("Accept-Encoding");
        }
    }

    @Test
    void rangeOfABodyThatIsCompressedForTheClientIsIgnored() {
        try (var proxy = new OneThread(all())) {
            proxy.stored("/a", ok(TEXT, CSS, FRESH));
            var client = proxy.client();

            var part = Received.of(client.get("/a", GZIP, "Range: bytes=0-1").received());

            assertThat(part.head()).startsWith("HTTP/1.1 200 ");
            assertThat(part.field("Content-Encoding")).isEqualTo("gzip");
        }
    }

    @Test
    void bodiesThatGainNothingAreLeftAlone() {
        try (var proxy = new OneThread(all())) {
            proxy.stored("/short", ok("short", CSS, FRESH));
            proxy.stored("/image", ok(TEXT, "Content-Type: image/png", FRESH));
            proxy.stored("/fixed", ok(TEXT, CSS, FRESH + ", no-transform"));
            var client = proxy.client();

            for (var target : new String[] {"/short", "/image", "/fixed"}) {
                var body = Received.of(client.get(target, GZIP).received());
                assertThat(body.head()).doesNotContain("Content-Encoding", "Vary");
            }
        }
    }

    @Test
    void onlyPagesAreCompressedUnlessAllIs() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok(TEXT, CSS, FRESH));
            var client = proxy.client();

            var body = Received.of(client.get("/a", GZIP).received());

            assertThat(body.head()).doesNotContain("Content-Encoding", "Vary");
            assertThat(body.body()).isEqualTo(TEXT);
        }
    }

    @Test
    void oneStoredResponseServesAllClientsWhateverTheyAccept() {
        try (var proxy = new OneThread(all().esi(EsiProcessing.OFF))) {
            var client = proxy.client();
            var coded = Coded.brotli(TEXT);

            client.get("/a", "Accept-Encoding: zstd;q=0, br ,deflate,x-gzip;q=0.1");
            assertThat(proxy.ask("/a").text()).contains("\r\nAccept-Encoding: br, gzip\r\n");
            proxy.ask("/a")
                    .say(
                            ok(
                                    coded,
                                    CSS,
                                    FRESH,
                                    "Content-Encoding: br",
                                    "Vary: Accept-Encoding",
                                    "ETag: \"1\""));
            client.received();
            proxy.asked();

            var brotli = Received.of(client.get("/a", BROTLI).received());
            assertThat(brotli.body()).isEqualTo(coded);
            assertThat(brotli.field("ETag")).isEqualTo("\"1\"");
            var gzip = Received.of(client.get("/a", GZIP).received());
            assertThat(gzip.inflated()).isEqualTo(TEXT);
            assertThat(gzip.field("ETag")).isEqualTo("W/\"1\"");
            var head = Received.of(client.send(request("HEAD", "/a", GZIP)).received());
            assertThat(head.head()).isEqualTo(gzip.head());
            assertThat(Received.of(client.get("/a").received()).body()).isEqualTo(TEXT);
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void partOfACodedBodyIsOfTheCodingThatIsSent() {
        try (var proxy = new OneThread(all())) {
            var coded = Coded.brotli(TEXT);
            var date = "Thu, 01 Jan 2015 12:00:00 GMT";
            proxy.stored(
                    "/a",
                    ok(
                            coded,
                            CSS,
                            FRESH,
                            "Content-Encoding: br",
                            "ETag: \"1\"",
                            "Last-Modified: " + date));
            var client = proxy.client();

            var ofCoded = Received.of(client.get("/a", BROTLI, "Range: bytes=0-3").received());
            var ofPlain = Received.of(client.get("/a", "Range: bytes=0-3").received());
            var resumed =
                    Received.of(client.get("/a", "Range: bytes=0-3", "If-Range: \"1\"").received());
            var resumedByDate =
                    Received.of(
                            client.get("/a", "Range: bytes=0-3", "If-Range: " + date).received());

            assertThat(ofCoded.head()).startsWith("HTTP/1.1 206 ");
            assertThat(ofCoded.field("Content-Encoding")).isEqualTo("br");
            assertThat(ofCoded.body()).isEqualTo(coded.substring(0, 4));
            assertThat(ofPlain.head()).startsWith("HTTP/1.1 206 ").doesNotContain("br\r");
            assertThat(ofPlain.field("ETag")).isEqualTo("W/\"1\"");
            assertThat(ofPlain.body()).isEqualTo(TEXT.substring(0, 4));
            assertThat(resumed.head()).startsWith("HTTP/1.1 200 ");
            assertThat(resumed.body()).isEqualTo(TEXT);
            assertThat(resumedByDate.head()).startsWith("HTTP/1.1 200 ");
        }
    }

    /** A client may have the beginning in another coding, with the same date. */
    @ParameterizedTest
    @ValueSource(strings = {"plain", "gzip"})
    void dateDoesNotResumeABodyThatIsSentInSeveralCodings(String coding) {
        try (var proxy = new OneThread(all())) {
            var date = "Last-Modified: Thu, 01 Jan 2015 12:00:00 GMT";
            var resuming = date.replace("Last-Modified", "If-Range");
            var accepting = "Accept-Encoding: " + coding;
            boolean isPlain = coding.equals("plain");
            var body = isPlain ? TEXT : Coded.gzip(TEXT);
            var fields = new String[] {CSS, FRESH, date, "ETag: \"1\"", isPlain ? "A: b" : CODED};
            var client = proxy.client();

            client.get("/a", accepting, "Range: bytes=0-3", resuming);
            proxy.ask("/a").say(ok(body, fields));
            var arriving = Received.of(client.received());
            var byDate =
                    Received.of(
                            client.get("/a", accepting, "Range: bytes=0-3", resuming).received());
            var byTag =
                    Received.of(
                            client.get("/a", accepting, "Range: bytes=0-3", "If-Range: \"1\"")
                                    .received());

            assertThat(arriving.head()).startsWith("HTTP/1.1 200 ");
            assertThat(byDate.head()).startsWith("HTTP/1.1 200 ");
            assertThat(byDate.body()).isEqualTo(body);
            assertThat(byTag.head()).startsWith("HTTP/1.1 206 ");
            assertThat(byTag.body()).isEqualTo(body.substring(0, 4));
        }
    }

    @Test
    void headOfAnotherCodingDoesNotDropWhatIsStored() {
        try (var proxy = new OneThread(all())) {
            proxy.stored("/a", ok(Coded.gzip(TEXT), CSS, BRIEF, CODED, "ETag: \"1\""));
            proxy.leap(Duration.ofSeconds(20));
            proxy.asked();
            var client = proxy.client();

            client.send(request("HEAD", "/a", BROTLI));
            proxy.ask("/a")
                    .say("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 9\r\n\r\n");
            assertThat(client.received()).startsWith("HTTP/1.1 200 ").contains("br\r\n");
            client.get("/a", GZIP);

            assertThat(proxy.ask("/a").text()).contains("If-None-Match: \"1\"");
        }
    }

    @Test
    void codingOfAnAuthorWhoForbidsTransformingIsKept() {
        try (var proxy = new OneThread(all())) {
            var fixed = FRESH + ", no-transform";
            proxy.stored("/a", ok(Coded.gzip(TEXT), CSS, fixed, CODED));
            var client = proxy.client();

            client.get("/a");
            assertThat(proxy.asked()).endsWith("/a");
            proxy.ask("/a").say(ok(TEXT, CSS, fixed));

            assertThat(Received.of(client.received()).body()).isEqualTo(TEXT);
            proxy.asked();
            client.get("/a", GZIP).received();
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void codedBodyIsPlainForWhoDoesNotTakeItsCoding() {
        try (var proxy = new OneThread(unparsed())) {
            var client = proxy.client();
            var coded = Coded.gzip(TEXT);
            client.get("/a", GZIP);
            proxy.ask("/a")
                    .say(
                            ok(
                                    coded,
                                    CSS,
                                    FRESH,
                                    "Content-Encoding: gzip",
                                    "ETag: \"1\"",
                                    "Content-MD5: AA=="));
            client.received();
            proxy.asked();

            for (int i = 0; i < 2; i++) {
                var plain = Received.of(client.get("/a", BROTLI).received());

                assertThat(plain.body()).isEqualTo(TEXT);
                assertThat(plain.field("Content-Length")).isEqualTo("" + TEXT.length());
                assertThat(plain.field("ETag")).isEqualTo("W/\"1\"");
                assertThat(plain.field("Vary")).isEqualTo("Accept-Encoding");
                assertThat(plain.head()).doesNotContain("Content-Encoding", "Content-MD5");
            }
            var confirmed =
                    Received.of(client.get("/a", BROTLI, "If-None-Match: \"1\"").received());
            assertThat(confirmed.head()).startsWith("HTTP/1.1 304 ");
            assertThat(confirmed.field("ETag")).isEqualTo("W/\"1\"");
            assertThat(Received.of(client.get("/a", GZIP).received()).body()).isEqualTo(coded);
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"br", "gzip"})
    void bodyWhoseCodingCannotBeUndoneDoesNotHaveADeadOriginAskedAgain(String coding) {
        try (var proxy = new OneThread(unparsed())) {
            proxy.client().get("/a", "Accept-Encoding: " + coding);
            proxy.ask("/a").say(ok("no gzip", CSS, BRIEF, "Content-Encoding: " + coding));
            proxy.leap(Duration.ofSeconds(20));
            proxy.asked();

            var client = proxy.client().get("/a", "Accept-Encoding: zstd");
            proxy.ask("/a").sayAtTheEnd("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");

            assertThat(client.received()).startsWith("HTTP/1.1 502 ");
            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void codingThatCannotBeUndoneIsForThoseWhoTakeIt() {
        try (var proxy = new OneThread(unparsed())) {
            var client = proxy.client();
            client.get("/a", ZSTD);
            assertThat(proxy.ask("/a").text()).contains("\r\n" + ZSTD + "\r\n");
            proxy.ask("/a").say(ok("zstd", CSS, FRESH, "Content-Encoding: zstd"));
            client.received();

            client.get("/a", GZIP);
            assertThat(proxy.ask("/a").text()).contains("\r\n" + GZIP + "\r\n");
            proxy.ask("/a").say(ok(Coded.gzip(TEXT), CSS, FRESH, "Content-Encoding: gzip"));

            assertThat(Received.of(client.received()).inflated()).isEqualTo(TEXT);
            assertThat(proxy.last().trace().reason()).isEqualTo("vary-miss");
            proxy.asked();
            assertThat(Received.of(client.get("/a", ZSTD).received()).body()).isEqualTo("zstd");
            assertThat(Received.of(client.get("/a").received()).body()).isEqualTo(TEXT);
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void codedBodyThatIsBrokenIsAskedForAgainByWhoCannotTakeIt() {
        try (var proxy = new OneThread(unparsed())) {
            var client = proxy.client();
            client.get("/a", GZIP);
            proxy.ask("/a").say(ok("no gzip at all", CSS, FRESH, "Content-Encoding: gzip"));
            client.received();
            proxy.asked();

            client.get("/a", BROTLI);
            assertThat(proxy.asked()).containsExactly("/a");
            proxy.ask("/a").say(ok(TEXT, CSS, FRESH));

            assertThat(Received.of(client.received()).body()).isEqualTo(TEXT);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1_000})
    void codedBodyThatStandsInIsPlainForWhoDoesNotTakeItsCoding(int times) {
        try (var proxy = new OneThread(unparsed())) {
            var client = proxy.client();
            var text = Coded.noise(times * 100);
            client.get("/a", GZIP);
            proxy.ask("/a").say(ok(Coded.gzip(text), CSS, BRIEF, CODED));
            proxy.leap(Duration.ofSeconds(20));
            var other = proxy.client();

            other.get("/a", BROTLI);
            proxy.ask("/a").say("no response at all\r\n\r\n");

            var plain = Received.of(other.awaited());
            assertThat(plain.head()).startsWith("HTTP/1.1 200 ");
            assertThat(plain.body()).isEqualTo(text);
        }
    }

    @Test
    void waitingClientThatCannotTakeWhatCameFetchesForItself() {
        try (var proxy = new OneThread(unparsed())) {
            var brotli = proxy.client();
            var gzip = proxy.client();
            brotli.get("/a", BROTLI);
            gzip.get("/a", GZIP);
            assertThat(proxy.asked()).containsExactly("/a");

            proxy.ask("/a").say(ok("brotli", CSS, FRESH, "Content-Encoding: br"));

            assertThat(proxy.asked()).containsExactly("/a");
            proxy.ask("/a").say(ok(TEXT, CSS, FRESH));
            assertThat(Received.of(gzip.received()).body()).isEqualTo(TEXT);
        }
    }

    @Test
    void unknownCodingThatNobodyAskedForGoesToEverybodyAsItCame() {
        try (var proxy = new OneThread()) {
            var strange = ok("strange", CSS, FRESH, "Content-Encoding: strange");
            proxy.stored("/a", strange);
            var client = proxy.client();

            client.get("/a", GZIP);
            proxy.ask("/a").say(strange);
            var body = Received.of(client.received());

            assertThat(body.body()).isEqualTo("strange");
            assertThat(body.field("Content-Encoding")).isEqualTo("strange");
        }
    }

    private static Rules all() {
        return new Rules().compressing(Compression.ALL);
    }

    private static Rules unparsed() {
        return new Rules().esi(EsiProcessing.OFF);
    }
}
