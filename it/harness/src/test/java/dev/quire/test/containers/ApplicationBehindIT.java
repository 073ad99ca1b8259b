package dev.quire.test.containers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** The origin of a test's proxy, when an application reports that it has started. */
@EnabledIf(
        value = "dev.quire.test.containers.Docker#isHere",
        disabledReason = "Docker does not answer")
class ApplicationBehindIT {
    private final Origin first = origin("first");
    private final Origin second = origin("second");
    private final QuireContainer quire = new QuireContainer();

    private static Origin origin(String name) {
        return Origin.start()
                .on("/", Answer.html(name).field("Cache-Control", "private, no-store"));
    }

    @AfterEach
    void stop() {
        quire.stop();
        first.close();
        second.close();
    }

    private String answer() {
        var url = quire.url();
        try (var client = HttpWire.to(new InetSocketAddress(url.getHost(), url.getPort()))) {
            return client.get("/").text();
        }
    }

    @Test
    void isTheApplicationThatStartedLastUnlessTheTestHasSaidWhat() {
        quire.start();

        quire.inFrontOfApplication(first.address().getPort());
        assertThat(answer()).isEqualTo("first");
        quire.inFrontOfApplication(second.address().getPort());
        assertThat(answer()).isEqualTo("second");

        quire.inFrontOf(first.url());
        quire.inFrontOfApplication(second.address().getPort());
        assertThat(answer()).isEqualTo("first");
    }
}
