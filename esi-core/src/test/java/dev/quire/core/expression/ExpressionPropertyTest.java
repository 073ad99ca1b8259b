package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.Expression.Entry;
import dev.quire.core.expression.Expression.Relation;
import dev.quire.core.expression.Expression.Sign;
import dev.quire.core.expression.Expression.Step;
import dev.quire.core.expression.Value.Source;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Properties of every expression (docs/esi.md, Expressions; see {@link Expression}). */
class ExpressionPropertyTest {

    private static final List<String> CRUMBS =
            List.of(
                    "$(HTTP_HOST)",
                    "$(HTTP_COOKIE{a})",
                    "$(HTTP_COOKIE{session})",
                    "$(HTTP_X)",
                    "$(QUERY_STRING{'q'}|'none')",
                    "$(a)",
                    "$(a{0})",
                    "$(a{'k'})",
                    "$(b)",
                    "$(RAW_HTTP_HOST)",
                    "$(MATCHES{1})",
                    "$(m)",
                    "$f(",
                    "$len(",
                    "$join(",
                    "$replace(",
                    "$substr(",
                    "$string_split(",
                    "$html_decode(",
                    "$url_decode(",
                    "$base64_encode(",
                    "$base64_decode(",
                    "$upper(",
                    "$add_header(",
                    "$str(",
                    "$int(",
                    "$strftime(",
                    "'",
                    "\"",
                    "'''",
                    "'<b>'",
                    "'a'",
                    "1",
                    "-1",
                    "9223372036854775807",
                    "0",
                    "3.14",
                    "true",
                    "word",
                    "(",
                    ")",
                    "[",
                    "]",
                    "[1..9]",
                    "[1..99999]",
                    "{",
                    "}",
                    "{'k': 1}",
                    ":",
                    ",",
                    "..",
                    " + ",
                    " - ",
                    " * ",
                    " / ",
                    " % ",
                    " == ",
                    " != ",
                    " < ",
                    " >= ",
                    " has ",
                    " has_i ",
                    " matches ",
                    " matches_i ",
                    " =~ ",
                    "'/(a+)+$/i'",
                    "'(.*)'",
                    " & ",
                    " | ",
                    "!",
                    "\\",
                    "$",
                    "|",
                    "\n=a ",
                    "\n=b ",
                    "\n{a ",
                    "\n{b ",
                    "\n?",
                    "\n*",
                    "\n");

    @Provide
    Arbitrary<String> scripts() {
        return Arbitraries.of(CRUMBS)
                .list()
                .ofMaxSize(40)
                .map(pieces -> pieces.stream().collect(Collectors.joining()));
    }

    @Provide
    Arbitrary<Expression> expressions() {
        return expressions(3);
    }

    @Property
    void whateverIsEvaluatedEndsAndLetsNothingOut(@ForAll("scripts") String script) {
        Script.run(script);
    }

