package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Request directives of clients (RFC 9111 §5.2.1). */
class RequestDirectivesIT {
    private final Origin origin = Origin.start();

    @AfterEach
    void stop() {
        origin.close();
    }

    @Test
    void nobodyIsHeardByDefault() {
        try (var proxy = RunningProxy.inFrontOf(origin).start()) {
            stored(proxy);

            assertThat(proxy.get("/a", "Cache-Control", "no-cache").status()).isEqualTo(200);
            assertThat(proxy.get("/a", "Pragma", "no-cache").status()).isEqualTo(200);
            assertThat(origin.requests("/a")).hasSize(1);
        }
    }

    @Test
    void everybodyIsHeardWhereTheOperatorSaysSo() {
        try (var proxy = honouring("")) {
            stored(proxy);

            assertThat(proxy.get("/a", "Cache-Control", "no-cache").text()).isEqualTo("a");
            assertThat(proxy.get("/b", "Cache-Control", "only-if-cached").status()).isEqualTo(504);
            assertThat(origin.requests("/a")).hasSize(2);
            assertThat(origin.requests("/a").getLast().field("If-None-Match")).isEqualTo("\"1\"");
            assertThat(origin.requests("/b")).isEmpty();
        }
    }

    @Test
    void onlyNetworksThatAreNamedAreHeard() {
        try (var near = honouring(", client-directives-from: [127.0.0.0/8]");
                var far = honouring(", client-directives-from: [192.0.2.0/24]")) {
            stored(near);
            stored(far);
            origin.forget();

            near.get("/a", "Cache-Control", "no-cache");
            assertThat(origin.requests("/a")).hasSize(1);

            far.get("/a", "Cache-Control", "no-cache");
            assertThat(origin.requests("/a")).hasSize(1);
        }
    }

    private RunningProxy honouring(String more) {
        return RunningProxy.inFrontOf(origin)
                .with("cache", "{ memory: 64MiB, client-directives: honour" + more + " }")
                .start();
    }

    private void stored(RunningProxy proxy) {
        origin.on(
                "/a", Answer.html("a").field("Cache-Control", "max-age=60").field("ETag", "\"1\""));
        proxy.get("/a");
    }
}
