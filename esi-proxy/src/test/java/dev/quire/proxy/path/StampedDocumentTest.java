package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.bare;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Rules;
import dev.quire.proxy.route.EsiProcessing;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/esi.md, Stamps: documents whose origin marks its tags with the stamp of the request. */
class StampedDocumentTest {
    private static final Pattern CAPABILITY =
            Pattern.compile("quire=\"Surrogate/1.0 ESI/1.0 Stamp/1.([A-Za-z0-9_-]{22})\"\r\n");
    private static final String OLD = "BBBBBBBBBBBBBBBBBBBB-_";

    /** {@code @} represents the stamp and its colon. */
    private static final String DOCUMENT = "<esi:include src='/evil'/><esi:@include src='/f'/>.";

    private static final String ASSEMBLED = "<esi:include src='/evil'/>F.";

    private static final String[] DOWNSTREAM = {
        "Surrogate-Capability: cdn=\"Surrogate/1.0 ESI/1.0 Stamp/1." + OLD + "\""
    };

    private static String stampOf(OneThread.Asked asked) {
        var capability = CAPABILITY.matcher(asked.text());
        assertThat(capability.find()).as(asked.text()).isTrue();
        return capability.group(1);
    }

    private static String stamped(String stamp, String document, String... lines) {
        return page(
                document.replace("@", stamp + ":"),
                "content=\"ESI/1.0\", stamp=\"" + stamp + '"',
                lines);
    }

    private static String page(String document, String control, String... lines) {
        var all = new String[lines.length + 2];
        System.arraycopy(lines, 0, all, 0, lines.length);
        all[lines.length] = "Content-Type: text/html";
        all[lines.length + 1] = "Surrogate-Control: max-age=60, " + control;
        return ok(document, all);
    }

    private static OneThread proxy(Rules rules) {
        var proxy = new OneThread(rules);
        proxy.stored("/f", ok("F", "Cache-Control: max-age=600"));
        proxy.asked();
        return proxy;
    }

    @Test
    void onlyTheTagsThatBearTheStampRunOnMissAndHit() {
        try (var proxy = proxy(new Rules())) {
            var client = proxy.client();
            client.get("/page");
            var stamp = stampOf(proxy.ask("/page"));

            proxy.ask("/page").say(stamped(stamp, DOCUMENT));

            assertThat(client.received()).doesNotContain(stamp).endsWith(ASSEMBLED);
            proxy.asked();
            client.get("/page");
            assertThat(client.received()).doesNotContain(stamp).endsWith(ASSEMBLED);
            assertThat(proxy.asked()).isEmpty();
            assertThat(proxy.metrics.scrape())
                    .contains("quire_esi_documents_total{tags=\"stamped\"} 1");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stamp=\"" + OLD + "\"",
                "stamp",
                "stamp=\"\"",
                "stamp = \"x\"",
                "stamp=\"%s\", stamp=\"x\""
            })
    void nothingRunsOfWhatBearsAnothersStamp(String control) {
        try (var proxy = proxy(new Rules())) {
            var client = proxy.client();
            client.get("/page");
            var stamp = stampOf(proxy.ask("/page"));
            var document = "<esi:include src='/evil'/><esi:" + OLD + ":include src='/evil'/>";

            proxy.ask("/page")
                    .say(page(document, "content=\"ESI/1.0\", " + control.formatted(stamp)));

            assertThat(client.received())
                    .doesNotContain("Surrogate-")
                    .endsWith("\r\n\r\n" + document);
            proxy.asked();
            client.get("/page");
            assertThat(client.received()).endsWith("\r\n\r\n" + document);
            assertThat(proxy.asked()).isEmpty();
            assertThat(proxy.metrics.scrape())
                    .contains("quire_esi_documents_total{tags=\"inert\"} 1");
        }
    }

    @Test
    void everyAttemptBearsAStampOfItsOwn() {
        try (var proxy = proxy(new Rules())) {
            var client = proxy.client();
            client.get("/warm");
            proxy.ask("/warm").say(ok("w", "Cache-Control: no-store"));
            client.received();
            proxy.asked();

            client.get("/page");
            var first = proxy.ask("/page");
            var before = stampOf(first);
            proxy.asked();
            first.close();
            var second = proxy.ask("/page");
            var stamp = stampOf(second);
            second.say(stamped(stamp, DOCUMENT));

            assertThat(stamp).isNotEqualTo(before);
            assertThat(client.received()).endsWith(ASSEMBLED);
        }
    }

