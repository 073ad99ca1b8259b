package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

/**
 * Lines evaluated one after the other in one namespace. An equals sign with a name and an
 * expression assigns; an opening brace with both assigns into a collection, under a key that is
 * assigned to it too. A question mark with an expression tests it, an asterisk iterates over it,
 * and any other line is text with references. The output contains no secret, and no tag of the
 * client unless this or an earlier line names a variable without escaping: an assigned value stays
 * unescaped.
 */
final class Script {

    private static final Set<String> FUNCTIONS = Set.of("f");

    private final HostileRequest request = new HostileRequest();
    private final Dialect dialect;
    private boolean raw;

    private Script(Dialect dialect) {
        this.dialect = dialect;
        request.scope.define("f", local -> local.evaluate(parsed("$(ARGS{0}) + $f($(ARGS))")));
    }

    static void run(String text) {
        for (var dialect : Dialect.values()) {
            var script = new Script(dialect);
            text.lines().forEach(script::line);
        }
    }

    private void line(String line) {
        raw |= line.contains("RAW_");
        switch (line.isEmpty() ? ' ' : line.charAt(0)) {
            case '=' -> assign(line.substring(1));
            case '{' -> assignInto(line.substring(1));
            case '?' -> test(line.substring(1));
            case '*' -> loop(line.substring(1));
            default -> text(line);
        }
    }

    private void assign(String line) {
        int blank = line.indexOf(' ');
        if (blank > 0) {
            request.scope.assign(line.substring(0, blank), value(line.substring(blank + 1)));
        }
    }

    private void assignInto(String line) {
        int blank = line.indexOf(' ');
        if (blank > 0) {
            var value = value(line.substring(blank + 1));
            request.scope.assign(line.substring(0, blank), value, value);
        }
    }

    private void test(String text) {
        var expression = ExpressionParser.expression(text, dialect).expression();
        if (expression != null) {
            request.scope.fork().test(expression, "m");
            request.scope.test(expression, null);
        }
    }

    private void loop(String text) {
        for (var item : request.scope.items(value(text))) {
            if (!request.scope.evaluation.mayIterate()) {
                return;
            }
            request.scope.assign("item", item);
            write("$(item)$(item{0})$(item{1})");
        }
    }

    private void text(String text) {
        var template = ExpressionParser.template(text, FUNCTIONS, dialect);
        request.scope.text(template);
        assertThat(request.scope.reference(template, true).text())
                .doesNotContain(HostileRequest.SECRET);
        write(text);
    }

    private void write(String text) {
        int end = 0;
        for (var piece : Interpolation.of(text, FUNCTIONS, dialect).pieces()) {
            switch (piece) {
                case Interpolation.Piece.Verbatim verbatim -> {
                    assertThat(verbatim.start()).isBetween(end, text.length() - 1);
                    end = verbatim.end();
                }
                case Interpolation.Piece.Reference reference -> {
                    assertThat(reference.start()).isBetween(end, text.length() - 1);
                    end = reference.end();
                    write(reference.expression());
                }
            }
            assertThat(end).isLessThanOrEqualTo(text.length());
        }
    }

    private void write(Expression expression) {
        var value = request.scope.evaluate(expression);
        for (var escape : Escape.values()) {
            var written = request.scope.written(value, escape);
            assertThat(written).doesNotContain(HostileRequest.SECRET);
            if (escape == Escape.MARKUP && !raw) {
                assertThat(written).doesNotContain(HostileRequest.TAG);
            }
        }
    }

    private Value value(String text) {
        return request.scope.evaluate(parsed(text));
    }

    private Expression parsed(String text) {
        var expression = ExpressionParser.expression(text, dialect).expression();
        return expression == null ? new Expression.Literal(Value.Null.NULL) : expression;
    }
}
