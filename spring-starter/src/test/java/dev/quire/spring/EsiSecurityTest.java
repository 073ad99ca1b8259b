package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Login, saved requests and CSRF tokens with pages assembled from fragments. */
@SpringBootTest(
        classes = Club.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "quire.guard.debug=true")
class EsiSecurityTest {

    @LocalServerPort private int port;
    @Autowired private Club.Sessions sessions;
    private Member reader;

    @BeforeEach
    void come() {
        reader = new Member(Visitor.of(port));
    }

    private String placeAfterLogin() {
        return field(reader.login("ann", "1"), "Location");
    }

    @ParameterizedTest
    @CsvSource({"X-ESI-Level, 1", "X-Requested-Alone, 1"})
    void aLoginNeverLeadsToAFragment(String name, String value) {
        reader.get("/members/scraps", name, value);

        assertThat(placeAfterLogin()).isEqualTo("http://127.0.0.1:" + port + "/");
    }

    @Test
    void aLoginDoesNotLeadToAFragmentThatAPageHasAskedFor() {
        assertThat(reader.get("/page").body()).startsWith("[hello anonymous");

        assertThat(placeAfterLogin()).isEqualTo("http://127.0.0.1:" + port + "/");
    }

    @Test
    void aLoginLeadsToThePageThatWasWanted() {
        reader.get("/members/profile");

        assertThat(placeAfterLogin())
                .isEqualTo("http://127.0.0.1:" + port + "/members/profile?continue");
    }

    @Test
    void aFragmentThatNeedsALoginIsNoLoginPage() {
        var denied = reader.get("/members/scraps", "X-ESI-Level", "1");

        assertThat(denied.statusCode()).isEqualTo(401);
        assertThat(field(denied, "Cache-Control")).contains("no-store");
        assertThat(denied.headers().firstValue("Set-Cookie")).isEmpty();
        assertThat(reader.get("/members/profile").statusCode()).isEqualTo(302);
    }

    @Test
    void theTokenIsAPrivateFragment() {
        var token = reader.get("/_esi/csrf");

        assertThat(Member.token(token.body())).isNotEmpty();
        assertThat(field(token, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(token.headers().firstValue("Surrogate-Control")).isEmpty();
    }

    @Test
    void aFormOnAPublicPageCanBePostedByWhoHasASession() {
        var surrogate = new Member(Visitor.of(port).behindSurrogate());
        surrogate.login("ann", "1");

        var form = surrogate.get("/form");
        var fragment = surrogate.get("/_esi/csrf", "X-ESI-Level", "1");
        var posted =
                surrogate.send("POST", "/posted?text=well&_csrf=" + Member.token(fragment.body()));

        assertThat(form.headers().firstValue("X-Quire-Guard")).isEmpty();
        assertThat(field(form, "Surrogate-Control")).startsWith("max-age=60");
        assertThat(fragment.headers().firstValue("Set-Cookie")).isEmpty();
        assertThat(posted.body()).isEqualTo("posted well");
    }

    @Test
    void noSessionBeginsInVainForASurrogate() {
        int before = sessions.alive();
        var fragment = reader.get("/_esi/csrf", "X-ESI-Level", "1");
        var withSomeCookie =
                reader.get("/_esi/csrf", "X-ESI-Level", "1", "Cookie", "JSESSIONID=ended");

        assertThat(fragment.statusCode()).isEqualTo(200);
        assertThat(fragment.body()).isEmpty();
        assertThat(fragment.headers().firstValue("Set-Cookie")).isEmpty();
        assertThat(withSomeCookie.body()).isEmpty();
        assertThat(sessions.alive()).isEqualTo(before);
    }

    /** As behind a surrogate: a cookie of the fragment would not reach the client. */
    @ParameterizedTest
    @ValueSource(strings = {"/form", "/form-of-template"})
    void assembledInTheApplicationAFormWorksForWhoHasASessionOnly(String page) {
        int before = sessions.alive();
        var first = reader.get(page);

        assertThat(first.body()).doesNotContain("name=\"_csrf\"");
        assertThat(first.headers().firstValue("Set-Cookie")).isEmpty();
        assertThat(sessions.alive()).isEqualTo(before);

        reader.login("ann", "1");
        var token = Member.token(reader.get(page).body());
        assertThat(reader.send("POST", "/posted?text=well&_csrf=" + token).body())
                .isEqualTo("posted well");
    }
}
