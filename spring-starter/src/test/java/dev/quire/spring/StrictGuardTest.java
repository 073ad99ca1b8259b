package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The strict guard, for tests: a response that can never be public as written fails. */
@SpringBootTest(
        classes = {Site.class, Readers.class, GuardTable.Ways.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"quire.guard.mode=strict", "quire.headers.tag-limit=200B"})
@ExtendWith(OutputCaptureExtension.class)
class StrictGuardTest {

    @LocalServerPort private int port;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/table/view/cookie",
                "/table/entity/session",
                "/table/later/principal",
                "/table/view/csrf",
                "/bad-tag?name=a%20b"
            })
    void aHandlerThatCannotBePublicFails(String target, CapturedOutput output) {
        var failure = Visitor.of(port).behindSurrogate().get(target);

        assertThat(failure.statusCode()).isEqualTo(500);
        assertThat(output.getOut()).contains("is declared public, but ");
    }

    @Test
    void whatOnlyThisRequestMakesPrivateDoesNot() {
        var surrogate = Visitor.of(port).behindSurrogate();

        assertThat(surrogate.get("/table/entity/status").statusCode()).isEqualTo(404);
        assertThat(surrogate.get("/table/entity/tags").statusCode()).isEqualTo(200);
        assertThat(surrogate.get("/table/entity/says").statusCode()).isEqualTo(200);
    }
}
