package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.policy.Compression;
import dev.quire.proxy.path.OneThread.Rules;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages in gzip, concatenated from precompressed parts. */
class CompressedPageTest {
    private static final String GZIP = "Accept-Encoding: gzip, deflate, br";
    private static final String FRESH = "Cache-Control: max-age=60";
    private static final String PRIVATE = "Cache-Control: private";
    private static final String LIST = "<li class=\"item\">one of many</li>".repeat(100);
    private static final Duration FIRST_FLUSH = Duration.ofMillis(20);
    private static final int KIB = 1024;

    @Test
    void pageComesInGzipInOneBurstWithItsLength() {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("<b>fragment</b>", FRESH));
            proxy.stored("/page", page("<ul>" + LIST + include("/f").repeat(3) + "</ul>"));
            var client = proxy.client();

            client.get("/page", GZIP);

            var page = Received.of(client.received());
            assertThat(page.head()).startsWith("HTTP/1.1 200 OK\r\n");
            assertThat(page.field("Content-Encoding")).isEqualTo("gzip");
            assertThat(page.field("Vary")).isEqualTo("Accept-Encoding");
            assertThat(page.field("Content-Length")).isEqualTo("" + page.body().length());
            assertThat(page.inflated())
                    .isEqualTo("<ul>" + LIST + "<b>fragment</b>".repeat(3) + "</ul>");
            assertThat(page.body().length()).isLessThan(300);
            assertThat(client.bursts()).isEqualTo(1);
        }
    }

    @Test
    void plainAnswerDependsOnAcceptEncodingTooAndHasTheSameTag() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(LIST, "Vary: Accept-Language"));
            var client = proxy.client();

            var plain = Received.of(client.get("/page").received());
            var coded = Received.of(client.get("/page", GZIP).received());

            assertThat(plain.body()).isEqualTo(LIST);
            assertThat(plain.head()).doesNotContain("Content-Encoding");
            assertThat(plain.field("Vary")).isEqualTo("Accept-Language, Accept-Encoding");
            assertThat(coded.field("Vary")).isEqualTo("Accept-Language, Accept-Encoding");
            assertThat(coded.field("ETag")).startsWith("W/\"").isEqualTo(plain.field("ETag"));
        }
    }

    @Test
    void piecesAreCompressedOnce() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(LIST + include("/f") + LIST));
            proxy.stored("/f", ok(LIST, FRESH));
            var client = proxy.client();
            var before = proxy.weightBytes();

            var first = Received.of(client.get("/page", GZIP).received());
            var once = proxy.weightBytes();
            var second = Received.of(client.get("/page", GZIP).received());

            assertThat(second.body()).isEqualTo(first.body());
            assertThat(once).isGreaterThan(before);
            assertThat(proxy.weightBytes()).isEqualTo(once);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"identity", "gzip;q=0", "br", "gzip;q=0.5, identity"})
    void clientThatDoesNotWantGzipGetsThePagePlain(String accepted) {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(LIST));
            var client = proxy.client();

            var page = Received.of(client.get("/page", "Accept-Encoding: " + accepted).received());

            assertThat(page.head()).doesNotContain("Content-Encoding");
            assertThat(page.body()).isEqualTo(LIST);
        }
    }

    @Test
    void pageThatLeavesBeforeItIsWholeCanBeReadAsFarAsItIs() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(LIST + include("/a") + " two " + include("/b") + "."));
            proxy.asked();
            var client = proxy.client();

            client.get("/page", GZIP);
            proxy.pass(FIRST_FLUSH);

            var begun = client.received();
            assertThat(begun).contains("\r\nTransfer-Encoding: chunked\r\n");
            assertThat(Received.of(begun).inflatedSoFar()).isEqualTo(LIST);

            proxy.ask("/b").say(ok("B", FRESH));
            proxy.ask("/a").say(ok("A", FRESH));

            var whole = Received.of(begun + client.received());
            assertThat(whole.inflated()).isEqualTo(LIST + "A two B.");
            assertThat(whole.field("Content-Encoding")).isEqualTo("gzip");
        }
    }

    @Test
    void whatIsOneClientsOwnOrEvaluatedIsNeverCompressed() {
        try (var proxy = new OneThread()) {
            var secret = "token-1234567890 ".repeat(20);
            var named = "<esi:vars>$(QUERY_STRING{q})</esi:vars>";
            proxy.stored("/page?q=" + "x".repeat(200), page(LIST + named + include("/me") + LIST));
            var client = proxy.client();

            client.get("/page?q=" + "x".repeat(200), GZIP);
            proxy.ask("/me").say(ok(secret, PRIVATE));

            var page = Received.of(client.received());
            assertThat(page.body()).contains(secret, "x".repeat(200));
            assertThat(page.inflated()).isEqualTo(LIST + "x".repeat(200) + secret + LIST);
        }
    }

    @Test
    void pageThatIsOneClientsOwnIsSentAsItIs() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();

            client.get("/page", GZIP);
            proxy.ask("/page")
                    .say(
                            ok(
                                    LIST + "<esi:vars>.</esi:vars>",
                                    "Content-Type: text/html",
                                    PRIVATE,
                                    "Surrogate-Control: content=\"ESI/1.0\""));

            var page = Received.of(client.received());
            assertThat(page.head()).doesNotContain("Content-Encoding", "Vary");
            assertThat(page.body()).isEqualTo(LIST + ".");
        }
    }

    @Test
    void nestedFragmentsAndByteOrderMarksAreStitchedAsTheyAreInThePlainPage() {
        try (var proxy = new OneThread()) {
            proxy.stored("/inner", ok("\u00ef\u00bb\u00bfinner" + LIST, FRESH));
            proxy.stored("/outer", page("(" + include("/inner") + ")"));
            proxy.stored("/page", page("<" + include("/outer") + ">" + include("/inner")));
            var client = proxy.client();

            var plain = Received.of(client.get("/page").received());
            var coded = Received.of(client.get("/page", GZIP).received());

            assertThat(plain.body()).isEqualTo("<(inner" + LIST + ")>inner" + LIST);
            assertThat(coded.inflated()).isEqualTo(plain.body());
        }
    }

    @Test
    void flowingFragmentIsPartOfTheBodyInGzip() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("<" + include("/big") + ">" + LIST));
            var client = proxy.client();
            client.get("/page", GZIP);

            proxy.ask("/big")
                    .say(
                            "HTTP/1.1 200 OK\r\nContent-Length: "
                                    + 600 * KIB
                                    + "\r\n"
                                    + PRIVATE
                                    + "\r\n\r\n");
            for (int i = 0; i < 3; i++) {
                proxy.ask("/big").say("x".repeat(200 * KIB));
            }

            assertThat(Received.of(client.received()).inflated())
                    .isEqualTo("<" + "x".repeat(600 * KIB) + ">" + LIST);
        }
    }

    @Test
    void flowingFragmentThatBreaksCutsTheBody() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(LIST + include("/big") + ">"));
            var client = proxy.client();
            client.get("/page", GZIP);
            proxy.ask("/big")
                    .say(
                            "HTTP/1.1 200 OK\r\nContent-Length: "
                                    + 600 * KIB
                                    + "\r\n"
                                    + PRIVATE
                                    + "\r\n\r\n"
                                    + "x".repeat(300 * KIB));

            proxy.ask("/big").close();

            assertThat(client.received()).doesNotEndWith("0\r\n\r\n");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void clientThatLeavesWhileItsPageIsCollectedLeavesNothingBehind() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(LIST + include("/late")));
            var client = proxy.client();
            client.get("/page", GZIP);

            client.hangUp();

            assertThat(proxy.open()).isZero();
        }
    }

    @Test
    void whatIsLongIsCompressedAsideAndGoesAsItIsMeanwhile() {
        try (var proxy = new OneThread()) {
            var longText = LIST.repeat(40);
            proxy.stored("/page", page(longText + include("/f")));
            proxy.stored("/f", ok(LIST, FRESH));
            var client = proxy.client();

            var first = Received.of(client.get("/page", GZIP).received());
            var meanwhile = Received.of(client.get("/page", GZIP).received());
            assertThat(proxy.aside).hasSize(1);
            proxy.aside.remove().run();
            var then = Received.of(client.get("/page", GZIP).received());

            assertThat(first.inflated()).isEqualTo(longText + LIST);
            assertThat(meanwhile.inflated()).isEqualTo(longText + LIST);
            assertThat(then.inflated()).isEqualTo(longText + LIST);
            assertThat(first.body().length()).isGreaterThan(longText.length());
            assertThat(then.body().length()).isLessThan(longText.length() / 50);
        }
    }

    @Test
    void loopCompressesNoMoreForOnePageThanItMay() {
        try (var proxy = new OneThread()) {
            var part = LIST.repeat(7);
            proxy.stored("/f", ok("f", FRESH));
            proxy.stored("/page", page((part + include("/f")).repeat(4)));
            var client = proxy.client();

            var page = Received.of(client.get("/page", GZIP).received());

            assertThat(page.inflated()).isEqualTo((part + "f").repeat(4));
            assertThat(proxy.aside).hasSize(2);
        }
    }

    @Test
    void entryThatIsPurgedWhileItsPieceIsMadeKeepsNothing() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(LIST.repeat(40) + include("/f")));
            proxy.stored("/f", ok(LIST, FRESH));
            proxy.client().get("/page", GZIP);

            proxy.purge("/page");
            proxy.aside.remove().run();

            assertThat(proxy.transitBytes()).isZero();
        }
    }

    @Test
    void largePiecesThatASlowClientHoldsAreCounted() {
        try (var proxy = new OneThread()) {
            var noise = new StringBuilder();
            for (int i = 0; noise.length() < 200 * KIB; i++) {
                noise.append((char) ((i * 7919 + (i >> 3) * 31 + (i >> 7) * i) & 0xff));
            }
            proxy.stored("/big", ok(noise.toString(), FRESH));
            proxy.stored("/page", page("<" + include("/big")));
            var client = proxy.client();
            client.get("/page", GZIP);
            proxy.aside.remove().run();
            client.received();
            client.stopTaking();

            client.get("/page", GZIP);
            proxy.purge("/big");
            assertThat(proxy.transitBytes()).isGreaterThan(200 * KIB);
            client.takeAgain();

            assertThat(proxy.transitBytes()).isZero();
            assertThat(Received.of(client.received()).inflated()).isEqualTo("<" + noise);
        }
    }

    @Test
    void headSaysWhatThePageWouldSay() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(LIST));
            var client = proxy.client();

            client.send(request("HEAD", "/page", GZIP));

            var head = Received.of(client.received());
            assertThat(head.field("Content-Encoding")).isEqualTo("gzip");
            assertThat(head.field("Vary")).isEqualTo("Accept-Encoding");
            assertThat(head.head()).doesNotContain("Content-Length");
            assertThat(head.body()).isEmpty();
        }
    }

    @Test
    void copyInEitherCodingIsConfirmedByTheOneTag() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(LIST, "Vary: Accept-Language"));
            var client = proxy.client();
            var tag = Received.of(client.get("/page").received()).field("ETag");

            client.get("/page", GZIP, "If-None-Match: " + tag);

            var confirmed = Received.of(client.received());
            assertThat(confirmed.head()).startsWith("HTTP/1.1 304 ");
            assertThat(confirmed.head()).doesNotContain("Content-Encoding");
            assertThat(confirmed.field("Vary")).isEqualTo("Accept-Language, Accept-Encoding");
            assertThat(confirmed.field("ETag")).isEqualTo(tag);
        }
    }

    @Test
    void pageThatMustNotBeTransformedIsNot() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(LIST, "Cache-Control: no-transform"));
            var client = proxy.client();

            var page = Received.of(client.get("/page", GZIP).received());

            assertThat(page.head()).doesNotContain("Content-Encoding", "Vary");
            assertThat(page.body()).isEqualTo(LIST);
        }
    }

    @Test
    void pageThatChangesItsAnswerIsCompressedAndItsVaryMerged() {
        try (var proxy = new OneThread()) {
            var edits = "$add_header('Vary', 'X-Region')$set_response_code(404)";
            proxy.stored(
                    "/page", page("<esi:vars>" + edits + "</esi:vars>" + LIST, "Vary: Accept"));
            var client = proxy.client();

            var page = Received.of(client.get("/page", GZIP).received());

            assertThat(page.head()).startsWith("HTTP/1.1 404 ");
            assertThat(page.field("Vary")).isEqualTo("Accept, X-Region, Accept-Encoding");
            assertThat(page.field("Content-Encoding")).isEqualTo("gzip");
            assertThat(page.inflated()).isEqualTo(LIST);
        }
    }

    @Test
    void pageOfNothingIsNoGzipOfNothing() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("<esi:comment text=\"nothing\"/>"));
            var client = proxy.client();

            var page = Received.of(client.get("/page", GZIP).received());

            assertThat(page.field("Content-Length")).isEqualTo("0");
            assertThat(page.head()).doesNotContain("Content-Encoding");
            assertThat(page.body()).isEmpty();
        }
    }

    @Test
    void nothingIsCompressedWhereThatIsOff() {
        try (var proxy = new OneThread(new Rules().compressing(Compression.OFF))) {
            proxy.stored("/page", page(LIST));
            var client = proxy.client();

            var page = Received.of(client.get("/page", GZIP).received());

            assertThat(page.head()).doesNotContain("Content-Encoding", "Vary");
            assertThat(page.body()).isEqualTo(LIST);
        }
    }

    @Test
    void varyOnAcceptEncodingDoesNotPartWhatIsAskedForPlain() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(LIST, "Vary: Accept-Encoding"));
            var client = proxy.client();
            proxy.asked();

            var coded = Received.of(client.get("/page", GZIP).received());
            var plain = Received.of(client.get("/page", "Accept-Encoding: br").received());

            assertThat(proxy.asked()).isEmpty();
            assertThat(coded.field("Vary")).isEqualTo("Accept-Encoding");
            assertThat(coded.inflated()).isEqualTo(LIST);
            assertThat(plain.body()).isEqualTo(LIST);
        }
    }
}
