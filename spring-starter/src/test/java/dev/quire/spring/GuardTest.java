package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The guard: responses wrongly declared public are sent as private, with a reason. */
@SpringBootTest(
        classes = {Site.class, Readers.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.guard.debug=true",
            "server.compression.enabled=true",
            "server.compression.min-response-size=1B"
        })
class GuardTest {

    @LocalServerPort private int port;
    private Visitor surrogate;

    @BeforeEach
    void comeBehindSurrogate() {
        surrogate = Visitor.of(port).behindSurrogate();
    }

    private static void assertPrivate(HttpResponse<?> response) {
        assertThat(field(response, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(response.headers().firstValue("Surrogate-Control")).isEmpty();
        assertThat(response.headers().firstValue("Surrogate-Key")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/cookie, set-cookie",
        "/session, session-created",
        "/form, csrf-token",
        "/principal, principal-read",
        "/security-context, principal-read",
        "/error-status, error-status",
        "/bad-tag?name=a%20b, tag-unusable",
        "/says-private, handler-said-private"
    })
    void whatCannotBePublicIsPrivateAndSaysWhy(String target, String reason) {
        var response = surrogate.get(target);

        assertPrivate(response);
        assertThat(field(response, "X-Quire-Guard")).isEqualTo(reason);
    }

    @Test
    void aHandlerThatThrowsAfterSayingPublicIsNotPublic() {
        var failure = surrogate.get("/throws");

        assertThat(failure.statusCode()).isEqualTo(500);
        assertThat(field(failure, "Cache-Control")).isEqualTo("no-store");
        assertThat(failure.headers().firstValue("Surrogate-Control")).isEmpty();
    }

    @Test
    void anErrorSentAfterSayingPublicIsNotPublic() {
        var failure = surrogate.get("/send-error");

        assertThat(failure.statusCode()).isEqualTo(410);
        assertThat(field(failure, "Cache-Control")).isEqualTo("no-store");
    }

    @Test
    void aTokenOfASessionThatAlreadyIsStaysPrivateToo() {
        var cookie = field(surrogate.get("/session"), "Set-Cookie").replaceAll(";.*", "");
        var known = surrogate.with("Cookie", cookie);
        known.get("/form");

        var form = known.get("/form");

        assertThat(form.headers().firstValue("Set-Cookie")).isEmpty();
        assertThat(form.body()).contains("name=\"_csrf\"");
        assertPrivate(form);
        assertThat(field(form, "X-Quire-Guard")).isEqualTo("csrf-token");
    }

    @Test
    void beingLoggedInAloneDoesNotMakeAResponsePrivate() {
        var fragment = surrogate.as("reader1", "1").get("/fragments/spare");

        assertThat(field(fragment, "Surrogate-Control")).isEqualTo("max-age=30");
    }

    @Test
    void whatIsRefusedToStrangersIsNotPublic() {
        var refused = surrogate.get("/members/scraps");

        assertThat(refused.statusCode()).isEqualTo(401);
        assertThat(field(refused, "Cache-Control")).contains("no-store");
        assertThat(refused.headers().firstValue("Surrogate-Control")).isEmpty();
    }
}
