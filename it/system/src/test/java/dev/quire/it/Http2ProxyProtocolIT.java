package dev.quire.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.it.Http2Edge.Transport;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.internal.TestCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** HTTP/2 behind a header of the PROXY protocol, version 2. */
class Http2ProxyProtocolIT {
    /** From 192.0.2.7, port 5000, to 192.0.2.1, port 443 (the protocol's text of 2020, §2.2). */
    private static final byte[] NAMED =
            "\r\n\r\n\0\r\nQUIT\n\41\21\0\14\300\0\2\7\300\0\2\1\23\210\1\273".getBytes(ISO_8859_1);

    private final Http2Edge edge =
            new Http2Edge(
                    "listen",
                    "{ http: \"127.0.0.1:0\", h2c: true, https: \"127.0.0.1:0\","
                            + " proxy-protocol: [127.0.0.0/8] }",
                    "tls",
                    TestCertificate.shared().section());

    @AfterEach
    void stop() {
        edge.close();
    }

    @ParameterizedTest
    @EnumSource
    void theNamedClientIsForwarded(Transport transport) throws Exception {
        edge.origin()
                .otherwise(request ->
                        Answer.html(
                                        request.field("X-Forwarded-For")
                                                + " "
                                                + request.field("X-Forwarded-Proto"))
                                .field("Cache-Control", "no-store"));
        var scheme = transport == Transport.TLS ? "https" : "http";
        try (var client = edge.client(transport).behind(NAMED).open()) {
            var one = client.get("/a");
            var two = client.get("/b");

            assertThat(one.text()).isEqualTo("192.0.2.7 " + scheme);
            assertThat(two.text()).isEqualTo("192.0.2.7 " + scheme);
        }
        assertThat(edge.proxy().metric("quire_proxy_protocol_total{result=\"named\"}"))
                .isEqualTo(1);
    }
}
