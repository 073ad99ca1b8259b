package dev.quire.spring;

import static dev.quire.spring.LanguageTest.encoded;
import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The application's tags have the stamp of the request, on Tomcat, and no other tags have it. */
@SpringBootTest(
        classes = StampSite.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.stamp.placeholder=" + StampTest.SECRET,
            "server.compression.enabled=true",
            "server.compression.min-response-size=1B",
            "logging.level.dev.quire=trace"
        })
@ExtendWith(OutputCaptureExtension.class)
class StampTest {

    static final String SECRET = "PLACEHOLDERplaceholder";
    private static final String NONCE = "nonce_of_this-request0";
    private static final String OTHER = "nonce_of_another-req00";

    /** The page's own tags for a surrogate without stamps. */
    private static final String PLAIN =
            "<esi:include src=\"/part?n=1\"/><esi:vars>$(REQUEST_METHOD)</esi:vars>";

    @LocalServerPort private int port;

    private Visitor announcing(String capability) {
        return Visitor.of(port).with("Surrogate-Capability", capability);
    }

    private Visitor surrogate() {
        return announcing("quire=\"Surrogate/1.0 ESI/1.0 Stamp/1." + NONCE + "\"");
    }

    private Visitor varnish() {
        return announcing("varnish=\"Surrogate/1.0 ESI/1.0\"");
    }

    @Test
    void tagsAndReferencesBearTheStampAndTheAnswerSaysSo() {
        var page = surrogate().get("/string?text=" + encoded(StampSite.ATTACK));

        assertThat(page.body())
                .isEqualTo(
                        "<p>"
                                + StampSite.ATTACK
                                + "</p><esi:#:include src=\"/part?n=1\"/><esi:#:vars>$#:(REQUEST_METHOD)</esi:#:vars>"
                                        .replace("#", NONCE));
        assertThat(field(page, "Surrogate-Control"))
                .isEqualTo("max-age=60, content=\"ESI/1.0\", stamp=\"" + NONCE + "\"");
        assertThat(field(page, "Content-Length"))
                .isEqualTo("" + page.body().getBytes(StandardCharsets.UTF_8).length);
    }

    @Test
    void aSurrogateWithoutStampsGetsPlainTags() {
        for (var target : new String[] {"/string", "/rendered-once", "/bare/length"}) {
            var page = varnish().get(target);

            assertThat(page.body())
                    .contains("<esi:include src=\"/part?n=1\"/>")
                    .doesNotContain(SECRET);
            assertThat(field(page, "Surrogate-Control"))
                    .contains("content=\"ESI/1.0\"")
                    .doesNotContain("stamp");
            assertThat(field(page, "Content-Length"))
                    .as(target)
                    .isEqualTo("" + page.body().getBytes(StandardCharsets.UTF_8).length);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/string",
                "/hashed",
                "/rendered-once",
                "/deferred",
                "/streamed",
                "/forward",
                "/bare/writer",
                "/bare/async",
                "/bare/length"
            })
    void everyKindOfResponseIsStamped(String target) {
        var stamped = surrogate().get(target);
        var plain = varnish().get(target);
        var assembled = Visitor.of(port).get(target);

        assertThat(stamped.body())
                .contains("<esi:" + NONCE + ":include src=\"/part?n=1\"/>")
                .doesNotContain(SECRET);
        assertThat(field(stamped, "Surrogate-Control")).endsWith("stamp=\"" + NONCE + "\"");
        assertThat(plain.body())
                .isEqualTo(stamped.body().replace(NONCE + ":", ""))
                .contains("<esi:include src=\"/part?n=1\"/>");
        assertThat(assembled.body()).contains("part 1").doesNotContain("esi:", SECRET + ":");
    }

    @Test
    void whoWritesWithoutBlockingMayCutAPlaceholder() {
        var stamped = surrogate().get("/bare/unblocked");
        var plain = varnish().get("/bare/unblocked");

        assertThat(stamped.body())
                .contains("<esi:" + NONCE + ":include src=\"/part?n=1\"/>")
                .doesNotContain(SECRET)
                .endsWith("</p>" + SECRET.substring(0, 3));
        assertThat(plain.body()).isEqualTo(stamped.body().replace(NONCE + ":", ""));
    }

