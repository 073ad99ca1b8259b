package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.internal.handler.FragmentCatalogue;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.stereotype.Controller;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;

/** The development aids for fragments. */
@SpringBootTest(
        classes = {Site.class, Readers.class, DevTest.Marked.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.dev.enabled=true",
            "quire.dev.markers=true",
            "quire.dev.samples[Fragments#live].region=Seoul",
            "quire.rules[0].path=/images/**",
            "quire.rules[0].ttl=1h"
        })
@ExtendWith(OutputCaptureExtension.class)
@DirtiesContext // the table is logged at start-up
class DevTest {

    @LocalServerPort private int port;

    @Test
    void theCatalogueShowsEachFragmentWithItsPolicyAndAskForItsArguments() {
        var page = Jsoup.parse(Visitor.of(port).get(FragmentCatalogue.PATH).body());

        var live = page.select("article:has(h2:containsOwn(Fragments#live))");
        assertThat(live.text()).contains("/fragments/live", "public", "3s+0s", "live");
        assertThat(live.select("form").attr("data-path")).isEqualTo("/fragments/live");
        assertThat(live.select("input[name=region]").val()).isEqualTo("Seoul");
        assertThat(page.select("article:has(h2:containsOwn(Pages#entity)) input[name=aid]"))
                .hasSize(1);
        assertThat(page.select("article.private h2").eachText()).contains("Fragments#greeting");
        assertThat(page.select("h2").eachText()).contains("/images/**");
        assertThat(page.select("h2").eachText()).doesNotContain("Pages#plain");
    }

    @Test
    void theCatalogueIsForClientsOfThisMachineThatComeDirectly() {
        var visitor = Visitor.of(port);

        assertThat(visitor.get(FragmentCatalogue.PATH).statusCode()).isEqualTo(200);
        assertThat(visitor.behindSurrogate().get(FragmentCatalogue.PATH).statusCode())
                .isEqualTo(404);
        assertThat(visitor.with("X-Forwarded-For", "127.0.0.1").get(FragmentCatalogue.PATH))
                .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(404));
        assertThat(visitor.with("Via", "1.1 proxy").get(FragmentCatalogue.PATH).statusCode())
                .isEqualTo(404);
    }

    @Test
    void theTableOfAllFragmentsIsLoggedAtTheStart(CapturedOutput output) {
        assertThat(output.getAll())
                .containsPattern("Pages#page +GET /page +public +60s\\+30s +page front");
    }

    @Test
    void aFragmentIsMarkedAndAPageIsNot() {
        var surrogate = Visitor.of(port).behindSurrogate();

        assertThat(surrogate.get("/fragments/live?region=x").body())
                .startsWith("<!-- fragment Fragments#live ttl=PT3S stale=PT0S tags=live --><b>")
                .endsWith("</b><!-- /fragment Fragments#live -->");
        assertThat(surrogate.get("/page").body()).doesNotContain("<!-- fragment");
        assertThat(surrogate.get("/entity/1").body()).isEqualTo("article 1");
        var fragment = surrogate.get("/fragments/live?region=x");
        assertThat(field(fragment, "Content-Length"))
                .isEqualTo(Integer.toString(fragment.body().length()));
    }

    @Test
    void nothingOfARequestEndsAMark() {
        var marked = Visitor.of(port).behindSurrogate().get("/marked?tag=--%3E%3Cscript%3E").body();

        assertThat(marked)
                .isEqualTo(
                        "<!-- fragment Marked#marked ttl=PT1S tags=-&#45;&gt;&lt;script&gt; -->"
                                + "marked<!-- /fragment Marked#marked -->");
    }

    @Controller
    static class Marked {

        @GetMapping(path = "/marked", produces = Site.HTML)
        @EsiFragment(ttl = "1s", tags = "#{#tag}")
        @ResponseBody
        String marked(@RequestParam String tag) {
            return "marked";
        }
    }
}
