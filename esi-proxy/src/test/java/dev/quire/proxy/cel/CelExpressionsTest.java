package dev.quire.proxy.cel;

import static dev.quire.proxy.cel.TestValues.get;
import static dev.quire.proxy.cel.TestValues.request;
import static dev.quire.proxy.cel.TestValues.requestFrom;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quire.core.rule.Condition;
import dev.quire.core.rule.Input;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.RuleError;
import dev.quire.core.rule.RuleValues;
import dev.quire.core.rule.TemplateParser;
import dev.quire.core.rule.TemplateParser.SyntaxError;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CelExpressionsTest {
    private static final CelExpressions EXPRESSIONS = new CelExpressions();

    private static final RuleValues SHOP =
            requestFrom(
                    "2001:db8::7",
                    "POST",
                    "www.shop.example:8080",
                    "/a;v=1//b%20c?id=7&q=x%20y&q=2",
                    "User-Agent: Mozilla/5.0 (iPhone) Mobile",
                    "Accept: text/html",
                    "accept: */*",
                    "Cookie: ab=b; ab=c; wordpress_logged_in_7=1");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "method                                   | POST",
                "scheme                                   | http",
                "host                                     | www.shop.example",
                "port                                     | 8080",
                "path                                     | /a/b c",
                "target                                   | /a;v=1//b%20c?id=7&q=x%20y&q=2",
                "proto                                    | HTTP/1.1",
                "query['id']                              | 7",
                "query.q                                  | x y",
                "query['none']                            | ``",
                "query.none                               | ``",
                "header['ACCEPT']                         | text/html, */*",
                "header['x-none']                         | ``",
                "'Accept' in header                       | true",
                "'x-none' in header                       | false",
                "has(header.accept)                       | true",
                "has(header.none)                         | false",
                "cookie['ab']                             | b",
                "'a' in cookie                            | false",
                "size(cookie)                             | 2",
                "header.exists(h, h == 'accept')          | true",
                "header.exists(h, h == 'Accept')          | false",
                "client.ip                                | 2001:db8:0:0:0:0:0:7",
                "client.trusted                           | true",
                "esi.level                                | 2",
                "string(now)                              | 2026-11-23T12:00:00Z",
                "now > timestamp('2026-11-23T11:59:59Z')  | true",
                "'x' in var                               | false",
                "var.x                                    | ``",
            })
    void valuesOfTheRequestAreRead(String expression, String expected) throws Exception {
        assertThat(text(expression, SHOP)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "size('abc')                                        | 3",
                "'abc'.startsWith('ab') && 'abc'.endsWith('bc')     | true",
                "'abc'.contains('d')                                | false",
                "'abc'.matches('^a.c$')                             | true",
                "'aBc'.lowerAscii() + 'aBc'.upperAscii()            | abcABC",
                "'abc'.substring(1)                                 | bc",
                "'abc'.substring(0, 1)                              | a",
                "'a-b-c'.replace('-', '--')                         | a--b--c",
                "'ab'.replace('', '-')                              | -a-b-",
                "'a,b'.split(',')[1]                                | b",
                "'a,b'.split(',').exists(x, x == 'b')               | true",
                "[1, 2, 3].all(x, x < 3)                            | false",
                "method in ['GET', 'HEAD']                          | false",
                "7 / 2 + 7 % 2 - 1                                  | 3",
                "port > 80.5 ? 'high' : 'low'                       | high",
                "ip('::1') == ip('0:0:0:0:0:0:0:1')                 | true",
                "cidr('2001:db8::/32').containsIP(client.ip)        | true",
                "cidr('10.0.0.0/8').containsIP(client.ip)           | false",
                "cidr(client.ip).containsIP(ip(client.ip))          | true",
                "glob('/img/a.png', '/img/*.png')                   | true",
                "glob('~a', '~a')                                   | true",
                "glob('/img/a.png', '/img')                         | false",
                "device(header['user-agent'])                       | phone",
                "device('Mozilla/5.0 (X11; Linux) Firefox/140.0')   | desktop",
                "device('Mozilla/5.0 (iPad) Mobile')                | tablet",
                "device('Mozilla/5.0 (Linux; Android 14)')          | tablet",
                "device('Mozilla/5.0 (Linux; Android 14) Mobile')   | phone",
                "device('Googlebot/2.1 Mobile')                     | bot",
            })
    void functionsHaveResults(String expression, String expected) throws Exception {
        assertThat(text(expression, SHOP)).isEqualTo(expected);
    }

    @Test
    void bucketsAreStableAndEven() throws Exception {
        var part = EXPRESSIONS.templatesOf(Phase.REQUEST).compile("bucket(path, 10)", false);
        var counts = new int[10];
        for (int i = 0; i < 10_000; i++) {
            counts[Integer.parseInt(part.text(get("/" + i), List.of()))]++;
        }

        assertThat(counts).doesNotContain(0);
        assertThat(Arrays.stream(counts).summaryStatistics().getMax()).isLessThan(1_100);
        assertThat(part.text(get("/a"), List.of())).isEqualTo("5");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "pth == '/'              | 0  | has an unknown name pth | 'path', the nearest match",
                "path == 'é😀' && mthod == 'GET' | 17 | has an unknown name mthod | 'method', the nearest match",
                "client.ipp == ''        | 0  | has an unknown name client.ipp | 'client.ip', the nearest match",
                "path.startWith('/')     | 5  | has an unknown function startWith | 'startsWith', the nearest match",
                "path == 1               | 5  | applies == to (string, int) | two values of the same type",
                "path + 1 == ''          | 5  | applies + to (string, int) | *",
                "path ==                 | 7  | is not valid: mismatched input '<EOF>' | *",
                "path                    | 0  | has a result of type string | a bool",
                "dyn(path) == 1          | 0  | has an unknown function dyn | *",
                "[1, 'a'][0]             | 0  | has a result of type dyn | a bool",
                "path.matches(host)      | 13 | has a pattern for matches that is not a constant | a text in quotes",
                "glob(path, host)        | 11 | has a pattern for glob that is not a constant | a text in quotes",
                "path.matches('(a')      | 13 | has an argument for matches that is not valid: syntax error in the expression at character 1: missing closing ) | *",
                "path.matches('(a{1000}){1000}') | 13 | has an argument for matches that is not valid: the expression is too large at character 8 | *",
                "cidr('10.0.0/8').containsIP(client.ip) | 5 | * | a range of addresses, such as 10.0.0.0/8",
                "var[path] == ''         | 0  | reads variables without a constant name | such as var.edition",
                "var.exists(x, true)     | 0  | reads variables without a constant name | such as var.edition",
                "status == 200           | 0  | reads status, which request rules cannot read | *",
                "google.protobuf.Duration{seconds: 1} == now - now | 24 | makes a message | *",
                "`  `                    | 0  | is empty | an expression",
            })
    void mistakesAreRefusedWithTheirPosition(
            String expression, int index, String what, String expected) {
        var error = refused(expression, Phase.REQUEST);

        assertThat(error.index()).isEqualTo(index);
        if (!what.equals("*")) {
            assertThat(error).hasMessage(what);
        }
        if (!expected.equals("*")) {
            assertThat(error.expected()).isEqualTo(expected);
        }
    }

    @Test
    void aMistakeInALaterLineHasItsIndex() {
        assertThat(refused("path == '/' &&\n  path == 1", Phase.REQUEST).index()).isEqualTo(22);
        assertThat(refused("path == '/' &&\n  pth == '/'", Phase.REQUEST).index()).isEqualTo(17);
    }

    @Test
    void longAndDeepExpressionsAreRefused() {
        var tooLong = refused("path == '" + "a".repeat(5_000) + "'", Phase.REQUEST);
        assertThat(tooLong).hasMessage("is 5010 characters long");
        assertThat(tooLong.expected()).isEqualTo("at most 4096");

        for (var deep :
                List.of(
                        "(".repeat(2_000) + "true" + ")".repeat(2_000),
                        "[".repeat(4_000),
                        "1" + "+1".repeat(2_000) + " > 0",
                        "path" + ".a".repeat(2_000) + " == ''",
                        "true ? true : ".repeat(290) + "true")) {
            assertThat(refused(deep, Phase.REQUEST)).hasMessage("is nested too deeply");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "1 / 0 == 1                                      | a division by zero",
                "1 % (port - 8080) == 1                          | a division by zero",
                "9223372036854775807 + port > 0                  | a number is too large",
                "int(path) > 0                                   | an argument is not valid",
                "path.substring(99) == ''                        | the expression has no result",
                "path.split('/')[9] == ''                        | an index is out of bounds",
                "{'a': 'b'}[path] == ''                          | a map has no such key",
                "cidr(path).containsIP(client.ip)                | an argument is not valid",
                "ip(path) == ip('::1')                           | an argument is not valid",
                "bucket(path, 0) == 0                            | an argument is not valid",
                "timestamp(path) < now                           | an argument is not valid",
            })
    void valuesThatCannotBeDeterminedAreRuleErrors(String expression, String message)
            throws Exception {
        var condition = EXPRESSIONS.compile(expression, Phase.REQUEST);

        assertThatThrownBy(() -> condition.holds(SHOP))
                .isInstanceOf(RuleError.class)
                .hasMessage(message);
    }

    @Test
    void textAndWorkAreLimited() throws Exception {
        var large = get("/" + "a".repeat(8_000));
        for (var expression :
                List.of(
                        "path.replace('a', path).size() > 0",
                        "size(" + "path + ".repeat(20) + "path) > 0",
                        "path.split('').all(c, c != '')",
                        "path.split('').map(a, path).size() > 0")) {
            var condition = EXPRESSIONS.compile(expression, Phase.REQUEST);

            assertThatThrownBy(() -> condition.holds(large)).isInstanceOf(RuleError.class);
            assertThat(condition.holds(get("/aa"))).isTrue();
        }
    }

    @Test
    void anOperandThatDecidesHidesTheErrorOfTheOther() throws Exception {
        assertThat(EXPRESSIONS.compile("true || 1 / 0 == 1", Phase.REQUEST).holds(SHOP)).isTrue();
        assertThat(EXPRESSIONS.compile("1 / 0 == 1 || true", Phase.REQUEST).holds(SHOP)).isTrue();
    }

    @Test
    void inputsAndVariablesAreThoseOfTheExpression() throws Exception {
        var read = condition("path == '/' || header['x'] == var.edition || 'b' in var");
        assertThat(read.inputs())
                .containsExactlyInAnyOrder(Input.PATH, Input.HEADER, Input.VARIABLE);
        assertThat(read.variables()).containsExactlyInAnyOrder("edition", "b");

        assertThat(condition("var['a b'] == ''").variables()).containsExactly("a b");
        assertThat(condition("true || client.trusted").inputs()).containsExactly(Input.CLIENT);
        assertThat(condition("port == 80").inputs()).containsExactly(Input.HOST);
        assertThat(condition("target == '/'").inputs())
                .containsExactlyInAnyOrder(Input.PATH, Input.QUERY);
        assertThat(condition("header.exists(path, path == 'x')").inputs())
                .containsExactly(Input.HEADER);
        assertThat(condition("cookie.exists(var, var == 'x')").variables()).isEmpty();
        assertThat(condition("1 < 2").inputs()).isEmpty();
    }

    @Test
    void responseRulesReadNothingOfTheClient() {
        for (var expression :
                List.of(
                        "header['x'] == ''",
                        "cookie.x == ''",
                        "client.ip == ''",
                        "client.trusted",
                        "method == 'GET'",
                        "proto == ''",
                        "esi.level == 0",
                        "now == now",
                        "outcome == 'hit'",
                        "age > 1")) {
            assertThat(refused(expression, Phase.RESPONSE))
                    .hasMessageEndingWith("which response rules cannot read");
        }
        assertThat(refused("length > 1", Phase.REQUEST))
                .hasMessageEndingWith("which request rules cannot read");
    }

    @Test
    void textsInUrlsArePercentEncoded() throws Exception {
        assertThat(url("{path.substring(1)}")).isEqualTo("a/b%20c");
        assertThat(url("{query.q + \"/\"}")).isEqualTo("x%20y%2F");
        assertThat(url("https://{host.substring(4)}/{port + 1}"))
                .isEqualTo("https://shop.example/8081");
    }

    @Test
    void mistakesInTemplatesHaveTheirIndexInTheTemplate() {
        var error =
                catchThrowableOfType(
                        SyntaxError.class,
                        () ->
                                new TemplateParser(
                                                EXPRESSIONS.templatesOf(Phase.REQUEST),
                                                Phase.REQUEST)
                                        .parse("/x/{host.substrin(4)}", true));

        assertThat(error.index()).isEqualTo(9);
        assertThat(refusedText("[path]").expected())
                .isEqualTo("a string, int or bool; string(...) converts");
    }

    @Test
    void aHostIsTheSameWithAPortOfTheClient() throws Exception {
        var staging = condition("host == 'staging.example'");

        assertThat(staging.holds(request("GET", "staging.example:81", "/"))).isTrue();
        assertThat(condition("host == '[::1]' && port == 80").holds(request("GET", "[::1]", "/")))
                .isTrue();
    }

    private static Condition condition(String expression) throws SyntaxError {
        return EXPRESSIONS.compile(expression, Phase.REQUEST);
    }

    private static String text(String expression, RuleValues values) throws SyntaxError {
        return EXPRESSIONS
                .templatesOf(Phase.REQUEST)
                .compile(expression, false)
                .text(values, List.of());
    }

    private static String url(String template) throws SyntaxError {
        return new TemplateParser(EXPRESSIONS.templatesOf(Phase.REQUEST), Phase.REQUEST)
                .parse(template, true)
                .text(SHOP, List.of());
    }

    private static SyntaxError refused(String expression, Phase phase) {
        return catchThrowableOfType(
                SyntaxError.class, () -> EXPRESSIONS.compile(expression, phase));
    }

    private static SyntaxError refusedText(String expression) {
        return catchThrowableOfType(
                SyntaxError.class,
                () -> EXPRESSIONS.templatesOf(Phase.REQUEST).compile(expression, false));
    }
}
