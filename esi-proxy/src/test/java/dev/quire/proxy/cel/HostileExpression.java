package dev.quire.proxy.cel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.quire.core.rule.Condition;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.RuleError;
import dev.quire.core.rule.RuleValues;
import dev.quire.core.rule.TemplateParser.SyntaxError;
import dev.quire.core.rule.TextTemplate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An expression of which nothing is known: it is refused at a position in it, or has a result or a
 * {@link RuleError} for every request, in little time.
 */
final class HostileExpression {
    private static final long MOST_NANOS = 10_000_000_000L;

    private static final CelExpressions EXPRESSIONS = new CelExpressions();

    private static final List<RuleValues> REQUESTS =
            List.of(
                    TestValues.get("/"),
                    TestValues.requestFrom(
                            "2001:db8::7",
                            "POST",
                            "[::1]:8080",
                            "/a;x//%41?a=1&b=%&=&a=2",
                            "User-Agent: Googlebot",
                            "Cookie: a=1; b; =c; a=2",
                            "X: 9223372036854775807"),
                    TestValues.get("/" + "a/".repeat(4_000) + "?" + "x=1&".repeat(500)));

    static {
        // Loads the library, which takes long while its classes are instrumented.
        evaluate("path == '/'");
    }

    private HostileExpression() {}

    /** Returns whether {@code text} is an expression. */
    static boolean run(String text) {
        long start = System.nanoTime();
        boolean isValid = evaluate(text);
        if (System.nanoTime() - start > MOST_NANOS) {
            fail("more than ten seconds for %s", text);
        }
        return isValid;
    }

    private static boolean evaluate(String text) {
        var condition = condition(text);
        var part = part(text);
        for (var request : REQUESTS) {
            try {
                if (condition != null) {
                    condition.holds(request);
                }
                if (part != null) {
                    part.text(request, List.of());
                }
            } catch (RuleError allowed) {
                assertThat(allowed).message().isNotEmpty();
            }
        }
        return condition != null || part != null;
    }

    private static @Nullable Condition condition(String text) {
        try {
            var condition = EXPRESSIONS.compile(text, Phase.REQUEST);
            assertThat(condition.inputs()).allMatch(Phase.REQUEST::reads);
            return condition;
        } catch (SyntaxError error) {
            check(error, text);
            return null;
        }
    }

    private static TextTemplate.@Nullable Part part(String text) {
        try {
            return EXPRESSIONS.templatesOf(Phase.REQUEST).compile(text, true);
        } catch (SyntaxError error) {
            check(error, text);
            return null;
        }
    }

    private static void check(SyntaxError error, String text) {
        assertThat(error.index()).isBetween(0, text.length());
        assertThat(error).message().isNotEmpty().doesNotContain("cannot be compiled");
        assertThat(error.expected()).isNotEmpty();
    }
}
