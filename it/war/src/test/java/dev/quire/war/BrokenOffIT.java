package dev.quire.war;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A response that fails after its head was sent never ends as if it were complete, although Spring
 * Boot's error page filter, which only wars have, ends it without an error.
 */
class BrokenOffIT {

    private static Tomcat tomcat;

    @BeforeAll
    static void start() {
        tomcat = Tomcat.start("quire.guard.hold=64KB", "quire.fallback.buffer=64KB");
    }

    @AfterAll
    static void stop() {
        tomcat.close();
    }

    private static String target(String page) {
        return Tomcat.CONTEXT + "/late/jsp/" + page;
    }

    @ParameterizedTest
    @ValueSource(strings = {"200/fails", "1/flushed-fails", "200/end", "1/flushed"})
    void afterItsHeadWasSentTheConnectionIsClosed(String page) {
        assertThatThrownBy(() -> tomcat.get(target(page), "Cookie", "name=ada"))
                .hasMessageContaining("end");
    }

    @Test
    void beforeItsHeadWasSentItIsAnError() {
        var response = tomcat.get(target("20/fails"));

        assertThat(response.status()).isEqualTo(500);
        assertThat(response.text()).doesNotContain("xxx");
    }

    @Test
    void ofWholePagesNoneIsBrokenOff() {
        assertThat(tomcat.get(target("200/never")).text()).hasSize(200 * 1024 + 2);
    }
}
