package dev.quire.proxy.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.Operator;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.quire.core.rule.ClientInputs;
import dev.quire.core.rule.Input;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.TemplateParser.SyntaxError;
import dev.quire.core.text.NearestName;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The values that an expression reads, found in its syntax tree before types are checked. Refuses
 * unknown names and functions, values of other phases, and patterns and names of variables that are
 * not constants. The parser limits the depth of the tree.
 */
final class ExpressionReads {
    private static final Set<String> FUNCTIONS = ExpressionFunctions.names();

    private final String expression;
    private final Map<Long, Integer> positions;
    private final Phase phase;
    private final ExpressionFunctions functions;
    private final EnumSet<Input> inputs = EnumSet.noneOf(Input.class);
    private final Set<String> variables = new HashSet<>();
    private final Set<String> headers = new HashSet<>();

    /** The variables of the macros around an element. */
    private final Deque<String> bound = new ArrayDeque<>();

    private ExpressionReads(
            String expression,
            CelAbstractSyntaxTree tree,
            Phase phase,
            ExpressionFunctions functions) {
        this.expression = expression;
        this.positions = tree.getSource().getPositionsMap();
        this.phase = phase;
        this.functions = functions;
    }

    /** Checks {@code tree}, and compiles its patterns with {@code functions}. */
    static ExpressionReads of(
            String expression,
            CelAbstractSyntaxTree tree,
            Phase phase,
            ExpressionFunctions functions)
            throws SyntaxError {
        var reads = new ExpressionReads(expression, tree, phase, functions);
        reads.visit(tree.getExpr());
        return reads;
    }

    Set<Input> inputs() {
        var all = EnumSet.noneOf(Input.class);
        all.addAll(inputs);
        return all;
    }

    Set<String> variables() {
        return Set.copyOf(variables);
    }

    /** {@link ClientInputs#ANY_FIELD} for a name that is not constant. */
    Set<String> headers() {
        return Set.copyOf(headers);
    }

    private void visit(CelExpr element) throws SyntaxError {
        switch (element.getKind()) {
            case CONSTANT -> {}
            case IDENT -> name(element, element.ident().name());
            case SELECT -> select(element);
            case CALL -> call(element);
            case LIST -> visitAll(element.list().elements());
            case MAP -> {
                for (var entry : element.map().entries()) {
                    visit(entry.key());
                    visit(entry.value());
                }
            }
            case COMPREHENSION -> comprehension(element.comprehension());
            case STRUCT, NOT_SET ->
                    throw at(element, "makes a message", "a text, a number, a list or a map");
        }
    }

    private void visitAll(Iterable<CelExpr> elements) throws SyntaxError {
        for (var element : elements) {
            visit(element);
        }
    }

    private void comprehension(CelExpr.CelComprehension macro) throws SyntaxError {
        visit(macro.iterRange());
        visit(macro.accuInit());
        bound.push(macro.accuVar());
        bound.push(macro.iterVar());
        bound.push(macro.iterVar2());
        visit(macro.loopCondition());
        visit(macro.loopStep());
        bound.pop();
        bound.pop();
        visit(macro.result());
        bound.pop();
    }

    private void select(CelExpr element) throws SyntaxError {
        var select = element.select();
        var operand = select.operand();
        if (operand.getKind() != CelExpr.ExprKind.Kind.IDENT
                || bound.contains(operand.ident().name())) {
            visit(operand);
            return;
        }
        var name = operand.ident().name();
        if (name.equals(ExpressionValue.VARIABLE.text())) {
            variable(select.field());
        } else if (ExpressionValue.named(name) == null) {
            name(operand, name + "." + select.field());
        } else {
            name(operand, name, select.field());
        }
    }

