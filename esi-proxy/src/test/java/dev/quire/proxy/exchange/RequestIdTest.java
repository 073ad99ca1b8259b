package dev.quire.proxy.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestIdTest {

    @Test
    void ownIdsHave26CharactersAndDiffer() {
        var ids =
                IntStream.range(0, 10_000)
                        .mapToObj(each -> RequestId.create().text())
                        .distinct()
                        .toList();

        assertThat(ids)
                .hasSize(10_000)
                .allSatisfy(id -> assertThat(id).matches("[0-9A-HJKMNP-TV-Z]{26}"));
    }

    @Test
    void ownIdsSortByTime() {
        long now = System.currentTimeMillis();

        assertThat(RequestId.create(now + 1).text()).isGreaterThan(RequestId.create(now).text());
    }

    @Test
    void idOfATrustedPeerIsTaken() {
        assertThat(RequestId.of(request("edge-1.2_X"), true).text()).isEqualTo("edge-1.2_X");
        assertThat(RequestId.of(request("edge-1.2_X"), false).text()).hasSize(26);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a\"", "<script>", "\u00e9", "a;b"})
    void unusableIdIsReplaced(String given) {
        assertThat(RequestId.of(request(given), true).text()).hasSize(26).isNotEqualTo(given);
        assertThat(RequestId.of(request("x".repeat(65)), true).text()).hasSize(26);
    }

    @Test
    void requestCarriesOneId() {
        var id = RequestId.create();

        var sent = id.in(request("forged"));

        assertThat(sent.fields().all("x-request-id")).containsExactly(id.text());
        assertThat(sent.fields().first("Host")).isEqualTo("h");
    }

    private static RequestHead request(String id) {
        return new RequestHead(
                "GET", Scheme.HTTP, "h", "/", Fields.of("Host", "h", "X-Request-Id", id));
    }
}
