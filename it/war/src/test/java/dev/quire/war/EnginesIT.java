package dev.quire.war;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The page is the same with every engine and every assembler. */
class EnginesIT {

    private static Tomcat tomcat;

    @BeforeAll
    static void start() {
        tomcat = Tomcat.start();
    }

    @AfterAll
    static void stop() {
        tomcat.close();
    }

    @ParameterizedTest
    @EnumSource(Engine.class)
    void pageIsAssembledByTheProxyAndStoredAndValidated(Engine engine) {
        var clock = TestClock.handSetBeforeRealServers();
        try (var proxy = RunningProxy.inFrontOf(tomcat.url()).clock(clock).start()) {
            var expected = Engine.page("text", authority(proxy));

            var miss = proxy.get(engine.target("text"));
            var hit = proxy.get(engine.target("text"));
            clock.advance(Duration.ofSeconds(11));
            var validated = proxy.get(engine.target("text"));

            assertThat(miss.text()).isEqualTo(expected);
            assertThat(hit.text()).isEqualTo(expected);
            assertThat(validated.text()).isEqualTo(expected);
            assertThat(tomcat.notes(engine.target("text"), 2))
                    .extracting(Tomcat.Note::status)
                    .containsExactly(200, 304);
        }
    }

    @ParameterizedTest
    @EnumSource(Engine.class)
    void pageIsAssembledByTheApplication(Engine engine) {
        assertThat(tomcat.get(engine.target("alone")).text())
                .isEqualTo(Engine.page("alone", tomcat.authority()));
    }

    private static String authority(RunningProxy proxy) {
        return "127.0.0.1:" + proxy.http().getPort();
    }
}
