package dev.quire.core.expression;

import dev.quire.core.expression.Expression.Relation;
import dev.quire.core.expression.Expression.Sign;
import dev.quire.core.expression.Value.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A parser for expressions and for text with references. Recursive descent, one method for each
 * rule of {@link Expression}'s grammar; never deeper than {@value #MAX_DEPTH}.
 */
public final class ExpressionParser {

    /*
     * Text is full of dollar signs that begin no reference, and a quoted string may hold some too.
     * So a reference is tried, and if it is malformed, its dollar sign is an ordinary char. To keep
     * unterminated references linear, `wasted` sums the chars read by failed attempts; above a
     * share of the text length no further reference is tried.
     *
     * RAW_ is removed from names here; later stages only see the flag.
     */

    /** The maximum nesting of parentheses, lists and calls. */
    public static final int MAX_DEPTH = 100;

    private static final int WASTE_FOR_FREE = 1 << 16;
    private static final int WASTE_SHARE = 4;
    private static final String RAW_STRING = "'''";
    private static final String RAW_PREFIX = "RAW_";
    private static final int MAX_NAME = 256;
    private static final Expression FALSE = new Expression.Literal(Value.Bool.FALSE);
    private static final Expression TRUE = new Expression.Literal(Value.Bool.TRUE);

    /**
     * The result of parsing an expression.
     *
     * @param expression null if it is malformed
     * @param problem the error or warning with its position, or null
     */
    public record ParseResult(@Nullable Expression expression, @Nullable String problem) {}

    /** Aborts the parsing of an expression or reference; caught where that began. */
    private static final class Unreadable extends Exception {
        private final int at;

        Unreadable(String expected, int at) {
            super(expected, null, false, false);
            this.at = at;
        }
    }

    private final String text;
    private final Dialect dialect;
    private final PatternAllowance patterns;
    private int at;
    private int depth;
    private long wasted;
    private @Nullable String doubt;

    ExpressionParser(String text, Dialect dialect, PatternAllowance patterns) {
        this.text = text;
        this.dialect = dialect;
        this.patterns = patterns;
    }

    /** Parses all of {@code text} as an expression. */
    public static ParseResult expression(String text, Dialect dialect) {
        return expression(text, dialect, new PatternAllowance());
    }

    /**
     * Parses all of {@code text} as an expression.
     *
     * @param patterns the budget of the page
     */
    public static ParseResult expression(String text, Dialect dialect, PatternAllowance patterns) {
        var parser = new ExpressionParser(text, dialect, patterns);
        try {
            var expression = parser.or();
            parser.blanks();
            if (parser.at < text.length()) {
                throw parser.unreadable("expected an operator or the end");
            }
            return new ParseResult(expression, parser.doubt);
        } catch (Unreadable e) {
            return new ParseResult(null, at(e.at, String.valueOf(e.getMessage())));
        }
    }

    /**
     * Parses an attribute value with references; other text stays unchanged.
     *
     * @param functions names of the page's own functions, in addition to the built-in ones
     */
    public static Template template(String text, Set<String> functions, Dialect dialect) {
        return template(text, functions, dialect, new PatternAllowance());
    }

    /**
     * Parses an attribute value with references; other text stays unchanged.
     *
     * @param functions names of the page's own functions, in addition to the built-in ones
     * @param patterns the budget of the page
     */
    public static Template template(
            String text, Set<String> functions, Dialect dialect, PatternAllowance patterns) {
        var pieces = new ArrayList<Expression>();
        var verbatim = new StringBuilder();
        for (var piece : Interpolation.of(text, functions, dialect, patterns).pieces()) {
            switch (piece) {
                case Interpolation.Piece.Verbatim same ->
                        verbatim.append(text, same.start(), same.end());
                case Interpolation.Piece.Reference reference -> {
                    flush(verbatim, pieces);
                    pieces.add(reference.expression());
                }
            }
        }
        flush(verbatim, pieces);
        return new Template(pieces);
    }

    int at() {
        return at;
    }

    /** Parses the {@code $(...)} at the dollar sign at {@code start}; returns null if malformed. */
    @Nullable Expression variableAt(int start) {
        return attempt(start, false);
    }

    /**
     * Parses the {@code $name(...)} at the dollar sign at {@code start}; returns null if malformed.
     */
    @Nullable Expression callAt(int start) {
        return attempt(start, true);
    }

    private @Nullable Expression attempt(int start, boolean isCall) {
        if (wasted > WASTE_FOR_FREE + text.length() / WASTE_SHARE) {
            return null;
        }
        int before = at;
        int depthBefore = depth;
        at = start;
        try {
            return isCall ? call() : variable();
        } catch (Unreadable e) {
            wasted += Math.max(at, e.at) - start + 1;
            at = before;
            depth = depthBefore;
            return null;
        }
    }

