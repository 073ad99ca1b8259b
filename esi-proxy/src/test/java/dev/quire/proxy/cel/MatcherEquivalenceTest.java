package dev.quire.proxy.cel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.rule.Condition;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.Matchers;
import dev.quire.core.rule.PathPattern;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.TextPattern;
import dev.quire.core.text.Network;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Expressions and matchers that mean the same agree on random requests. */
class MatcherEquivalenceTest {
    private static final int REQUESTS = 3_000;

    private record Pair(String expression, Condition matcher) {}

    private static final List<Pair> PAIRS =
            List.of(
                    new Pair(
                            "path == '/a' || path.startsWith('/b/')",
                            Matchers.path(
                                    List.of(new PathPattern("/a"), new PathPattern("/b/**")),
                                    List.of())),
                    new Pair(
                            "host == 'a.example' || host.endsWith('.b.example')",
                            Matchers.host(
                                    List.of(
                                            new HostPattern("a.example"),
                                            new HostPattern("*.b.example")))),
                    new Pair("method in ['GET', 'HEAD']", Matchers.method(List.of("GET", "HEAD"))),
                    new Pair(
                            "glob(query['x'], 'a*b') && 'x' in query",
                            Matchers.query("x", List.of(pattern("a*b")))),
                    new Pair(
                            "query['x'].matches('a.b')",
                            Matchers.query("x", List.of(pattern("~a.b")))),
                    new Pair(
                            "cookie['x'] == 'ab' || cookie['x'].startsWith('b')",
                            Matchers.cookie("x", List.of(pattern("ab"), pattern("b*")))),
                    new Pair(
                            "cookie.exists(c, c.startsWith('x'))",
                            Matchers.cookieNamed(List.of(pattern("x*")))),
                    new Pair(
                            "header['X-A'].matches('(?i)AB')",
                            Matchers.header("x-a", List.of(pattern("~(?i)AB")))),
                    new Pair("'x-a' in header", Matchers.header("X-A", List.of(pattern("*")))),
                    new Pair(
                            "cidr('10.0.0.0/14').containsIP(client.ip)",
                            Matchers.client(Network.parse("10.0.0.0/14")::contains)));

    private final Random random = new Random(7);

    private static TextPattern pattern(String text) {
        return TextPattern.of(text, false);
    }

    @Test
    void expressionsAndMatchersAgree() throws Exception {
        var expressions = new CelExpressions();
        for (var pair : PAIRS) {
            var condition = expressions.compile(pair.expression(), Phase.REQUEST);
            int matching = 0;
            for (int i = 0; i < REQUESTS; i++) {
                var request =
                        TestValues.requestFrom(
                                "10." + random.nextInt(8) + ".0.1",
                                any("GET", "HEAD", "POST"),
                                any("a.example", "x.b.example", "b.example", "a.example:81"),
                                target(),
                                lines());

                boolean expected = pair.matcher().holds(request);
                assertThat(condition.holds(request))
                        .as(pair.expression() + " for " + request.request())
                        .isEqualTo(expected);
                matching += expected ? 1 : 0;
            }
            assertThat(matching).as(pair.expression()).isBetween(50, REQUESTS - 50);
            assertThat(condition.inputs()).isEqualTo(pair.matcher().inputs());
        }
    }

    private String target() {
        var path =
                any(
                        "/a", "/b/", "/b", "/%61", "//a", "/a;x", "/b/c/d", "/b//", "/b%2Fc", "/c",
                        "/");
        return path + any("", "?x=" + text(), "?y=1&x=" + text(), "?x", "?x=a%62&x=b", "?%78=a+b");
    }

    private String[] lines() {
        return switch (random.nextInt(4)) {
            case 0 -> new String[] {};
            case 1 -> new String[] {"X-A: " + text()};
            case 2 -> new String[] {"x-a: " + text(), "Cookie: x=" + text() + "; y=" + text()};
            default -> new String[] {"Cookie: y=1", "Cookie: xy=" + text() + ";x=" + text()};
        };
    }

    private String text() {
        var text = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            text.append(any("a", "b", "B", "c"));
        }
        return text.toString();
    }

    private String any(String... texts) {
        return texts[random.nextInt(texts.length)];
    }
}
