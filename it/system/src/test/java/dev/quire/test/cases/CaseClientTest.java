package dev.quire.test.cases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaseClientTest {
    private static final String HEAD = "HTTP/1.1 200 OK\r\n";

    private final Origin origin = Origin.start();

    @AfterEach
    void stop() {
        origin.close();
    }

    private static ClientRequest request(String method) {
        return new ClientRequest(method, "/", Map.of("Host", "example.test"));
    }

    @Test
    void properAnswerIsRead() {
        origin.on("/", Answer.raw(HEAD + "Content-Length: 2\r\n\r\nab").closing());

        var response = CaseClient.ask(origin.address(), request("GET"));

        assertThat(CaseClient.decoded(response).text()).isEqualTo("ab");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 1\r\n\r\nab",
                "Content-Length: 3\r\n\r\nab",
                "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
                "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\nc",
                "Bad Field: 1\r\n\r\n",
            })
    void wrongFramingIsAnError(String rest) {
        origin.on("/", Answer.raw(HEAD + rest).closing());

        assertThatThrownBy(() -> CaseClient.ask(origin.address(), request("GET")))
                .isInstanceOf(AssertionError.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "br"})
    void bodyThatIsNotCodedAsItsHeadSaysIsAnError(String coding) {
        origin.on("/", Answer.html("plain").field("Content-Encoding", coding));
        var response = CaseClient.ask(origin.address(), request("GET"));

        assertThatThrownBy(() -> CaseClient.decoded(response))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("gzip");
    }

    @Test
    void postAnnouncesThatItHasNoBody() {
        CaseClient.ask(origin.address(), request("POST"));
        CaseClient.ask(origin.address(), request("GET"));

        assertThat(origin.requests().getFirst().field("Content-Length")).isEqualTo("0");
        assertThat(origin.requests().getLast().field("Content-Length")).isNull();
    }
}