    private Expression or() throws Unreadable {
        var first = and();
        if (!takeOperator("||", "|")) {
            return first;
        }
        var operands = new ArrayList<Expression>(List.of(first));
        do {
            operands.add(and());
        } while (takeOperator("||", "|"));
        return new Expression.Or(operands);
    }

    private Expression and() throws Unreadable {
        var first = not();
        if (!takeOperator("&&", "&")) {
            return first;
        }
        var operands = new ArrayList<Expression>(List.of(first));
        do {
            operands.add(not());
        } while (takeOperator("&&", "&"));
        return new Expression.And(operands);
    }

    private Expression not() throws Unreadable {
        int count = 0;
        blanks();
        while (isAt('!')) {
            count++;
            at++;
            blanks();
        }
        var operand = comparison();
        if (count == 0) {
            return operand;
        }
        // Two negations convert to a truth value; further pairs change nothing.
        var once = new Expression.Not(operand);
        return count % 2 == 1 ? once : new Expression.Not(once);
    }

    private Expression comparison() throws Unreadable {
        var left = arithmetic();
        var match = matchOperator();
        if (match != null) {
            return match(match, left);
        }
        var relation = relation();
        return relation == null ? left : new Expression.Comparison(relation, left, arithmetic());
    }

    private @Nullable Relation relation() {
        if (take("==")) {
            return Relation.EQUAL;
        }
        if (take("!=")) {
            return Relation.NOT_EQUAL;
        }
        if (take("<=")) {
            return Relation.LESS_OR_EQUAL;
        }
        if (take("<")) {
            return Relation.LESS;
        }
        if (take(">=")) {
            return Relation.GREATER_OR_EQUAL;
        }
        if (take(">")) {
            return Relation.GREATER;
        }
        if (takeWord("has")) {
            return Relation.HAS;
        }
        return takeWord("has_i") ? Relation.HAS_IGNORING_CASE : null;
    }

    private SearchPattern.@Nullable Kind matchOperator() {
        blanks();
        if (take("=~")) {
            return SearchPattern.Kind.DELIMITED;
        }
        if (takeWord("matches")) {
            return SearchPattern.Kind.EXPRESSION;
        }
        return takeWord("matches_i") ? SearchPattern.Kind.EXPRESSION_IGNORING_CASE : null;
    }

    /**
     * Compiles a constant pattern here, within the page's budget; an invalid one matches nothing.
     */
    private Expression match(SearchPattern.Kind kind, Expression left) throws Unreadable {
        blanks();
        int start = at;
        var pattern = arithmetic();
        var fixed = fixedText(pattern);
        if (fixed == null || !patterns.take(SearchPattern.size(fixed))) {
            return new Expression.Match(kind, left, pattern, Optional.empty());
        }
        var compiled = SearchPattern.compiled(fixed, kind);
        if (compiled.pattern() == null) {
            doubt(start, String.valueOf(compiled.problem()));
            return FALSE;
        }
        return new Expression.Match(kind, left, pattern, Optional.of(compiled.pattern()));
    }

    private static @Nullable String fixedText(Expression pattern) {
        return switch (pattern) {
            case Expression.Literal(Value.Text word) -> word.text();
            case Expression.Quoted(var pieces) when pieces.isEmpty() -> "";
            case Expression.Quoted(var pieces) when pieces.size() == 1 ->
                    pieces.getFirst() instanceof Expression.Literal(Value.Text quoted)
                            ? quoted.text()
                            : null;
            default -> null;
        };
    }

    private Expression arithmetic() throws Unreadable {
        var first = primary();
        var steps = new ArrayList<Expression.Step>(0);
        boolean hasSum = false;
        for (var sign = sign(); sign != null; sign = sign()) {
            boolean isSum = sign == Sign.ADD || sign == Sign.SUBTRACT;
            if (hasSum && !isSum) {
                doubt(at - 1, "this operator applies to the whole sum before it; use parentheses");
            }
            hasSum |= isSum;
            steps.add(new Expression.Step(sign, primary()));
        }
        return steps.isEmpty() ? first : new Expression.Arithmetic(first, steps);
    }

    private @Nullable Sign sign() {
        blanks();
        if (at == text.length()) {
            return null;
        }
        var sign =
                switch (text.charAt(at)) {
                    case '*' -> Sign.MULTIPLY;
                    case '/' -> Sign.DIVIDE;
                    case '%' -> Sign.MODULO;
                    case '+' -> Sign.ADD;
                    case '-' -> Sign.SUBTRACT;
                    default -> null;
                };
        if (sign != null) {
            at++;
        }
        return sign;
    }

