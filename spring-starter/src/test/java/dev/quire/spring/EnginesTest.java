package dev.quire.spring;

import static dev.quire.spring.LanguageTest.encoded;
import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Tags in FreeMarker, JTE and included responses, below a context path, on virtual threads. */
@SpringBootTest(
        classes = Engines.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "server.servlet.context-path=/shop",
            "spring.threads.virtual.enabled=true",
            "quire.guard.debug=true"
        })
class EnginesTest {

    private static final String NONCE = "nonce_of_this-request0";

    @LocalServerPort private int port;

    private Visitor surrogate() {
        return Visitor.of(port)
                .with(
                        "Surrogate-Capability",
                        "quire=\"Surrogate/1.0 ESI/1.0 Stamp/1." + NONCE + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/shop/freemarker", "/shop/jte"})
    void anIncludeIsATagWhereTheEngineIsToldAndTextWhereItEscapes(String engine) {
        var attack = encoded("<esi:include src='/x'/>");

        var page = surrogate().get(engine + "?text=" + attack);

        assertThat(page.body())
                .contains("</p><esi:" + NONCE + ":include src=\"/shop/part?n=1\"/><i>")
                .contains("<p>&lt;esi:include src=", "<i>&lt;esi:" + NONCE + ":include src=");
        assertThat(field(page, "Surrogate-Control"))
                .isEqualTo("max-age=60, content=\"ESI/1.0\", stamp=\"" + NONCE + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/shop/freemarker", "/shop/jte"})
    void theApplicationAssemblesBelowItsContextPath(String engine) {
        var page = Visitor.of(port).get(engine + "?text=none").body();

        assertThat(page).contains("<p>none</p>part 1 on a virtual thread: true<i>");
    }

    @Test
    void tagsOfAnIncludedHandlerAreStampedWithThePage() {
        var page = surrogate().get("/shop/including?id=5&what=tags");

        assertThat(page.body()).isEqualTo("[<esi:" + NONCE + ":include src=\"/shop/part?n=1\"/>]");
    }

    @Test
    void whatIsPrivateInAPartIsPrivateInThePage() {
        var page = surrogate().get("/shop/including?id=5&what=private");

        assertThat(page.body()).isEqualTo("[mine]");
        assertThat(field(page, "Cache-Control")).isEqualTo("private, no-store");
    }

    @Test
    void whatThePageReadsBehindAnIncludeStillCounts() {
        var page = surrogate().get("/shop/including?id=5&what=before-read");

        assertThat(field(page, "X-Quire-Guard")).isEqualTo("principal-read");
    }
}
