package dev.quire.proxy.cel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Random and mutated expressions, some seconds of work, on a stack smaller than that of event
 * loops.
 */
class RandomExpressionsTest {
    private static final int COUNT = 1_500;
    private static final long STACK_BYTES = 512 << 10;

    private static final List<String> VALID =
            List.of(
                    "!path.startsWith(\"/admin/\")",
                    "path == \"/\" && (cookie[\"ab\"] == \"b\" || (!(\"ab\" in cookie) &&"
                            + " bucket(client.ip, 100) < 10))",
                    "host == 'staging.example' && !cidr('10.0.0.0/8').containsIP(client.ip)",
                    "header['user-agent'].matches('(?i)(sqlmap|masscan|nikto)')",
                    "now > timestamp('2026-12-01T02:00:00Z') && !client.trusted && esi.level == 0",
                    "cookie.exists(c, c.startsWith('wordpress_logged_in'))",
                    "var.ab == 'b' ? 'b' : string(1.0 / 3.0)",
                    "query.map(k, k + '=' + query[k]).filter(x, size(x) > 3).size() % 2 == 1",
                    "path.split('/').all(s, s.replace('a', path).size() < 100)",
                    "{'a': [1, 2u, 3.0], 'b': []}['a'][int(query['a'])] == 2",
                    "device(header['x']) + host.substring(4).upperAscii()");

    private static final List<String> TOKENS =
            List.of(
                    "path",
                    "header",
                    "cookie",
                    "query",
                    "var",
                    "client.ip",
                    "now",
                    "port",
                    "x",
                    "(",
                    ")",
                    "[",
                    "]",
                    "{",
                    "}",
                    ".",
                    ",",
                    ":",
                    "?",
                    "!",
                    "-",
                    "+",
                    "*",
                    "/",
                    "%",
                    "&&",
                    "||",
                    "==",
                    "!=",
                    "<",
                    ">=",
                    "in",
                    "'a'",
                    "\"",
                    "'",
                    "\\",
                    "0",
                    "1",
                    "-1",
                    "1.5",
                    "1u",
                    "9223372036854775807",
                    "true",
                    "null",
                    "b'x'",
                    "r'\\d'",
                    "'''",
                    "//",
                    "\n",
                    "\u0000",
                    "é",
                    "\ud800",
                    "😀",
                    "`a`",
                    "@",
                    ".?",
                    "[?",
                    "size",
                    "matches",
                    "replace",
                    "split",
                    "exists",
                    "all",
                    "map",
                    "filter",
                    "has",
                    "exists_one",
                    "timestamp",
                    "duration",
                    "cidr",
                    "containsIP",
                    "ip",
                    "glob",
                    "bucket",
                    "int",
                    "double",
                    "string",
                    "getHours",
                    "substring",
                    "_+_",
                    "@in",
                    "__result__",
                    "google.protobuf.Any",
                    "type",
                    "dyn",
                    "for",
                    "package",
                    "@result");

    private final Random random = new Random();

    @Test
    void noExpressionDoesMoreThanFail() throws Exception {
        var run = new FutureTask<>(this::compiled);
        var thread = new Thread(null, run, "random-expressions", STACK_BYTES);
        thread.start();

        assertThat(run.get(300, TimeUnit.SECONDS)).isGreaterThan(COUNT / 20);
    }

    /** Returns the number of expressions that were valid. */
    private int compiled() {
        int valid = 0;
        for (int i = 0; i < COUNT; i++) {
            var text = random.nextInt(4) == 0 ? tokens(random.nextInt(200)) : mutated();
            try {
                valid += HostileExpression.run(text) ? 1 : 0;
            } catch (RuntimeException | Error e) {
                throw new AssertionError("for the expression " + text, e);
            }
        }
        return valid;
    }

    private String mutated() {
        var text = new StringBuilder(any(VALID));
        for (int i = random.nextInt(4); i > 0; i--) {
            int from = random.nextInt(text.length() + 1);
            int to = Math.min(text.length(), from + random.nextInt(12));
            switch (random.nextInt(5)) {
                case 0 -> text.delete(from, to);
                case 1 -> text.insert(from, tokens(1 + random.nextInt(3)));
                case 2 -> text.replace(from, to, any(TOKENS));
                case 3 -> text.insert(from, text.substring(from, to).repeat(random.nextInt(400)));
                default -> {
                    var other = any(VALID);
                    text.insert(from, "(" + other + ")");
                }
            }
        }
        return text.toString();
    }

    private String tokens(int count) {
        var text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(any(TOKENS)).append(random.nextBoolean() ? "" : " ");
        }
        return text.toString();
    }

    private String any(List<String> texts) {
        return texts.get(random.nextInt(texts.size()));
    }
}
