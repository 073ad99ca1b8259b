package dev.quire.proxy.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.quire.core.rule.Condition;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.TemplateParser.SyntaxError;
import dev.quire.core.rule.TextTemplate;
import java.util.Set;

/** Compiles expressions with the library. Thread-safe. */
final class ExpressionCompiler {
    private static final int MAX_LENGTH = 4_096;
    static final int MAX_DEPTH = 32;
    static final int MAX_ITERATIONS = 1_000;

    private static final CelOptions OPTIONS =
            CelOptions.current()
                    .maxExpressionCodePointSize(MAX_LENGTH)
                    .maxParseRecursionDepth(MAX_DEPTH)
                    .comprehensionMaxIterations(MAX_ITERATIONS)
                    .maxRegexProgramSize(MAX_ITERATIONS)
                    .enableHeterogeneousNumericComparisons(true)
                    // Variables of rules are called var.
                    .enableReservedIds(false)
                    .build();

    /** Values of all phases: which ones an expression can read is checked first. */
    private static final CelCompiler COMPILER = compiler();

    private final ExpressionFunctions functions = new ExpressionFunctions();
    private final CelRuntime runtime =
            CelRuntimeFactory.plannerRuntimeBuilder()
                    .setOptions(OPTIONS)
                    .setStandardFunctions(ExpressionFunctions.standardFunctions())
                    .addLibraries(ExpressionFunctions.strings())
                    .addFunctionBindings(functions.bindings())
                    .build();

    private static CelCompiler compiler() {
        var builder =
                CelCompilerFactory.standardCelCompilerBuilder()
                        .setOptions(OPTIONS)
                        .setStandardEnvironmentEnabled(false)
                        .setStandardDeclarations(ExpressionFunctions.standardDeclarations())
                        .setStandardMacros(
                                CelStandardMacro.HAS,
                                CelStandardMacro.ALL,
                                CelStandardMacro.EXISTS,
                                CelStandardMacro.EXISTS_ONE,
                                CelStandardMacro.MAP,
                                CelStandardMacro.MAP_FILTER,
                                CelStandardMacro.FILTER)
                        .addLibraries(ExpressionFunctions.strings())
                        .addFunctionDeclarations(ExpressionFunctions.own());
        for (var value : ExpressionValue.values()) {
            builder.addVar(value.text(), value.type());
        }
        return builder.build();
    }

    Condition condition(String expression, Phase phase) throws SyntaxError {
        return compiled(expression, phase, Set.of(SimpleType.BOOL), "a bool");
    }

    TextTemplate.Part part(String expression, Phase phase, boolean isInUrl) throws SyntaxError {
        var types = Set.<CelType>of(SimpleType.STRING, SimpleType.INT, SimpleType.BOOL);
        var compiled =
                compiled(expression, phase, types, "a string, int or bool; string(...) converts");
        return new ExpressionPart(compiled, isInUrl);
    }

    private CompiledExpression compiled(
            String expression, Phase phase, Set<CelType> types, String expected)
            throws SyntaxError {
        if (expression.length() > MAX_LENGTH) {
            throw new SyntaxError(
                    MAX_LENGTH,
                    "is " + expression.length() + " characters long",
                    "at most " + MAX_LENGTH);
        }
        if (expression.isBlank()) {
            throw new SyntaxError(0, "is empty", "an expression");
        }
        try {
            var parsed = tree(COMPILER.parse(expression), expression);
            var reads = ExpressionReads.of(expression, parsed, phase, functions);
            var checked = tree(COMPILER.check(parsed), expression);
            var type = checked.getResultType();
            if (!types.contains(type)) {
                throw new SyntaxError(0, "has a result of type " + type.name(), expected);
            }
            return new CompiledExpression(
                    runtime.createProgram(checked),
                    reads.inputs(),
                    reads.variables(),
                    reads.headers());
        } catch (CelEvaluationException | RuntimeException e) {
            // The library has no other documented errors; a configuration must not stop the proxy.
            throw new SyntaxError(
                    0,
                    "cannot be compiled (" + e.getClass().getSimpleName() + ")",
                    "an expression");
        }
    }

    private static CelAbstractSyntaxTree tree(CelValidationResult result, String expression)
            throws SyntaxError {
        try {
            return result.getAst();
        } catch (CelValidationException e) {
            throw LibraryErrors.syntaxError(e, expression);
        }
    }
}
