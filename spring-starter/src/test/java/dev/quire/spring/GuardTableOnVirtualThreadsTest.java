package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The table on virtual threads, with responses that the container compresses. */
@SpringBootTest(
        classes = {Site.class, Readers.class, GuardTable.Ways.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.guard.debug=true",
            "quire.headers.tag-limit=200B",
            "spring.threads.virtual.enabled=true",
            "server.compression.enabled=true",
            "server.compression.min-response-size=1B"
        })
@ExtendWith(OutputCaptureExtension.class)
class GuardTableOnVirtualThreadsTest extends GuardTable {

    @LocalServerPort private int port;

    private Visitor compressing() {
        return Visitor.of(port).behindSurrogate().with("Accept-Encoding", "gzip");
    }

    @Test
    void anAnswerThatIsCompressedIsGuardedAsAnother() {
        var kept = compressing().getBytes("/table/view/nothing");
        var demoted = compressing().getBytes("/table/view/cookie");

        assertThat(field(kept, "Content-Encoding")).isEqualTo("gzip");
        assertThat(field(kept, "Surrogate-Control")).startsWith("max-age=40");
        assertThat(field(demoted, "Content-Encoding")).isEqualTo("gzip");
        assertThat(field(demoted, "Cache-Control")).contains("no-store");
        assertThat(field(demoted, "X-Quire-Guard")).isEqualTo("set-cookie");
    }

    @Test
    void handlersRunOnVirtualThreads() {
        assertThat(Visitor.of(port).get("/table/thread").body()).isEqualTo("true");
    }

    @Test
    void aDemotionIsLoggedOnce(CapturedOutput output) {
        var surrogate = Visitor.of(port).behindSurrogate();
        for (int i = 0; i < 3; i++) {
            assertThat(field(surrogate.get("/table/once"), "X-Quire-Guard"))
                    .isEqualTo("set-cookie");
        }

        assertThat(output.getAll())
                .containsOnlyOnce(Ways.class.getName() + "#once is declared public, but ");
    }
}
