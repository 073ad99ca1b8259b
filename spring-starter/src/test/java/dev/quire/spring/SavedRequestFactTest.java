package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * The redirect after login without the starter; {@link EsiSecurityTest} has the one with it. If
 * this fails, its remedy may be unnecessary.
 */
@SpringBootTest(
        classes = Club.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "quire.enabled=false")
class SavedRequestFactTest {

    @LocalServerPort private int port;

    @Test
    void aLoginLeadsToTheFragmentThatWasAskedForFirst() {
        var reader = new Member(Visitor.of(port));
        reader.get("/members/scraps", "X-ESI-Level", "1");

        var form = reader.get("/login");
        var login =
                reader.send(
                        "POST",
                        "/login?username=ann&password=1&_csrf="
                                + Jsoup.parse(form.body()).select("input[name=_csrf]").val());

        assertThat(field(login, "Location"))
                .isEqualTo("http://127.0.0.1:" + port + "/members/scraps?continue");
    }
}
