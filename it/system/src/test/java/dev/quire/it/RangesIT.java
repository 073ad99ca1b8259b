package dev.quire.it;

import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Range requests for stored bodies (RFC 9110 §14). */
class RangesIT {
    private final Origin origin = Origin.start();
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @Test
    void partsOfAStoredBodyComeOnOneConnectionAndTheOriginIsAskedOnce() {
        var text = "0123456789".repeat(20_000);
        origin.on(
                "/video",
                Answer.html(text)
                        .field("Cache-Control", "max-age=60")
                        .field("ETag", "\"v\"")
                        .field("Accept-Ranges", "bytes"));
        proxy.get("/video");

        try (var client = proxy.connect()) {
            var part = client.get("/video", "Range", "bytes=100000-150004", "If-Range", "\"v\"");
            var end = client.get("/video", "Range", "bytes=-5");
            var beyond = client.get("/video", "Range", "bytes=200000-");
            var changed = client.get("/video", "Range", "bytes=0-4", "If-Range", "\"w\"");

            assertThat(part.status()).isEqualTo(206);
            assertThat(part.field("Content-Range")).isEqualTo("bytes 100000-150004/200000");
            assertThat(part.field("ETag")).isEqualTo("\"v\"");
            assertThat(part.text()).isEqualTo(text.substring(100_000, 150_005));
            assertThat(end.text()).isEqualTo("56789");
            assertThat(beyond.status()).isEqualTo(416);
            assertThat(beyond.field("Content-Range")).isEqualTo("bytes */200000");
            assertThat(changed.status()).isEqualTo(200);
            assertThat(changed.text()).isEqualTo(text);
        }
        assertThat(origin.requests("/video")).hasSize(1);
    }

    @Test
    void severalPartsAreSeparatedByTheBoundaryThatTheHeadNames() {
        origin.on("/a", Answer.html("0123456789").field("Cache-Control", "max-age=60"));
        proxy.get("/a");

        var response = proxy.get("/a", "Range", "bytes=0-1,4-5,-1");

        var type = Objects.requireNonNull(response.field("Content-Type"));
        assertThat(response.status()).isEqualTo(206);
        assertThat(type).startsWith("multipart/byteranges; boundary=");
        var parts = response.text().split("(\r\n)?--" + type.substring(31) + "(--)?\r\n", -1);
        assertThat(parts).hasSize(5);
        assertThat(parts[1]).contains("Content-Range: bytes 0-1/10\r\n").endsWith("\r\n\r\n01");
        assertThat(parts[2]).contains("Content-Range: bytes 4-5/10\r\n").endsWith("\r\n\r\n45");
        assertThat(parts[3]).contains("Content-Range: bytes 9-9/10\r\n").endsWith("\r\n\r\n9");
        assertThat(parts[0] + parts[4]).isEmpty();
    }

    @Test
    void whatOneClientHasOfAResourceIsNoConditionForAnother() {
        origin.on("/a", Answer.html("whole").field("Cache-Control", "max-age=60"));

        var first =
                proxy.get(
                        "/a", "If-None-Match", "\"1\"", "Range", "bytes=0-0", "If-Range", "\"1\"");
        var second = proxy.get("/a");

        assertThat(first.status()).isEqualTo(200);
        assertThat(second.text()).isEqualTo("whole");
        assertThat(origin.requests("/a")).hasSize(1);
        assertThat(origin.requests("/a").getFirst().field("Range")).isNull();
        assertThat(origin.requests("/a").getFirst().field("If-None-Match")).isNull();
    }

    @Test
    void pageIsNeverCutIntoParts() {
        origin.on("/page", page("<esi:vars>$(HTTP_HOST)</esi:vars> is here"));
        proxy.get("/page");

        var response = proxy.get("/page", "Range", "bytes=0-1,3-4");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).endsWith(" is here");
    }
}
