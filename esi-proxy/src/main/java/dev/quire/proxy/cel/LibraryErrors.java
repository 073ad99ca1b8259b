package dev.quire.proxy.cel;

import dev.cel.common.CelIssue;
import dev.cel.common.CelValidationException;
import dev.cel.runtime.CelEvaluationException;
import dev.quire.core.rule.RuleError;
import dev.quire.core.rule.TemplateParser.SyntaxError;
import java.util.regex.Pattern;

/** Errors of the library, in our terms. */
final class LibraryErrors {
    private static final Pattern NO_OVERLOAD =
            Pattern.compile(
                    "found no matching overload for '(.+?)' applied to '(.*?)' \\(candidates: (.*)\\)",
                    Pattern.DOTALL);
    private static final int MAX_LENGTH = 200;

    private LibraryErrors() {}

    /** Returns the first error. */
    static SyntaxError syntaxError(CelValidationException error, String expression) {
        var issues = error.getErrors();
        if (issues.isEmpty()) {
            return new SyntaxError(0, "is not an expression", "an expression");
        }
        var issue = issues.getFirst();
        return described(index(issue, expression), issue.getMessage());
    }

    private static SyntaxError described(int index, String message) {
        if (message.contains("recursion limit")) {
            return new SyntaxError(
                    index,
                    "is nested too deeply",
                    "at most " + ExpressionCompiler.MAX_DEPTH + " levels");
        }
        var overload = NO_OVERLOAD.matcher(message);
        if (overload.matches()) {
            var candidates = types(overload.group(3));
            return new SyntaxError(
                    index,
                    "applies " + symbol(overload.group(1)) + " to " + types(overload.group(2)),
                    candidates.equals("(any, any)")
                            ? "two values of the same type"
                            : "one of " + cut(candidates));
        }
        int alternatives = message.indexOf(" expecting ");
        return new SyntaxError(
                index,
                "is not valid: "
                        + cut(alternatives < 0 ? message : message.substring(0, alternatives)),
                "an expression such as path.startsWith(\"/a/\")");
    }

    /** The location is a line from 1 and a code point in it from 0. */
    private static int index(CelIssue issue, String expression) {
        int line = issue.getSourceLocation().getLine();
        int start = 0;
        for (int i = 1; i < line; i++) {
            int end = expression.indexOf('\n', start);
            if (end < 0) {
                break;
            }
            start = end + 1;
        }
        int column = Math.max(0, issue.getSourceLocation().getColumn());
        return start + ExpressionReads.indexOf(expression.substring(start), column);
    }

    /** {@code _==_} as it is written. */
    private static String symbol(String function) {
        return function.startsWith("@") ? function.substring(1) : function.replace("_", "");
    }

    private static String types(String text) {
        return text.replaceAll("%[A-Z]\\d*", "any").replace("),(", "), (");
    }

    private static String cut(String text) {
        return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + " ...";
    }

    /** Returns the error without text of the request. */
    static RuleError ruleError(CelEvaluationException error) {
        return new RuleError(
                switch (error.getErrorCode()) {
                    case DIVIDE_BY_ZERO -> "a division by zero";
                    case NUMERIC_OVERFLOW -> "a number is too large";
                    case INDEX_OUT_OF_BOUNDS -> "an index is out of bounds";
                    case ATTRIBUTE_NOT_FOUND -> "a map has no such key";
                    case DUPLICATE_ATTRIBUTE -> "a map has a key twice";
                    case ITERATION_BUDGET_EXCEEDED -> "there are too many iterations";
                    case INVALID_ARGUMENT, BAD_FORMAT -> "an argument is not valid";
                    case OVERLOAD_NOT_FOUND, AMBIGUOUS_OVERLOAD, TYPE_NOT_FOUND ->
                            "a value has a wrong type";
                    case INTERNAL_ERROR -> "the expression has no result";
                });
    }
}
