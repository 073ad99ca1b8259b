package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Filter chains stay unchanged if the starter's customizer is disabled. */
@SpringBootTest(
        classes = Club.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "quire.security.enabled=false")
class SecuritySwitchTest {

    @LocalServerPort private int port;

    @Test
    void aFragmentThatNeedsALoginIsALoginPageAndIsWhereItLeads() {
        var reader = new Member(Visitor.of(port));

        var denied = reader.get("/members/scraps", "X-ESI-Level", "1");

        assertThat(denied.statusCode()).isEqualTo(302);
        assertThat(field(denied, "Location")).endsWith("/login");
        var page = reader.get("/login").body();
        var token =
                page.replaceAll("(?s).*name=\"_csrf\" type=\"hidden\" value=\"([^\"]+)\".*", "$1");
        var login = reader.send("POST", "/login?username=ann&password=1&_csrf=" + token);
        assertThat(field(login, "Location"))
                .isEqualTo("http://127.0.0.1:" + port + "/members/scraps?continue");
    }
}
