package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.internal.assemble.Loopback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Assembly in the application runs only its own tags, in pages and fragments. */
@SpringBootTest(
        classes = StampSite.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.fallback.mode=dispatch",
            "quire.stamp.placeholder=" + StampTest.SECRET
        })
class AssembledStampTest {

    @LocalServerPort private int port;

    @Test
    void whatIsReflectedIsTextInPagesAndInTheirFragments() {
        var attack = StampSite.ATTACK;

        var page = Visitor.of(port).get("/outer").body();

        assertThat(page)
                .startsWith(attack + "<p>" + attack + "</p>part 1GET" + attack)
                .contains("<p>" + attack + "</p>", "[part 1127.0.0.1:" + port + "<b>", "2one")
                .doesNotContain("part evil", StampTest.SECRET);
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-ESI-Level", Loopback.FIELD})
    void noFieldOfTheRequestMakesItRun(String field) {
        var page = Visitor.of(port).with(field, "1").get("/outer").body();

        assertThat(page)
                .startsWith(StampSite.ATTACK)
                .contains("part 1GET")
                .doesNotContain("part evil", StampTest.SECRET);
    }
}
