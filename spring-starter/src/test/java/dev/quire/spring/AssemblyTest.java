package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Pages without a surrogate in front: assembled in the application, and private. */
@SpringBootTest(
        classes = {Site.class, Readers.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.guard.debug=true",
            "server.compression.enabled=true",
            "server.compression.min-response-size=1B"
        })
class AssemblyTest {

    @LocalServerPort private int port;
    private Visitor client;

    @BeforeEach
    void comeWithoutSurrogate() {
        client = Visitor.of(port);
    }

    private String one(String src) {
        return client.get("/one?src=" + src).body();
    }

    @Test
    void aPageIsWholeAndPrivate() {
        var page = client.getBytes("/page?page=of-the-page");

        assertThat(new String(page.body(), StandardCharsets.UTF_8))
                .isEqualTo(
                        """
                        <!DOCTYPE html>
                        <html>
                        <head><title>Election &lt;night&gt;</title></head>
                        <body>
                        <b>live 서울 1&amp;2 null</b>
                        <section>outer[inner 1]</section>

                        <p>서울 · <span>Election &lt;night&gt;</span></p>

                        spare

                        </body>
                        </html>
                        """);
        assertThat(field(page, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(field(page, "Content-Length")).isEqualTo("" + page.body().length);
        assertThat(field(page, "Vary")).containsIgnoringCase("Surrogate-Capability");
        for (var gone :
                new String[] {"Surrogate-Control", "Surrogate-Key", "ETag", "X-Of-Fragment"}) {
            assertThat(page.headers().firstValue(gone)).as(gone).isEmpty();
        }
        assertThat(page.headers().firstValue("Set-Cookie")).isEmpty();
    }

    @Test
    void aPageWithoutPolicyIsAssembledToo() {
        var page = client.get("/silent-page");

        assertThat(page.body()).isEqualTo(client.get("/page").body());
        assertThat(field(page, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(page.headers().map())
                .doesNotContainKeys("repr-digest", "content-digest", "accept-ranges");
    }

    @Test
    void aPageOfAnAsynchronousHandlerIsTheSame() {
        assertThat(client.get("/deferred-page").body()).isEqualTo(client.get("/page").body());
    }

    @Test
    void eachReaderSeesTheirOwnFragments() {
        assertThat(client.get("/home").body()).isEqualTo("before hello you after");
        assertThat(client.as("reader1", "1").get("/home").body())
                .isEqualTo("before hello reader1scraps of a member after");
        assertThat(client.as("reader2", "2").get("/home").body())
                .isEqualTo("before hello reader2scraps of a member after");
    }

    @Test
    void aFragmentIsAGetOfItsOwn() {
        var seen =
                client.with("If-None-Match", "\"x\"")
                        .with("Range", "bytes=0-1")
                        .with("X-Custom", "goes along")
                        .with("Accept-Encoding", "identity")
                        .get("/one?src=/fragments/request?a=b%26c&page=1")
                        .body()
                        .toLowerCase(Locale.ROOT);

        assertThat(seen)
                .startsWith("[get /fragments/request a=b&c\n")
                .contains("x-custom: goes along", "surrogate-capability: quire=")
                .doesNotContain("if-none-match", "range:", "accept-encoding")
                .endsWith("\nnull\nnull]");
    }

    @Test
    void aFragmentWithoutQueryHasNoneOfThePage() {
        assertThat(one("/fragments/request&page=1"))
                .startsWith("[GET /fragments/request null\n")
                .endsWith("\nnull]");
    }

    @Test
    void aFragmentThatIncludesItselfEnds() {
        assertThat(one("/fragments/loop")).isEqualTo("[loop]");
    }

    @Test
    void aForwardInsideAFragmentWorks() {
        assertThat(one("/fragments/forward")).isEqualTo("[<b>live again null</b>]");
    }

    @Test
    void aByteOrderMarkOfAFragmentIsDropped() {
        assertThat(one("/fragments/mark")).isEqualTo("[marked]");
    }

    @Test
    void anAsynchronousFragmentIsWaitedFor() {
        assertThat(one("/fragments/deferred")).isEqualTo("[deferred fragment]");
    }

    @Test
    void anAsynchronousFragmentThatNeverAnswersIsLeftOut() {
        assertThat(one("/fragments/never-answers")).isEqualTo("[]");
    }

    @Test
    void otherHostsAndHiddenFilesAreNeverIncluded() {
        assertThat(one("http://elsewhere.test/x")).isEqualTo("[]");
        assertThat(one("/WEB-INF/web.xml")).isEqualTo("[]");
        assertThat(one("/static/../META-INF/MANIFEST.MF")).isEqualTo("[]");
    }

    @Test
    void headHasNoLengthAndFetchesNothing() {
        var head = client.send("HEAD", "/page");

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.headers().firstValue("Content-Length")).isEmpty();
        assertThat(field(head, "Cache-Control")).isEqualTo("private, no-store");
    }

    @Test
    void theContainerMayCompressAnAssembledPage() throws Exception {
        var page = client.with("Accept-Encoding", "gzip").getBytes("/page");

        try (var plain = new GZIPInputStream(new ByteArrayInputStream(page.body()))) {
            assertThat(plain.readAllBytes()).isEqualTo(client.getBytes("/page").body());
        }
    }

    @Test
    void fragmentsAndOtherResponsesAreAsBehindASurrogate() {
        for (var target : new String[] {"/fragments/live?region=x", "/plain", "/streamed"}) {
            var without = client.get(target);
            var with = client.behindSurrogate().get(target);

            assertThat(without.body()).isEqualTo(with.body());
            assertThat(field(without, "Cache-Control")).isEqualTo(field(with, "Cache-Control"));
        }
    }
}