    private Expression primary() throws Unreadable {
        blanks();
        if (at == text.length()) {
            throw unreadable("expected a value");
        }
        char c = text.charAt(at);
        return switch (c) {
            case '(' -> parentheses();
            case '[' -> list();
            case '{' -> dictionary();
            case '\'', '"' -> string();
            case '$' -> at + 1 < text.length() && text.charAt(at + 1) == '(' ? variable() : call();
            case '+', '-' -> number();
            default -> {
                if (Ascii.isDigit(c)) {
                    yield number();
                }
                if (isWordStart(c)) {
                    yield word();
                }
                throw unreadable("expected a value");
            }
        };
    }

    private Expression parentheses() throws Unreadable {
        enter();
        at++;
        var inner = or();
        expect(')');
        depth--;
        return inner;
    }

    private Expression list() throws Unreadable {
        enter();
        at++;
        var items = new ArrayList<Expression>();
        blanks();
        if (!isAt(']')) {
            items.add(or());
            if (take("..")) {
                var to = or();
                expect(']');
                depth--;
                return new Expression.Range(items.getFirst(), to);
            }
            while (take(",")) {
                items.add(or());
            }
        }
        expect(']');
        depth--;
        return new Expression.ListOf(items);
    }

    private Expression dictionary() throws Unreadable {
        enter();
        at++;
        var entries = new ArrayList<Expression.Entry>();
        blanks();
        if (!isAt('}')) {
            do {
                var key = or();
                expect(':');
                entries.add(new Expression.Entry(key, or()));
            } while (take(","));
        }
        expect('}');
        depth--;
        return new Expression.DictionaryOf(entries);
    }

    private Expression call() throws Unreadable {
        enter();
        at++;
        var name = name();
        if (!isAt('(')) {
            throw unreadable("expected '('");
        }
        at++;
        var arguments = new ArrayList<Expression>();
        blanks();
        if (!isAt(')')) {
            do {
                arguments.add(or());
            } while (take(","));
        }
        expect(')');
        depth--;
        return new Expression.Call(name, arguments);
    }

    private Expression variable() throws Unreadable {
        enter();
        at += 2;
        var name = name();
        boolean isRaw = name.startsWith(RAW_PREFIX) && name.length() > RAW_PREFIX.length();
        Optional<Expression> key = Optional.empty();
        if (isAt('{')) {
            at++;
            key = Optional.of(key());
            if (!isAt('}')) {
                throw unreadable("expected '}'");
            }
            at++;
        }
        Optional<Expression> fallback = Optional.empty();
        if (isAt('|')) {
            at++;
            fallback = Optional.of(fallback());
        }
        if (!isAt(')')) {
            throw unreadable("expected ')'");
        }
        at++;
        depth--;
        return new Expression.Variable(
                isRaw ? name.substring(RAW_PREFIX.length()) : name, isRaw, key, fallback);
    }

