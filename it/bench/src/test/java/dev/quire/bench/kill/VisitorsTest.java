package dev.quire.bench.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.kill.Visitors.Visit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class VisitorsTest {
    private static final String HOST = "news.example";

    @Test
    void eachUrlIsAskedOnce() throws Exception {
        var changed = new AtomicLong();
        try (var origin = StampedOrigin.start(url -> new StampedOrigin.Resource(50, "all"))) {
            origin.change(HOST + "/17");

            var visit =
                    new Visitors(3)
                            .visit(
                                    origin.port(),
                                    HOST,
                                    100,
                                    number -> "/" + number,
                                    (url, version) -> {
                                        changed.addAndGet(version - 1);
                                        return true;
                                    });

            assertThat(visit).isEqualTo(new Visit(0, 0, 0));
            assertThat(origin.requests()).isEqualTo(100);
            assertThat(changed).hasValue(1);
        }
    }

    @Test
    void hitIsReadFromCacheStatus() {
        var body = StampedBody.of(HOST + "/", 3, 100);
        var hit = new Client.Answer(200, "http/1.1 200 ok\ncache-status: quire; hit\n", body);
        var miss = new Client.Answer(200, "http/1.1 200 ok\ncache-status: quire; fwd=miss\n", body);

        assertThat(Visitors.judge(hit, HOST + "/", (url, version) -> version == 3))
                .isEqualTo(new Visit(1, 0, 0));
        assertThat(Visitors.judge(miss, HOST + "/", (url, version) -> version > 3))
                .isEqualTo(new Visit(0, 1, 0));
        assertThat(Visitors.judge(hit, HOST + "/other", (url, version) -> true))
                .isEqualTo(new Visit(1, 1, 0));
    }

    @Test
    void otherStatusIsAFailure() {
        var answer = new Client.Answer(502, "http/1.1 502 .\n", new byte[0]);

        assertThat(Visitors.judge(answer, HOST + "/", (url, version) -> true))
                .isEqualTo(new Visit(0, 0, 1));
    }
}