    /** A value assigned from a variable without escaping stays unescaped in later lines. */
    @Example
    void aValueAssignedWithoutEscapingKeepsThat() {
        Script.run("=a $(RAW_HTTP_HOST)\n$(a)");
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void whatIsPrintedIsReadAsTheSame(@ForAll("expressions") Expression expression) {
        var printed = printed(expression);

        var read = ExpressionParser.expression(printed, Dialect.STANDARD);

        assertThat(read.expression()).describedAs(printed).isEqualTo(expression);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void bothTruthAndItsContraryAreNeverTheCase(@ForAll("expressions") Expression expression) {
        boolean holds = new HostileRequest().scope.test(expression, null);

        boolean contrary = new HostileRequest().scope.test(new Expression.Not(expression), null);

        assertThat(contrary).isEqualTo(!holds);
    }

    private static Arbitrary<Expression> expressions(int depth) {
        if (depth == 0) {
            return Arbitraries.oneOf(literals(), quoted(), plainVariables());
        }
        var inner = expressions(depth - 1);
        return Arbitraries.frequencyOf(
                Tuple.of(3, expressions(0)),
                Tuple.of(1, inner.map(Expression.Not::new)),
                Tuple.of(1, inner.list().ofMinSize(2).ofMaxSize(3).map(Expression.And::new)),
                Tuple.of(1, inner.list().ofMinSize(2).ofMaxSize(3).map(Expression.Or::new)),
                Tuple.of(1, inner.list().ofMaxSize(3).map(Expression.ListOf::new)),
                Tuple.of(1, Combinators.combine(inner, inner).as(Expression.Range::new)),
                Tuple.of(
                        1,
                        Combinators.combine(inner, inner)
                                .as(Entry::new)
                                .list()
                                .ofMaxSize(3)
                                .map(Expression.DictionaryOf::new)),
                Tuple.of(
                        1,
                        Combinators.combine(
                                        Arbitraries.of("len", "upper", "join", "exists", "f"),
                                        inner.list().ofMaxSize(2))
                                .as(Expression.Call::new)),
                Tuple.of(
                        1,
                        Combinators.combine(Arbitraries.of(Relation.class), inner, inner)
                                .as(Expression.Comparison::new)),
                Tuple.of(
                        1,
                        Combinators.combine(
                                        inner,
                                        Combinators.combine(Arbitraries.of(Sign.class), inner)
                                                .as(Step::new)
                                                .list()
                                                .ofMinSize(1)
                                                .ofMaxSize(3))
                                .as(Expression.Arithmetic::new)));
    }

    private static Arbitrary<Expression> literals() {
        return Arbitraries.of(
                        new Value.Int(0, Source.AUTHOR),
                        new Value.Int(-42, Source.AUTHOR),
                        new Value.Int(Long.MAX_VALUE, Source.AUTHOR),
                        new Value.Decimal("3.14", Value.Source.AUTHOR),
                        Value.Bool.TRUE,
                        Value.Bool.FALSE,
                        new Value.Text("word", Source.AUTHOR))
                .map(Expression.Literal::new);
    }

    private static Arbitrary<Expression> quoted() {
        return Arbitraries.strings()
                .withCharRange(' ', '\u00ff')
                .ofMaxLength(6)
                .map(ExpressionPropertyTest::quoted);
    }

    private static Expression quoted(String text) {
        return new Expression.Quoted(
                text.isEmpty()
                        ? List.of()
                        : List.of(new Expression.Literal(new Value.Text(text, Source.AUTHOR))));
    }

    private static Arbitrary<Expression> plainVariables() {
        return Combinators.combine(
                        Arbitraries.of("HTTP_HOST", "HTTP_COOKIE", "a", "item"),
                        Arbitraries.of(true, false),
                        quoted().optional(),
                        quoted().optional())
                .as(Expression.Variable::new);
    }

    /** Prints an expression with parentheses around every operand. */
    private static String printed(Expression expression) {
        return switch (expression) {
            case Expression.Literal(Value value) -> printed(value);
            case Expression.Quoted(var pieces) -> "'" + inQuotes(pieces) + "'";
            case Expression.Variable each ->
                    "$("
                            + (each.isRaw() ? "RAW_" : "")
                            + each.name()
                            + each.key().map(key -> "{" + printed(key) + "}").orElse("")
                            + each.fallback().map(value -> "|" + printed(value)).orElse("")
                            + ")";
            case Expression.Call call -> "$" + call.function() + "(" + all(call.arguments()) + ")";
            case Expression.ListOf(var items) -> "[" + all(items) + "]";
            case Expression.Range range ->
                    "[" + operand(range.from()) + " .. " + operand(range.to()) + "]";
            case Expression.DictionaryOf(var entries) ->
                    entries.stream()
                            .map(entry -> operand(entry.key()) + ": " + operand(entry.value()))
                            .collect(Collectors.joining(", ", "{", "}"));
            case Expression.Arithmetic sum ->
                    operand(sum.first())
                            + sum.steps().stream()
                                    .map(step -> sign(step.sign()) + operand(step.operand()))
                                    .collect(Collectors.joining());
            case Expression.Comparison each ->
                    operand(each.left()) + relation(each.relation()) + operand(each.right());
            case Expression.Match ignored -> throw new IllegalStateException("is not made here");
            case Expression.Not(var operand) -> "!" + operand(operand);
            case Expression.And(var operands) -> joined(operands, " & ");
            case Expression.Or(var operands) -> joined(operands, " | ");
        };
    }

    private static String printed(Value value) {
        return switch (value) {
            case Value.Int number -> Long.toString(number.value());
            case Value.Decimal number -> number.text();
            case Value.Bool truth -> Boolean.toString(truth.value());
            case Value.Text word -> word.text();
            case Value.Null ignored -> throw new IllegalStateException("is not made here");
            case Value.Items ignored -> throw new IllegalStateException("is not made here");
            case Value.Dictionary ignored -> throw new IllegalStateException("is not made here");
        };
    }

    private static String inQuotes(List<Expression> pieces) {
        return pieces.stream()
                .map(piece -> printed(piece).replaceAll("['\"$\\\\]", "\\\\$0"))
                .collect(Collectors.joining());
    }

    private static String operand(Expression expression) {
        return "(" + printed(expression) + ")";
    }

    private static String joined(List<Expression> operands, String operator) {
        return operands.stream()
                .map(ExpressionPropertyTest::operand)
                .collect(Collectors.joining(operator));
    }

    private static String all(List<Expression> expressions) {
        return joined(expressions, ", ");
    }

    private static String sign(Sign sign) {
        return switch (sign) {
            case MULTIPLY -> " * ";
            case DIVIDE -> " / ";
            case MODULO -> " % ";
            case ADD -> " + ";
            case SUBTRACT -> " - ";
        };
    }

    private static String relation(Relation relation) {
        return switch (relation) {
            case EQUAL -> " == ";
            case NOT_EQUAL -> " != ";
            case LESS -> " < ";
            case LESS_OR_EQUAL -> " <= ";
            case GREATER -> " > ";
            case GREATER_OR_EQUAL -> " >= ";
            case HAS -> " has ";
            case HAS_IGNORING_CASE -> " has_i ";
        };
    }
}