    @Test
    void answerUnderTheStampOfAnAttemptBeforeIsInert() {
        try (var proxy = proxy(new Rules())) {
            var client = proxy.client();
            client.get("/warm");
            proxy.ask("/warm").say(ok("w", "Cache-Control: no-store"));
            client.received();
            proxy.asked();

            client.get("/page");
            var first = proxy.ask("/page");
            var before = stampOf(first);
            proxy.asked();
            first.close();
            proxy.ask("/page").say(stamped(before, DOCUMENT));

            assertThat(client.received()).endsWith(DOCUMENT.replace("@", before + ":"));
        }
    }

    /** A stamp in a 304 belongs to the validating request, which had another stamp. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "X: y",
                "Surrogate-Control: max-age=90",
                "Surrogate-Control: max-age=90, content=\"ESI/1.0\"",
                "Surrogate-Control: max-age=90, content=\"ESI/1.0\", stamp=\"" + OLD + "\""
            })
    void validationLeavesTheVerdictAsItIs(String line) {
        try (var proxy = proxy(new Rules())) {
            var client = proxy.client();
            client.get("/page");
            var stamp = stampOf(proxy.ask("/page"));
            proxy.ask("/page").say(stamped(stamp, DOCUMENT, "ETag: \"1\""));
            client.received();
            proxy.asked();
            proxy.leap(Duration.ofSeconds(100));

            client = proxy.client();
            client.get("/page");
            proxy.ask("/page")
                    .say("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n" + line + "\r\n\r\n");

            assertThat(client.received()).endsWith(ASSEMBLED);
        }
    }

    @Test
    void validationDoesNotMakeAnInertDocumentRun() {
        try (var proxy = proxy(new Rules())) {
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/page").say(stamped(OLD, DOCUMENT, "ETag: \"1\""));
            client.received();
            proxy.asked();
            proxy.leap(Duration.ofSeconds(100));

            client = proxy.client();
            client.get("/page");
            var asked = proxy.ask("/page");
            asked.say(
                    "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nSurrogate-Control: max-age=90,"
                            + " content=\"ESI/1.0\", stamp=\""
                            + stampOf(asked)
                            + "\"\r\n\r\n");

            assertThat(client.received()).endsWith(DOCUMENT.replace("@", OLD + ":"));
        }
    }

    @Test
    void privatePageIsReadByItsStampToo() {
        try (var proxy = proxy(new Rules())) {
            var client = proxy.client();
            client.get("/page");
            var stamp = stampOf(proxy.ask("/page"));

            proxy.ask("/page").say(stamped(stamp, DOCUMENT, "Set-Cookie: a=b"));

            assertThat(client.received()).doesNotContain(stamp).contains(ASSEMBLED);
        }
    }

    @Test
    void whereOnlyStampedTagsRunADocumentWithoutStampIsText() {
        try (var proxy = proxy(new Rules().esi(EsiProcessing.STAMPED))) {
            var client = proxy.client();
            client.get("/old");
            proxy.ask("/old").say(page("<esi:include src='/f'/>", "content=\"ESI/1.0\""));
            assertThat(client.received()).endsWith("\r\n\r\n<esi:include src='/f'/>");
            proxy.asked();

            client.get("/new");
            var stamp = stampOf(proxy.ask("/new"));
            proxy.ask("/new").say(stamped(stamp, DOCUMENT));

            assertThat(client.received()).endsWith(ASSEMBLED);
        }
    }

    @Test
    void fragmentThatIsWantedAsItCameShowsNoStamp() {
        try (var proxy = proxy(new Rules())) {
            var client = proxy.client();
            client.get("/page");
            var stamp = stampOf(proxy.ask("/page"));
            proxy.ask("/page").say(stamped(stamp, "[<esi:@include src='/part' dca='none'/>]"));
            var part = stampOf(proxy.ask("/part"));
            proxy.ask("/part").say(stamped(part, DOCUMENT));

            assertThat(client.received())
                    .doesNotContain(part)
                    .contains("<esi:include src='/evil'/><esi:include src='/f'/>.");
        }
    }

    @Test
    void documentThatHasBeenJudgedIsNotReadOnceMore() {
        try (var proxy = proxy(new Rules())) {
            var client = proxy.client();
            client.get("/page");
            var stamp = stampOf(proxy.ask("/page"));
            proxy.ask("/page").say(stamped(stamp, "[<esi:@include src='/part' dca='esi'/>]"));

            proxy.ask("/part").say(page("<esi:include src='/evil'/>", "stamp=\"" + OLD + '"'));

            assertThat(client.received()).contains("<esi:include src='/evil'/>");
        }
    }

    @Test
    void surrogateInFrontGetsThePageUnderItsOwnStamp() {
        try (var proxy = proxy(new Rules().trustingClients())) {
            var client = proxy.client();
            client.get("/page", DOWNSTREAM);
            var asked = proxy.ask("/page");
            var stamp = stampOf(asked);
            assertThat(asked.text())
                    .contains("Surrogate-Capability: cdn=\"Surrogate/1.0 ESI/1.0\", quire=")
                    .doesNotContain(OLD);

            asked.say(stamped(stamp, DOCUMENT, "ETag: \"1\""));

            assertThat(client.received())
                    .contains("Surrogate-Control: max-age=60, content=\"ESI/1.0\"\r\n")
                    .contains("Surrogate-Control: stamp=\"" + OLD + "\"\r\n")
                    .contains("ETag: W/\"1\"\r\n")
                    .doesNotContain(stamp)
                    .endsWith("\r\n\r\n" + DOCUMENT.replace("@", OLD + ":"));
            proxy.asked();
            var other = OLD.replace('B', 'C');
            client.get("/page", DOWNSTREAM[0].replace(OLD, other));
            assertThat(client.received())
                    .doesNotContain(stamp)
                    .doesNotContain(OLD)
                    .endsWith("\r\n\r\n" + DOCUMENT.replace("@", other + ":"));
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void surrogateInFrontGetsAPrivatePageUnderItsOwnStampToo() {
        try (var proxy = proxy(new Rules().trustingClients())) {
            var client = proxy.client();
            client.get("/page", DOWNSTREAM);
            var stamp = stampOf(proxy.ask("/page"));

            proxy.ask("/page")
                    .say(stamped(stamp, DOCUMENT, "Cache-Control: private", "Set-Cookie: a=b"));

            assertThat(client.received())
                    .doesNotContain(stamp)
                    .endsWith("\r\n\r\n" + DOCUMENT.replace("@", OLD + ":"));
        }
    }

    @Test
    void forASurrogateInFrontThatKnowsNoStampsThePageIsAssembledHere() {
        try (var proxy = proxy(new Rules().trustingClients())) {
            var client = proxy.client();
            client.get("/page", "Surrogate-Capability: cdn=\"Surrogate/1.0 ESI/1.0\"");
            var stamp = stampOf(proxy.ask("/page"));

            proxy.ask("/page").say(stamped(stamp, DOCUMENT));

            assertThat(client.received())
                    .doesNotContain("Surrogate-")
                    .doesNotContain(stamp)
                    .endsWith(ASSEMBLED);
        }
    }

    /** The fields of a response to HEAD apply to GET (RFC 9110 §9.3.2). */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void headIsAnsweredAsGetWould(boolean knowsStamps) {
        var downstream =
                knowsStamps ? DOWNSTREAM[0] : "Surrogate-Capability: cdn=\"Surrogate/1.0 ESI/1.0\"";
        try (var proxy = proxy(new Rules().trustingClients())) {
            var client = proxy.client();
            client.send(request("HEAD", "/page", downstream));
            var stamp = stampOf(proxy.ask("/page"));

            proxy.ask("/page")
                    .say(
                            bare(
                                    "200 OK",
                                    "Content-Type: text/html",
                                    "Content-Length: 99",
                                    "Surrogate-Control: max-age=60, content=\"ESI/1.0\", stamp=\""
                                            + stamp
                                            + '"'));

            var answer = client.received();
            assertThat(answer).startsWith("HTTP/1.1 200").doesNotContain(stamp);
            if (knowsStamps) {
                assertThat(answer)
                        .contains("Surrogate-Control: max-age=60, content=\"ESI/1.0\"\r\n");
            } else {
                assertThat(answer).doesNotContain("Surrogate-").doesNotContain("Content-Length");
            }
        }
    }

    @Test
    void surrogateInFrontIsNotToldToRunWhatIsInert() {
        try (var proxy = proxy(new Rules().trustingClients())) {
            var client = proxy.client();
            client.get("/page", "Surrogate-Capability: cdn=\"Surrogate/1.0 ESI/1.0\"");

            proxy.ask("/page").say(stamped(OLD, DOCUMENT));

            assertThat(client.received()).doesNotContain("Surrogate-").contains(OLD);
        }
    }

    @Test
    void clientsOwnCapabilityNeverGoesUp() {
        try (var proxy = proxy(new Rules())) {
            proxy.client().get("/page", DOWNSTREAM);

            assertThat(proxy.ask("/page").text()).doesNotContain(OLD).doesNotContain("cdn");
        }
    }
}
