package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * Where a login leads without the starter; {@link EsiSecurityTest} shows where it leads with it.
 * Should this fail, its remedy may be needless.
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
