package dev.quire.proxy.cel;

import static dev.quire.proxy.cel.TestValues.NOON;
import static dev.quire.proxy.cel.TestValues.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.DeliverRule;
import dev.quire.core.rule.DeliverRules;
import dev.quire.core.rule.FieldEdits;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.ResponsePhase;
import dev.quire.core.rule.ResponseRule;
import dev.quire.core.rule.ResponseRules;
import dev.quire.core.rule.TemplateParser;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expressions of response and deliver rules, as their phases evaluate them. */
class LaterPhasesTest {
    private static final CelExpressions EXPRESSIONS = new CelExpressions();

    private static final ResponseHead PAGE =
            new ResponseHead(
                    404,
                    "Not Found",
                    new Fields.Builder()
                            .add("Content-Type", "text/HTML; charset=utf-8")
                            .add("Content-Length", "17")
                            .add("X-Powered-By", "PHP")
                            .build());

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "status == 404 | true",
                "status >= 500 | false",
                "type == 'text/html' | true",
                "length == 17 | true",
                "response['x-powered-by'] == 'PHP' | true",
                "'server' in response | false",
                "response.exists(r, r == 'x-powered-by') | true",
                "host == 'news.example' && path == '/a' && query.x == '1' | true",
                "scheme == 'https' && port == 443 | true",
                "var.edition == 'late' && !('other' in var) | true",
                "status / 0 == 1 | false",
            })
    void responseRulesReadTheUrlTheResponseAndVariables(String expression, boolean expected)
            throws Exception {
        var rule =
                new ResponseRule(
                        "rule",
                        EXPRESSIONS.compile(expression, Phase.RESPONSE),
                        Optional.empty(),
                        FieldEdits.NONE,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        false,
                        List.of(),
                        false,
                        Optional.empty(),
                        false,
                        false);
        var key =
                CacheKey.of(
                        new RequestHead(
                                "GET", Scheme.HTTPS, "news.example", "/a?x=1", Fields.EMPTY));

        var result =
                new ResponsePhase(
                                new ResponseRules(List.of(rule), "rule"),
                                key,
                                Map.of("edition", "late"))
                        .applied(PAGE, NOON);

        assertThat(result.applied()).hasSize(expected ? 1 : 0);
        assertThat(result.failed()).hasSize(expression.contains("/ 0") ? 1 : 0);
    }

    @Test
    void anUnknownLengthIsNegative() throws Exception {
        assertThat(applied("length == -1", new ResponseHead(200, "", Fields.EMPTY))).isTrue();
        assertThat(applied("type == ''", new ResponseHead(200, "", Fields.EMPTY))).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "outcome == 'hit' | true",
                "age > 30 | true",
                "age > 31 | false",
                "method == 'GET' && header['accept'] == 'a' | true",
                "cookie.id == '7' && client.ip == '192.0.2.7' | true",
                "client.trusted && esi.level == 0 | true",
                "proto == 'HTTP/1.1' && string(now) == '2026-11-23T12:00:00Z' | true",
                "status == 404 && type == 'text/html' && length == 17 | true",
            })
    void deliverRulesReadAllValues(String expression, boolean expected) throws Exception {
        assertThat(applied(expression, PAGE)).isEqualTo(expected);
    }

    @Test
    void templatesReadTheResponse() throws Exception {
        var parser = new TemplateParser(EXPRESSIONS.templatesOf(Phase.DELIVER), Phase.DELIVER);
        var line =
                new FieldEdits.Line(
                        "X-Cache", parser.parse("{outcome + ';' + string(age)}", false));
        var rule =
                new DeliverRule(
                        "rule",
                        EXPRESSIONS.compile("status == 404", Phase.DELIVER),
                        new FieldEdits(Phase.DELIVER, List.of(), List.of(line), List.of()),
                        false);

        var result = new DeliverRules(List.of(rule), "rule").applied(PAGE, get("/"), "hit", 31);

        assertThat(result.fields().first("X-Cache")).isEqualTo("hit;31");
    }

    private static boolean applied(String expression, ResponseHead head) throws Exception {
        var rule =
                new DeliverRule(
                        "rule",
                        EXPRESSIONS.compile(expression, Phase.DELIVER),
                        FieldEdits.NONE,
                        false);
        var result =
                new DeliverRules(List.of(rule), "rule")
                        .applied(head, get("/", "Accept: a", "Cookie: id=7"), "hit", 31);

        assertThat(result.failed()).isEmpty();
        return !result.applied().isEmpty();
    }
}