    @Test
    void aDocumentWithoutTagsSaysThatThoseInItAreNotOurs() {
        assertThat(field(surrogate().get("/part?n=1"), "Surrogate-Control"))
                .isEqualTo("stamp=\"" + NONCE + "\"");
        assertThat(varnish().get("/part?n=1").headers().map())
                .doesNotContainKey("surrogate-control");
        assertThat(surrogate().get("/json").headers().map()).doesNotContainKey("surrogate-control");
    }

    @Test
    void anErrorPageIsStampedToo() {
        for (var target : new String[] {"/fails", "/bare/nothing"}) {
            var page = surrogate().get(target);

            assertThat(page.body())
                    .isEqualTo("error <esi:" + NONCE + ":include src=\"/part?n=2\"/>");
            assertThat(Visitor.of(port).get(target).body()).isEqualTo("error part 2");
        }
    }

    @Test
    void headTellsTheLengthOfGet() {
        var head = surrogate().send("HEAD", "/string");

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(field(head, "Content-Length"))
                .isEqualTo(field(surrogate().get("/string"), "Content-Length"))
                .isNotEmpty();
    }

    @Test
    void theContainerCompressesWhatIsStamped() throws Exception {
        var page = surrogate().with("Accept-Encoding", "gzip").getBytes("/string");

        try (var plain = new GZIPInputStream(new ByteArrayInputStream(page.body()))) {
            assertThat(new String(plain.readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo(surrogate().get("/string").body());
        }
    }

    @Test
    void aHashOfTheBodyIsTheSameForEveryStamp() {
        var one = surrogate().get("/hashed");
        var other = announcing("quire=\"ESI/1.0 Stamp/1." + OTHER + "\"").get("/hashed");

        assertThat(field(one, "ETag")).isNotEmpty().isEqualTo(field(other, "ETag"));
        assertThat(one.body()).isEqualTo(other.body().replace(OTHER, NONCE));
        var again = surrogate().with("If-None-Match", field(one, "ETag")).get("/hashed");
        assertThat(again.statusCode()).isEqualTo(304);
        // it would replace the stored lifetimes
        assertThat(again.headers().firstValue("Surrogate-Control")).isEmpty();
        assertThat(again.body()).isEmpty();
    }

    @Test
    void theStampNearestToTheOriginCounts() {
        var page =
                announcing(
                                "far=\"ESI/1.0 Stamp/1.%s\", near=\"ESI/1.0 Stamp/1.%s\""
                                        .formatted(OTHER, NONCE))
                        .get("/string");

        assertThat(page.body()).contains(NONCE).doesNotContain(OTHER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"short", "0123456789012345678901234", "01234567890123456789<>"})
    void whatIsNoStampIsNone(String nonce) {
        var page = announcing("quire=\"ESI/1.0 Stamp/1." + nonce + "\"").get("/string");

        assertThat(page.body()).contains("<esi:include ").doesNotContain(SECRET);
        assertThat(field(page, "Surrogate-Control")).doesNotContain("stamp");
    }

    @Test
    void theApplicationCannotSeeTheStamp(CapturedOutput output) {
        var seen = surrogate().get("/seen").body();

        assertThat(seen).doesNotContain(NONCE).contains("quire=\"Surrogate/1.0 ESI/1.0\"");
        assertThat(output).doesNotContain(NONCE).doesNotContain(SECRET);
    }

    @Test
    void onlyTheTemplatesOwnTagsAndReferencesAreStamped() {
        var attack = StampSite.ATTACK;
        var escaped =
                attack.replace("<", "&lt;")
                        .replace(">", "&gt;")
                        .replace("\"", "&quot;")
                        .replace("'", "&#39;");

        var page = surrogate().get("/template").body();

        assertThat(page.replace(attack, "ATTACK").replace(escaped, "ESCAPED"))
                .contains(
                        "<p>ESCAPED</p><p>ATTACK</p>$(HTTP_HOST)\n",
                        "<esi:#:try><esi:#:attempt>[<esi:#:include src=\"/part?n=1\"/>$#:(HTTP_HOST)<b>ATTACK</b>|ATTACK|]</esi:#:attempt><esi:#:except>none</esi:#:except></esi:#:try>\n"
                                .replace("#", NONCE),
                        "<esi:#:choose><esi:#:when test=\"$(HTTP_COOKIE{plan}) == &apos;gold&apos;\">gold<i>ESCAPED</i></esi:#:when><esi:#:otherwise>ATTACK</esi:#:otherwise></esi:#:choose>\n"
                                .replace("#", NONCE),
                        "<esi:#:vars>$#:(REQUEST_METHOD) $#:upper('a') \\$(HTTP_HOST) <a href="
                                .replace("#", NONCE),
                        "<esi:#:text>$(HTTP_HOST)</esi:#:text>{$#:(HTTP_HOST)<b>ATTACK</b>}</esi:#:vars>\n"
                                .replace("#", NONCE),
                        "<esi:#:assign name=\"n\" value=\"&apos;one&apos;\"/><esi:#:foreach collection=\"[1,2]\">$#:(item)$#:(n)<i>ATTACK</i></esi:#:foreach>\n"
                                .replace("#", NONCE),
                        " <u>ESCAPED</u><esi:#:include src=\"/part?n=".replace("#", NONCE),
                        "<esi:#:include src=\"/part?n=7\"/><esi:#:include src=\"/part?n=8\"/>"
                                .replace("#", NONCE),
                        "<esi:#:remove><p>ATTACK</p></esi:#:remove>".replace("#", NONCE),
                        "<esi:#:try><esi:#:attempt><esi:#:include src=\"/broken\"/></esi:#:attempt><esi:#:except>&lt;esi:include src=&quot;"
                                .replace("#", NONCE),
                        "{$(HTTP_HOST)<b>ATTACK</b>}\n</body>")
                .doesNotContain("n=never", "<!--esi <u");
    }

    @Test
    void onlyTheAuthorOfATemplateWritesReferencesIntoAttributes() {
        var page = varnish().get("/by-attribute?text=" + encoded("/t?$(HTTP_COOKIE)"));

        assertThat(page.body())
                .contains(
                        "<esi:include src=\"/t?%24(HTTP_COOKIE)\"/>\n",
                        "<esi:include src=\"/t?%24(HTTP_COOKIE)\" alt=\"/x?q=/t?%24(HTTP_COOKIE)\"/>\n",
                        "<esi:include src=\"/a?h=%24(HTTP_HOST)&amp;q=/t?%24(HTTP_COOKIE)\" alt=\"/b?$(HTTP_HOST)\"/>\n",
                        "<esi:include src=\"/c?$(HTTP_HOST)\" maxwait=\"$(QUERY_STRING{wait})\"/><esi:include src=\"/c?$(HTTP_HOST)\" maxwait=\"$(QUERY_STRING{wait})\"/>\n",
                        "<esi:include src=\"/d\" maxwait=\"1s\"/>\n");
    }

    @Test
    void anotherAttributeThatAnExpressionMakesHasNoReference(CapturedOutput output) {
        assertThat(varnish().get("/by-attribute?text=/t&wait=" + encoded("$(X)")).statusCode())
                .isEqualTo(500);
        assertThat(output)
                .contains(
                        "maxwait of esi:include comes from an expression and contains a dollar sign");
    }

    @Test
    void insideTheApplicationReflectedTagsAreTextToo() {
        var page = Visitor.of(port).get("/template").body();

        assertThat(page)
                .contains("<p>" + StampSite.ATTACK + "</p>", "[part 1127.0.0.1:" + port + "<b>")
                .contains(
                        "1one", "2one", "part 7", "part 8", "GET A ", "&lt;esi:include src=&quot;")
                .doesNotContain("part evil", SECRET);
    }

    @Test
    void whatATagSaysIsNoExpressionOfTheTemplate() {
        var page = surrogate().get("/template?text=" + encoded("[[${7*7}]]|[(${7*7})]")).body();

        assertThat(page)
                .doesNotContain("49")
                .contains(
                        "except>&#91;[${7*7}]]|&#91;(${7*7})]</esi:",
                        "<b>[[${7*7}]]|[(${7*7})]</b>");
    }

    @Test
    void rawTagsAreAcknowledgedAndInertAndTheLogSaysWhere(CapturedOutput output) {
        var page = surrogate().get("/raw?text=" + encoded("ab<esi:include src='/part?n=1'/>"));

        assertThat(page.body()).isEqualTo("line 1\nab<esi:include src='/part?n=1'/>");
        assertThat(field(page, "Surrogate-Control"))
                .isEqualTo("max-age=60, content=\"ESI/1.0\", stamp=\"" + NONCE + "\"");
        surrogate().get("/raw?text=" + encoded("<esi:vars>"));
        assertThat(output.toString().split("raw <esi: at", -1)).hasSize(2);
        assertThat(Visitor.of(port).get("/raw?text=" + encoded("<esi:include src='/x'/>")).body())
                .isEqualTo("line 1\n<esi:include src='/x'/>");
    }

    @Test
    void tagsWhereThereAreNoneLeaveWithoutPlaceholder() {
        assertThat(Visitor.of(port).get("/file.csv").body())
                .isEqualTo("<esi:include src=\"/part?n=1\"/>");
        assertThat(varnish().get("/json").body())
                .contains("<esi:include src=")
                .doesNotContain(SECRET);
        assertThat(surrogate().get("/file.csv").body()).doesNotContain(SECRET);
        assertThat(Visitor.of(port).get("/by-method?text=x").body()).isEqualTo("part x");
    }

    @Test
    void whatIsNeverEsiLeavesWithoutStamps() {
        for (var visitor : new Visitor[] {surrogate(), varnish(), Visitor.of(port)}) {
            var page = visitor.get("/never");

            assertThat(page.body()).isEqualTo("<p></p>" + PLAIN);
            assertThat(field(page, "Surrogate-Control"))
                    .doesNotContain("content")
                    .doesNotContain(NONCE);
            assertThat(field(page, "Content-Length")).isEqualTo("" + page.body().length());
        }
        assertThat(Visitor.of(port).get("/around-never").body())
                .isEqualTo("[<p></p>" + PLAIN + "]");
    }

    /** Otherwise the surrogate would pass the stamp on to its client. */
    @ParameterizedTest
    @ValueSource(strings = {"/json", "/file.csv", "/large", "/never", "/forward?none=1"})
    void responsesThatNoSurrogateParsesHaveNoStamp(String target) {
        boolean isParsed = target.startsWith("/forward");

        var response = surrogate().get(target);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body().contains(NONCE)).isEqualTo(isParsed);
        assertThat(response.body().contains("<esi:include")).isEqualTo(!isParsed);
        assertThat(field(response, "Surrogate-Control").contains("content=")).isEqualTo(isParsed);
    }

    @Test
    void announcedStampsKeepTheLengthOfALargeDocument() {
        assertThat(field(surrogate().get("/large?announced=true"), "Content-Length"))
                .isEqualTo("" + (StampSite.LARGE + PLAIN.length() + 4 * (NONCE.length() + 1)));
    }

    @Test
    void stampsThatComeAfterWhatIsHeldDoNotMakeTheAnswerShorterThanTold() {
        for (var target : new String[] {"/large", "/large?announced=true"}) {
            var plain = varnish().get(target);

            assertThat(plain.body()).hasSize(StampSite.LARGE + PLAIN.length()).endsWith(PLAIN);
            assertThat(plain.headers().firstValue("Content-Length")).isEmpty();
        }
    }

    @Test
    void aLargeFileKeepsItsLength() {
        assertThat(field(varnish().get("/large.bin"), "Content-Length"))
                .isEqualTo("" + StampSite.LARGE);
    }

    @Test
    void anIncludeByMethodHasTheTimeItsHandlerAsksFor() {
        assertThat(varnish().get("/by-method-with-timeout").body())
                .isEqualTo(
                        "<esi:include src=\"/slow\" maxwait=\"1500\"/><esi:include src=\"/slow\" maxwait=\"20\"/>");
    }

    @Test
    void anIncludeByMethodIsCheckedAndEncoded() {
        assertThat(varnish().get("/by-method?text=" + encoded("a b&$(X)\"")).body())
                .isEqualTo("<esi:include src=\"/part?n=a%20b%26%24(X)%22\"/>");
    }

    @Test
    void anIncludeByMethodThatLeadsNowhereNamesIt(CapturedOutput output) {
        var names = StampSite.Pages.class.getName();

        for (int which = 0; which < 3; which++) {
            assertThat(varnish().get("/by-wrong-method?which=" + which).statusCode())
                    .isEqualTo(500);
        }

        assertThat(output)
                .contains(names + "#posted is not mapped to GET")
                .contains(names + "#unmapped has no mapping")
                .contains("Esi.include(" + names + ", …) calls no method of the controller");
    }
}
