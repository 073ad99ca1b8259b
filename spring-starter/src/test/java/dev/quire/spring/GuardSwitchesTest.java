package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;

/** An application that allows its public handlers to read sessions and cookies. */
@SpringBootTest(
        classes = {Site.class, PersonalReadsTest.Application.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"quire.guard.session=warn", "quire.guard.cookies=off"})
@ExtendWith(OutputCaptureExtension.class)
class GuardSwitchesTest {

    @LocalServerPort private int port;

    @Test
    void sessionAndCookiesHaveASwitchEach(CapturedOutput output) {
        var surrogate = Visitor.of(port).behindSurrogate();
        var cookie = field(surrogate.get("/start-session"), "Set-Cookie").replaceAll(";.*", "");
        var reader = surrogate.with("Cookie", cookie);

        var session = reader.get("/reads/session");
        reader.get("/reads/session");
        var cookies = reader.get("/reads/cookies");

        assertThat(field(session, "Surrogate-Control")).isEqualTo("max-age=45");
        assertThat(field(cookies, "Surrogate-Control")).isEqualTo("max-age=45");
        assertThat(output.getOut())
                .containsOnlyOnce("is public although it reads the session")
                .doesNotContain("reads the cookies");
    }
}
