package dev.quire.core.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.rule.Matchers.StatusRange;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorPageRulesTest {
    private static final List<StatusRange> ALL = List.of(new StatusRange(400, 599));
    private static final List<StatusRange> SERVERS = List.of(new StatusRange(500, 599));

    private final ErrorPageRules rules =
            new ErrorPageRules(
                    List.of(
                            rule("*.example", "/shop/**", ALL, List.of(), "/shop/{status}", false),
                            rule("api.example", "/**", SERVERS, SERVERS, "/e.json", true),
                            rule("*", "/**", SERVERS, ALL, "/e?{status}&of={status}", false)));

    private static ErrorPageRule rule(
            String host,
            String path,
            List<StatusRange> statuses,
            List<StatusRange> intercepted,
            String page,
            boolean isForJson) {
        return new ErrorPageRule(
                new HostPattern(host),
                new PathPattern(path),
                statuses,
                intercepted,
                page,
                isForJson);
    }

    private static RequestHead request(String host, String target) {
        return new RequestHead("GET", Scheme.HTTP, host, target, Fields.EMPTY);
    }

    @ParameterizedTest
    @CsvSource({
        "www.example, /shop/a?b, 404, /shop/404",
        "www.example, /%73hop/a, 404, /shop/404",
        "www.example, //shop/a, 404, /shop/404",
        "www.example, /a, 404,",
        "www.example, /a, 502, /e?502&of=502",
        "api.example, /shop/a, 503, /shop/503",
        "api.example, /a, 503, /e.json",
        "other, /shop/a, 404,",
        "other, *, 500,",
    })
    void firstRuleThatMatchesIsUsed(String host, String target, int status, String page) {
        assertThat(rules.ofOwn(status, request(host, target), () -> false)).isEqualTo(page);
    }

    @Test
    void responsesOfOriginsHaveTheirOwnStatuses() {
        assertThat(rules.ofOrigin(404, request("www.example", "/shop/a"), () -> false))
                .isEqualTo("/e?404&of=404");
        assertThat(rules.ofOrigin(503, request("api.example", "/shop/a"), () -> false))
                .isEqualTo("/e.json");
        assertThat(rules.ofOrigin(200, request("api.example", "/shop/a"), () -> false)).isNull();
    }

    @Test
    void clientsThatPreferJsonGetOnlyPagesForThem() {
        assertThat(rules.ofOwn(503, request("api.example", "/shop/a"), () -> true))
                .isEqualTo("/e.json");
        assertThat(rules.ofOwn(503, request("www.example", "/shop/a"), () -> true)).isNull();
    }

    @Test
    void withoutRulesThereIsNoPage() {
        assertThat(ErrorPageRules.NONE.ofOwn(500, request("a", "/"), () -> false)).isNull();
    }
}
