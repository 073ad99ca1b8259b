package dev.quire.core.expression;

import dev.quire.core.expression.Interpolation.Piece;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A document evaluated for one request, and its problems. */
final class TestDocument {
    static final Instant NOW = Instant.parse("2026-11-20T13:40:05Z");

    final List<String> problems = new ArrayList<>();
    final Evaluation evaluation = new Evaluation(NOW, new Random(7), problems::add);
    final Scope scope;
    private final Set<String> functions = new HashSet<>();
    private final Dialect dialect;

    private TestDocument(Variables variables, Dialect dialect) {
        this.scope = new Scope(variables, evaluation);
        this.dialect = dialect;
    }

    /** For the request {@code GET /} without fields. */
    static TestDocument plain() {
        return of("/");
    }

    /** For {@code GET target} with alternating field names and values. */
    static TestDocument of(String target, String... fields) {
        return of(VariableRules.STANDARD, target, fields);
    }

    static TestDocument of(VariableRules rules, String target, String... fields) {
        return new TestDocument(variables(rules, target, fields), Dialect.STANDARD);
    }

    static TestDocument in(Dialect dialect) {
        return new TestDocument(variables(VariableRules.STANDARD, "/"), dialect);
    }

    private static Variables variables(VariableRules rules, String target, String... fields) {
        var request =
                new RequestHead("GET", Scheme.HTTP, "example.test", target, Fields.of(fields));
        return new RequestVariables(
                        request, "192.0.2.7", new RequestVariables.Rules(rules), Optional.empty())
                .of(CacheKey.of(request));
    }

    Expression read(String expression) {
        var reading = ExpressionParser.expression(expression, dialect);
        if (reading.expression() == null) {
            throw new AssertionError(expression + ": " + reading.problem());
        }
        return reading.expression();
    }

    Value evaluate(String expression) {
        return scope.evaluate(read(expression));
    }

    /** The value as text, unescaped. */
    String value(String expression) {
        return Joined.text(evaluate(expression), evaluation).text();
    }

    boolean test(String expression) {
        return test(expression, null);
    }

    boolean test(String expression, @Nullable String matchName) {
        return scope.test(read(expression), matchName);
    }

    TestDocument assign(String name, String expression) {
        scope.assign(name, evaluate(expression));
        return this;
    }

    TestDocument define(String name, Scope.UserFunction function) {
        functions.add(name);
        scope.define(name, function);
        return this;
    }

    /** The output for {@code text} in a processing context. */
    String written(String text) {
        return written(text, Escape.MARKUP);
    }

    String written(String text, Escape escape) {
        var written = new StringBuilder();
        for (var piece : Interpolation.of(text, functions, dialect).pieces()) {
            switch (piece) {
                case Piece.Verbatim(int start, int end) -> written.append(text, start, end);
                case Piece.Reference reference ->
                        written.append(
                                scope.written(scope.evaluate(reference.expression()), escape));
            }
        }
        return written.toString();
    }

    Template template(String text) {
        return ExpressionParser.template(text, functions, dialect);
    }
}
