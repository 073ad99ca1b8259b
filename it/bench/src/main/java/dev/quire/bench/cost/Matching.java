package dev.quire.bench.cost;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.rule.Condition;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.Matchers;
import dev.quire.core.rule.PathPattern;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.RequestPhase;
import dev.quire.core.rule.RequestRules;
import dev.quire.core.rule.RuleValues;
import dev.quire.core.rule.TemplateParser.SyntaxError;
import dev.quire.core.rule.TextPattern;
import dev.quire.core.text.Network;
import dev.quire.proxy.cel.CelExpressions;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;

/** Tests ten conditions that do not match, as expressions and as matchers. */
public class Matching extends HitBenchmark {
    private static final List<String> EXPRESSIONS =
            List.of(
                    "path.startsWith('/admin/')",
                    "host == 'staging.news.example'",
                    "method in ['PUT', 'DELETE']",
                    "'authorization' in header",
                    "header['user-agent'].matches('(?i)(sqlmap|masscan|nikto)')",
                    "cookie.exists(c, c.startsWith('wordpress_logged_in'))",
                    "cookie['ab'] == 'b'",
                    "query['preview'] == '1'",
                    "glob(path, '*.php')",
                    "cidr('10.0.0.0/8').containsIP(client.ip)");

    private static final List<Condition> MATCHERS =
            List.of(
                    Matchers.path(List.of(new PathPattern("/admin/**")), List.of()),
                    Matchers.host(List.of(new HostPattern("staging.news.example"))),
                    Matchers.method(List.of("PUT", "DELETE")),
                    Matchers.header("authorization", List.of(pattern("*"))),
                    Matchers.header("user-agent", List.of(pattern("*sqlmap*"))),
                    Matchers.cookieNamed(List.of(pattern("wordpress_logged_in*"))),
                    Matchers.cookie("ab", List.of(pattern("b"))),
                    Matchers.query("preview", List.of(pattern("1"))),
                    Matchers.path(List.of(new PathPattern("/**.php")), List.of()),
                    Matchers.client(Network.parse("10.0.0.0/8")::contains));

    private static final Condition SEARCH =
            Matchers.header("user-agent", List.of(pattern("~(?i)(sqlmap|masscan|nikto)")));

    private final List<Condition> expressions = new ArrayList<>();
    private final RuleValues request = request();

    @Setup(Level.Trial)
    public void compile() throws SyntaxError {
        var compiler = new CelExpressions();
        for (var expression : EXPRESSIONS) {
            expressions.add(compiler.compile(expression, Phase.REQUEST));
        }
    }

    @Benchmark
    public int tenExpressions() {
        return matching(expressions);
    }

    @Benchmark
    public int tenMatchers() {
        return matching(MATCHERS);
    }

    /** A regular expression, which costs most of all matchers. */
    @Benchmark
    public boolean regularExpression() {
        return SEARCH.holds(request);
    }

    private int matching(List<Condition> conditions) {
        int count = 0;
        for (int i = 0; i < conditions.size(); i++) {
            count += conditions.get(i).holds(request) ? 1 : 0;
        }
        return count;
    }

    private static TextPattern pattern(String text) {
        return TextPattern.of(text, false);
    }

    private static RuleValues request() {
        var client = InetAddress.getLoopbackAddress();
        var head =
                new RequestHead(
                        "GET",
                        Scheme.HTTP,
                        "news.example",
                        "/news/2026/article?id=1234&page=2",
                        Fields.of(
                                "Host", "news.example",
                                "User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
                                "Accept", "text/html,application/xhtml+xml",
                                "Accept-Language", Locale.GERMAN.toLanguageTag(),
                                "Cookie", "group=Advanced; region=ZH; age=21"));
        return RequestRules.NONE.begin(
                new RequestPhase.Subject(
                        head, () -> client, false, 0, "HTTP/1.1", () -> Instant.EPOCH));
    }
}
