package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RefusedRequestTest {

    @Test
    void partsOfACompleteHeadAreKnown() {
        var known =
                read(
                        "GET /a b HTTP/1.1\r\nHost: h\r\nuser-agent: c\r\nCookie: secret\r\n"
                                + "X-Forwarded-For: 192.0.2.1\r\n\r\nbody: x");

        assertThat(known.head().method()).isEqualTo("GET");
        assertThat(known.head().target()).isEqualTo("/a b");
        assertThat(known.protocol()).isEqualTo("HTTP/1.1");
        assertThat(known.head().authority()).isEqualTo("h");
        assertThat(known.head().fields().first("User-Agent")).isEqualTo("c");
        assertThat(known.head().fields().first("X-Forwarded-For")).isEqualTo("192.0.2.1");
        assertThat(known.head().fields().contains("Cookie")).isFalse();
        assertThat(known.head().fields().contains("body")).isFalse();
    }

    @Test
    void claimsOfAnIncompleteHeadAreNotUsed() {
        var claim = "X-Forwarded-For: 192.0.2.1\r\n";

        assertThat(read("GET / HTTP/1.1\r\nHost: h\r\n" + claim).head().fields().all("Host"))
                .containsExactly("h");
        assertThat(forwardedFor("GET / HTTP/1.1\r\n" + claim)).isFalse();
        assertThat(forwardedFor("GET / HTTP/1.1\r\n" + claim + "X-Forwarded-For: 1")).isFalse();
        assertThat(
                        forwardedFor(
                                "GET / HTTP/1.1\r\n"
                                        + claim
                                        + "A: "
                                        + "a".repeat(9000)
                                        + "\r\n"
                                        + claim
                                        + "\r\n"))
                .isFalse();
        assertThat(forwardedFor("GET / HTTP/1.1\r\n" + claim + "\r\n")).isTrue();
    }

    @Test
    void acceptIsKnownAsSoonAsItsLineIsComplete() {
        var accept = "text/html, " + "x/y, ".repeat(400) + "text/html;q=0.1";
        var line = "accept: " + accept;

        assertThat(read("GET / HTTP/1.1\r\n" + line + "\r\nHo").head().fields().all("Accept"))
                .containsExactly(accept);
        assertThat(read("GET / HTTP/1.1\r\n" + line).head().fields().contains("Accept")).isFalse();
    }

    @Test
    void longPartsAreCut() {
        assertThat(read("GET /" + "a".repeat(20_000)).head().target()).hasSize(1024);
    }

    @Property
    void anyBytesAreRead(@ForAll @Size(max = 200) byte[] bytes) {
        var known = RefusedRequest.of(Unpooled.wrappedBuffer(bytes), 0, bytes.length);

        assertThat(known.head().target().length()).isLessThanOrEqualTo(bytes.length);
    }

    private static boolean forwardedFor(String bytes) {
        return read(bytes).head().fields().contains("X-Forwarded-For");
    }

    private static RefusedRequest read(String bytes) {
        var in = Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1);
        return RefusedRequest.of(in, 0, in.writerIndex());
    }
}