    private Expression key() throws Unreadable {
        if (isAt('\'') || isAt('"')) {
            return string();
        }
        if (isReference()) {
            return variable();
        }
        int start = at;
        while (at < text.length() && "{}$|,\"'".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return literal(text.substring(start, at));
    }

    private Expression fallback() throws Unreadable {
        if (isAt('\'') || isAt('"')) {
            return string();
        }
        if (isReference()) {
            return variable();
        }
        int start = at;
        while (at < text.length() && isFallbackChar(text.charAt(at))) {
            at++;
        }
        var word = text.substring(start, at);
        return Numbers.isNumber(word) ? numeric(word) : literal(word);
    }

    private static boolean isFallbackChar(char c) {
        return !Ascii.isBlank(c) && c != '(' && c != ')' && c != '$';
    }

    private Expression string() throws Unreadable {
        if (text.startsWith(RAW_STRING, at)) {
            return rawString();
        }
        int start = at;
        char quote = text.charAt(at++);
        var pieces = new ArrayList<Expression>(1);
        var chars = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == quote) {
                at++;
                flush(chars, pieces);
                return new Expression.Quoted(pieces);
            }
            if (c == '\\' && at + 1 < text.length()) {
                escaped(chars);
            } else {
                var reference = isReference() ? variableAt(at) : null;
                if (reference == null) {
                    chars.append(c);
                    at++;
                } else {
                    flush(chars, pieces);
                    pieces.add(reference);
                }
            }
        }
        throw new Unreadable("the string is not closed", start);
    }

    /** A backslash only escapes a char that would otherwise be special in a string. */
    private void escaped(StringBuilder chars) {
        char next = text.charAt(at + 1);
        boolean goes =
                switch (dialect) {
                    case AKAMAI -> true;
                    case STANDARD -> next == '\'' || next == '"' || next == '\\' || next == '$';
                };
        if (!goes) {
            chars.append('\\');
        }
        chars.append(next);
        at += 2;
    }

    private Expression rawString() throws Unreadable {
        int start = at + RAW_STRING.length();
        int end = text.indexOf(RAW_STRING, start);
        if (end < 0) {
            throw unreadable("the raw string is not closed");
        }
        at = end + RAW_STRING.length();
        return new Expression.Quoted(
                end == start ? List.of() : List.of(literal(text.substring(start, end))));
    }

    /** Digits that do not form a number, such as {@code 3.01.23}, are a word. */
    private Expression number() throws Unreadable {
        int start = at;
        boolean isSigned = !Ascii.isDigit(text.charAt(at));
        if (isSigned) {
            at++;
        }
        int digits = at;
        while (at < text.length() && isNumberChar()) {
            at++;
        }
        var word = text.substring(text.charAt(start) == '+' ? digits : start, at);
        if (Numbers.isNumber(word)) {
            return numeric(word);
        }
        if (isSigned) {
            throw new Unreadable("expected a number", start);
        }
        return literal(word);
    }

    private boolean isNumberChar() {
        char c = text.charAt(at);
        return Ascii.isNameChar(c)
                || (c == '.' && at + 1 < text.length() && Ascii.isNameChar(text.charAt(at + 1)));
    }

    private static Expression numeric(String number) {
        var integer = Numbers.integer(number);
        return new Expression.Literal(
                integer.isPresent()
                        ? new Value.Int(integer.getAsLong(), Source.AUTHOR)
                        : new Value.Decimal(number, Value.Source.AUTHOR));
    }

    private Expression word() throws Unreadable {
        int start = at;
        while (at < text.length() && isWordChar()) {
            at++;
        }
        var word = text.substring(start, at);
        return switch (word) {
            case "true" -> TRUE;
            case "false" -> FALSE;
            case "has", "has_i", "matches", "matches_i" ->
                    throw new Unreadable("expected a value", start);
            default -> literal(word);
        };
    }

    private static boolean isWordStart(char c) {
        return Ascii.isLetter(c) || c == '_' || c >= 0x80;
    }

    /**
     * Dots and hyphens are part of a word only inside it, so that ranges and differences end it.
     */
    private boolean isWordChar() {
        char c = text.charAt(at);
        if (isWordStart(c) || Ascii.isDigit(c)) {
            return true;
        }
        if ((c != '-' && c != '.') || at + 1 == text.length()) {
            return false;
        }
        char next = text.charAt(at + 1);
        return isWordStart(next) || Ascii.isDigit(next);
    }

    private String name() throws Unreadable {
        int start = at;
        while (at < text.length() && Ascii.isNameChar(text.charAt(at))) {
            at++;
        }
        if (at == start || Ascii.isDigit(text.charAt(start)) || at - start > MAX_NAME) {
            throw new Unreadable("expected a name", start);
        }
        return text.substring(start, at);
    }

    private static Expression literal(String text) {
        return new Expression.Literal(new Value.Text(text, Source.AUTHOR));
    }

    private static void flush(StringBuilder chars, List<Expression> pieces) {
        if (!chars.isEmpty()) {
            pieces.add(literal(chars.toString()));
            chars.setLength(0);
        }
    }

    private boolean isReference() {
        return text.startsWith("$(", at);
    }

    private boolean isAt(char c) {
        return at < text.length() && text.charAt(at) == c;
    }

    private void blanks() {
        while (at < text.length() && Ascii.isBlank(text.charAt(at))) {
            at++;
        }
    }

    private boolean take(String sign) {
        blanks();
        if (!text.startsWith(sign, at)) {
            return false;
        }
        at += sign.length();
        return true;
    }

    private boolean takeOperator(String twice, String once) {
        return take(twice) || take(once);
    }

    private boolean takeWord(String word) {
        int end = at + word.length();
        boolean isHere =
                text.startsWith(word, at)
                        && (end == text.length() || !Ascii.isNameChar(text.charAt(end)));
        if (isHere) {
            at = end;
        }
        return isHere;
    }

    private void expect(char c) throws Unreadable {
        blanks();
        if (!isAt(c)) {
            throw unreadable("expected '" + c + "'");
        }
        at++;
    }

    private void enter() throws Unreadable {
        if (++depth > MAX_DEPTH) {
            throw unreadable("values are nested more than " + MAX_DEPTH + " levels deep");
        }
    }

    private void doubt(int where, String what) {
        if (doubt == null) {
            doubt = at(where, what);
        }
    }

    private Unreadable unreadable(String expected) {
        return new Unreadable(expected, at);
    }

    private static String at(int where, String what) {
        return what + ", at character " + (where + 1) + " of the value";
    }
}
