package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fragments stored in a content coding of their origin. */
@Timeout(60)
class CodedFragmentTest {
    private static final String CSS = "Content-Type: text/css";
    private static final String CODED = "Content-Encoding: gzip";

    @ParameterizedTest
    @ValueSource(ints = {100, 100_000})
    void standInPagesWithoutIt(int bytes) {
        try (var proxy = new OneThread()) {
            var text = Coded.noise(bytes);
            proxy.stored("/f", ok(Coded.gzip(text), CSS, CODED, "Cache-Control: max-age=60"));
            proxy.stored("/page", page("<" + include("/f") + ">"));
            proxy.asked();
            var client = proxy.client();

            for (int i = 0; i < 2; i++) {
                client.get("/page");
                assertThat(bodyOf(client)).isEqualTo("<" + text + ">");
            }
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 100_000})
    void standInForAnOriginThatFails(int bytes) {
        try (var proxy = new OneThread()) {
            var text = Coded.noise(bytes);
            proxy.stored("/f", ok(Coded.gzip(text), CSS, CODED, "Cache-Control: max-age=1"));
            proxy.stored("/page", page("<" + include("/f") + ">"));
            proxy.leap(Duration.ofSeconds(20));
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/f").say("no response at all\r\n\r\n");

            assertThat(bodyOf(client)).isEqualTo("<" + text + ">");
        }
    }

    @Test
    void areLeftOutIfTheirCodingIsBroken() {
        try (var proxy = new OneThread()) {
            var broken = Coded.gzip(Coded.noise(100_000)).substring(0, 50_000);
            proxy.stored("/f", ok(broken, CSS, CODED, "Cache-Control: max-age=60"));
            proxy.stored("/page", page("<" + include("/f") + ">"));
            var client = proxy.client();

            client.get("/page");

            assertThat(bodyOf(client)).isEqualTo("<>");
        }
    }

    /** The body of a page once it is complete. */
    private static String bodyOf(OneThread.Client client) {
        var raw = new StringBuilder(client.awaited());
        while (raw.charAt(raw.length() - 1) != '>' && raw.indexOf("\r\n0\r\n\r\n") < 0) {
            raw.append(client.awaited());
        }
        return Received.of(raw.toString()).body();
    }
}