    private void call(CelExpr element) throws SyntaxError {
        var call = element.call();
        var function = call.function();
        if (Character.isLetter(function.charAt(0)) && !FUNCTIONS.contains(function)) {
            throw new SyntaxError(
                    nameIndex(element),
                    "has an unknown function " + function,
                    "'" + NearestName.to(function, FUNCTIONS) + "', the nearest match");
        }
        int prepared = ExpressionFunctions.preparedArgument(function);
        if (prepared >= 0 && prepared < call.args().size()) {
            prepare(call.args().get(prepared), function);
        }
        boolean isIndex = function.equals(Operator.INDEX.getFunction());
        boolean isIn = function.equals(Operator.IN.getFunction());
        if ((isIndex || isIn) && call.args().size() == 2) {
            var map = call.args().get(isIndex ? 0 : 1);
            var key = call.args().get(isIndex ? 1 : 0);
            if (isVariables(map) && isText(key)) {
                variable(key.constant().stringValue());
                return;
            }
            if (map.getKind() == CelExpr.ExprKind.Kind.IDENT && isText(key)) {
                name(map, map.ident().name(), key.constant().stringValue());
                return;
            }
        }
        if (call.target().isPresent()) {
            visit(call.target().get());
        }
        visitAll(call.args());
    }

    private void prepare(CelExpr argument, String function) throws SyntaxError {
        if (!isText(argument)) {
            if (ExpressionFunctions.requiresConstant(function)) {
                throw at(
                        argument,
                        "has a pattern for " + function + " that is not a constant",
                        "a text in quotes");
            }
            return;
        }
        try {
            functions.prepare(function, argument.constant().stringValue());
        } catch (IllegalArgumentException e) {
            throw at(
                    argument,
                    "has an argument for " + function + " that is not valid: " + e.getMessage(),
                    expected(function));
        }
    }

    private static String expected(String function) {
        return switch (function) {
            case "matches" -> "a regular expression (RE2) of at most 1000 instructions";
            case "cidr" -> "a range of addresses, such as 10.0.0.0/8";
            default -> "an address, such as 10.0.0.1";
        };
    }

    private boolean isVariables(CelExpr element) {
        return element.getKind() == CelExpr.ExprKind.Kind.IDENT
                && element.ident().name().equals(ExpressionValue.VARIABLE.text())
                && !bound.contains(element.ident().name());
    }

    private static boolean isText(CelExpr element) {
        return element.getKind() == CelExpr.ExprKind.Kind.CONSTANT
                && element.constant().getKind() == CelConstant.Kind.STRING_VALUE;
    }

    private void variable(String name) {
        inputs.add(Input.VARIABLE);
        variables.add(name);
    }

    private void name(CelExpr element, String name) throws SyntaxError {
        name(element, name, ClientInputs.ANY_FIELD);
    }

    /**
     * @param member the constant name of the value in the map {@code name}, or {@link
     *     ClientInputs#ANY_FIELD}
     */
    private void name(CelExpr element, String name, String member) throws SyntaxError {
        if (bound.contains(name)) {
            return;
        }
        var value = ExpressionValue.named(name);
        if (value == ExpressionValue.VARIABLE) {
            throw at(element, "reads variables without a constant name", "such as var.edition");
        }
        if (value == null) {
            throw at(
                    element,
                    "has an unknown name " + name,
                    "'" + NearestName.to(name, names()) + "', the nearest match");
        }
        if (!phase.reads(value.input())) {
            throw at(
                    element,
                    "reads " + name + ", which " + phase.key() + " rules cannot read",
                    "one of " + String.join(", ", names()));
        }
        inputs.add(value.input());
        if (value == ExpressionValue.TARGET) {
            inputs.add(Input.PATH);
        }
        if (value.input() == Input.HEADER) {
            headers.add(member.toLowerCase(Locale.ROOT));
        }
    }

    private Set<String> names() {
        var names = new TreeSet<String>();
        Arrays.stream(ExpressionValue.values())
                .filter(value -> phase.reads(value.input()))
                .forEach(value -> names.add(value.text()));
        names.addAll(bound);
        names.removeIf(name -> name.isEmpty() || name.startsWith("@"));
        return names;
    }

    private SyntaxError at(CelExpr element, String what, String expected) {
        return new SyntaxError(index(element), what, expected);
    }

    private int index(CelExpr element) {
        return indexOf(expression, positions.getOrDefault(element.id(), 0));
    }

    /** The library gives the position of the opening bracket. */
    private int nameIndex(CelExpr call) {
        int bracket = index(call);
        int start = bracket - call.call().function().length();
        return expression.startsWith(call.call().function(), start) ? start : bracket;
    }

    /** Returns the index of code point {@code point} of {@code text}; at most its length. */
    static int indexOf(String text, int point) {
        return text.offsetByCodePoints(0, Math.min(point, text.codePointCount(0, text.length())));
    }
}
