package dev.quire.proxy.config;

import dev.quire.core.expression.SearchPattern;
import dev.quire.core.http.FieldSyntax;
import dev.quire.core.http.Scheme;
import dev.quire.core.rule.Condition;
import dev.quire.core.rule.ConditionCompiler;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.Matchers.StatusRange;
import dev.quire.core.rule.PathPattern;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.TemplateParser;
import dev.quire.core.rule.TemplateParser.SyntaxError;
import dev.quire.core.rule.TextPattern;
import dev.quire.core.rule.TextTemplate;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** The values of matchers and actions in rules. */
final class RuleTexts {
    private static final Pattern STATUS =
            Pattern.compile("([2-5])xx|([2-5]\\d\\d)(-([2-5]\\d\\d))?");

    /** A pattern for paths: a glob, or an expression that is searched in the decoded path. */
    sealed interface PathMatch {
        record Glob(String text, PathPattern pattern) implements PathMatch {
            @Override
            public String toString() {
                return text;
            }
        }

        record Search(TextPattern pattern) implements PathMatch {
            @Override
            public String toString() {
                return pattern.toString();
            }
        }
    }

    static final ValueParser<PathMatch> PATH =
            ValueParser.compiled(
                    "path pattern",
                    "a path such as /news/** or /**.css, or ~ and a regular expression",
                    text -> {
                        if (text.startsWith("~")) {
                            return new PathMatch.Search(pattern(text, false));
                        }
                        if (!text.startsWith("/")) {
                            throw new SyntaxError(
                                    0,
                                    "'" + text + "' does not begin with / or ~",
                                    "a path such as /news/** or /**.css, or ~ and a regular"
                                            + " expression");
                        }
                        int wrong = firstOutside(text);
                        if (wrong >= 0) {
                            throw new SyntaxError(
                                    wrong,
                                    "contains '" + text.charAt(wrong) + "'",
                                    "a path without query, spaces and braces, other bytes"
                                            + " percent-encoded");
                        }
                        return new PathMatch.Glob(text, new PathPattern(text));
                    });

    static final ValueParser<HostPattern> HOST =
            ValueParser.HOST_PATTERN.map(HostPattern::new).writing(HostPattern::text);

    static final ValueParser<String> METHOD =
            ValueParser.scalar(
                    "method",
                    "a method such as GET, in upper case",
                    "[A-Z][A-Z-]{0,31}",
                    text ->
                            Optional.of(text)
                                    .filter(it ->
                                            it.length() <= 32
                                                    && FieldSyntax.isToken(it)
                                                    && it.chars()
                                                            .allMatch(c ->
                                                                    c == '-'
                                                                            || (c >= 'A'
                                                                                    && c <= 'Z'))
                                                    && it.charAt(0) != '-'));

    static final ValueParser<Scheme> SCHEME = ValueParser.oneOf(Scheme.class);

    static final ValueParser<StatusRange> STATUSES =
            ValueParser.scalar(
                            "status",
                            "a status such as 404, a class such as 5xx, or a range such as 500-504",
                            "[2-5]([0-9][0-9](-[2-5][0-9][0-9])?|xx)",
                            RuleTexts::statuses)
                    .writing(range ->
                            range.first() == range.last()
                                    ? String.valueOf(range.first())
                                    : range.first() + "-" + range.last());

    static final ValueParser<String> OUTCOME =
            ValueParser.matching(
                    "outcome",
                    "hit, stale, miss, revalidate, pass, decline, rule, error or none",
                    "hit|stale|miss|revalidate|pass|decline|rule|error|none",
                    text ->
                            Optional.of(text)
                                    .filter(
                                            List.of(
                                                            "hit",
                                                            "stale",
                                                            "miss",
                                                            "revalidate",
                                                            "pass",
                                                            "decline",
                                                            "rule",
                                                            "error",
                                                            "none")
                                                    ::contains));

    /** A text, regardless of case: media types and names of fields. */
    static final ValueParser<TextPattern> ANY_CASE = patterns(true);

    static final ValueParser<TextPattern> TEXT = patterns(false);

    /** A regular expression that is searched in the path as it came. */
    static final ValueParser<TextPattern> SEARCH =
            ValueParser.compiled(
                            "expression",
                            "a regular expression (RE2), such as ^/blog/(.*)$",
                            text ->
                                    text.startsWith("~")
                                            ? pattern(text, false)
                                            : pattern("~" + text, false, 0))
                    .writing(pattern -> pattern.toString().substring(1));

    /** The name of a variable. */
    static final ValueParser<String> VARIABLE =
            ValueParser.matching(
                    "name",
                    "a letter, then letters, digits and _, at most 64 characters",
                    "[A-Za-z][A-Za-z0-9_]{0,63}",
                    text ->
                            Optional.of(text)
                                    .filter(it -> it.matches("[A-Za-z][A-Za-z0-9_]{0,63}")));

    /** The name of a field that is read. */
    static final ValueParser<String> FIELD =
            ValueParser.scalar(
                    "field",
                    "the name of a field, such as User-Agent",
                    "[!#$%&'*+.^_`|~0-9A-Za-z-]+",
                    text -> Optional.of(text).filter(FieldSyntax::isToken));

    private RuleTexts() {}

    private static ValueParser<TextPattern> patterns(boolean ignoresCase) {
        return ValueParser.compiled(
                "pattern",
                "text in which * matches any characters, or ~ and a regular expression (RE2)",
                text -> pattern(text, ignoresCase));
    }

    private static TextPattern pattern(String text, boolean ignoresCase) throws SyntaxError {
        return pattern(text, ignoresCase, 1);
    }

    private static TextPattern pattern(String text, boolean ignoresCase, int offset)
            throws SyntaxError {
        try {
            return TextPattern.of(text, ignoresCase);
        } catch (SearchPattern.InvalidPattern e) {
            throw new SyntaxError(
                    e.index() + offset,
                    "has a wrong regular expression: " + e.getMessage(),
                    "a regular expression (RE2) of at most "
                            + TextPattern.MAX_SIZE
                            + " instructions");
        }
    }

    private static int firstOutside(String path) {
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c <= ' ' || c >= 0x7f || "?#{}".indexOf(c) >= 0) {
                return i;
            }
        }
        return -1;
    }

    private static Optional<StatusRange> statuses(String text) {
        var found = STATUS.matcher(text);
        if (!found.matches()) {
            return Optional.empty();
        }
        if (found.group(1) != null) {
            int first = Integer.parseInt(found.group(1)) * 100;
            return Optional.of(new StatusRange(first, first + 99));
        }
        int first = Integer.parseInt(found.group(2));
        int last = found.group(4) == null ? first : Integer.parseInt(found.group(4));
        return Optional.of(new StatusRange(first, last)).filter(range -> first <= last);
    }

    /** The name of a field to which rules of {@code phase} may add a line. */
    static ValueParser<String> extensibleField(Phase phase) {
        var open = openField(phase, true);
        return ValueParser.compiled(
                "field",
                open.expected(),
                name -> {
                    var fault = open.fault().apply(name);
                    if (fault.isPresent() && phase.isClosedToMore(name)) {
                        throw fault.get();
                    }
                    return name;
                });
    }

    /** The names of one mapping: two that differ in case only are one field. */
    static ValueParser<String> once(ValueParser<String> names) {
        var first = new HashMap<String, String>();
        return ValueParser.compiled(
                "field",
                names.expected(),
                name -> {
                    var fault = names.fault().apply(name);
                    if (fault.isPresent()) {
                        throw fault.get();
                    }
                    var other = first.putIfAbsent(name.toLowerCase(Locale.ROOT), name);
                    if (other != null && !other.equals(name)) {
                        throw new SyntaxError(
                                0, "is the same field as '" + other + "'", "each field once");
                    }
                    return name;
                });
    }

    /** The name of a field that rules of {@code phase} may change. */
    static ValueParser<String> openField(Phase phase, boolean isWritten) {
        return ValueParser.compiled(
                "field",
                "the name of a field that rules may change, such as X-Device",
                name -> {
                    if (!FieldSyntax.isToken(name)) {
                        throw new SyntaxError(
                                0, "is not the name of a field", "a name such as X-Device");
                    }
                    refuseClosed(phase, name);
                    if (isWritten && phase == Phase.RESPONSE && isCookie(name)) {
                        throw new SyntaxError(
                                0,
                                "would be stored and sent to all clients",
                                "a rule of deliver that sets it");
                    }
                    return name;
                });
    }

    private static void refuseClosed(Phase phase, String name) throws SyntaxError {
        if (phase.isClosed(name)) {
            throw new SyntaxError(
                    0,
                    "is closed to rules of " + phase.key(),
                    phase == Phase.REQUEST && name.equalsIgnoreCase("host")
                            ? "host: TEMPLATE"
                            : "a field that is not hop-by-hop, framing, or set by the proxy");
        }
    }

    private static boolean isCookie(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        return lower.equals("set-cookie") || lower.equals("set-cookie2");
    }

    /** A pattern for the names of fields that rules of {@code phase} remove. */
    static ValueParser<TextPattern> removedFields(Phase phase) {
        return ValueParser.compiled(
                "pattern",
                "the name of a field, in which * matches any characters",
                text -> {
                    if (!FieldSyntax.isToken(text)) {
                        throw new SyntaxError(
                                0,
                                "'" + text + "' is not the name of a field",
                                "a name such as Server or X-Debug-*");
                    }
                    refuseClosed(phase, text);
                    return TextPattern.of(text, true);
                });
    }

    /** A condition with its text. */
    record Expression(String text, Condition condition) {
        @Override
        public String toString() {
            return text;
        }
    }

    /** A condition that is an expression. */
    static ValueParser<Expression> condition(ConditionCompiler conditions, Phase phase) {
        return ValueParser.compiled(
                "expression",
                "an expression (CEL) that is true or false",
                text -> {
                    var condition = conditions.compile(text, phase);
                    for (var input : condition.inputs()) {
                        if (!phase.reads(input)) {
                            throw new SyntaxError(
                                    0,
                                    "reads " + phase.unreadable(input),
                                    "a value of " + phase.readable());
                        }
                    }
                    return new Expression(text, condition);
                });
    }

    /** A check of a template that can be parsed. */
    private interface TemplateCheck {
        void check(String text, TextTemplate template, String expected) throws SyntaxError;
    }

    private static ValueParser<TextTemplate> template(
            TemplateParser parser, boolean isInUrl, String expected, TemplateCheck check) {
        return ValueParser.compiled(
                "template",
                expected,
                text -> {
                    var template = parser.parse(text, isInUrl);
                    check.check(text, template, expected);
                    return template;
                });
    }

    /** A template for text. */
    static ValueParser<TextTemplate> template(TemplateParser parser) {
        return template(
                parser,
                false,
                "text, in which {NAME} is a value and {{ a brace",
                (text, template, expected) -> {});
    }

    /** A template for the value of a field. */
    static ValueParser<TextTemplate> fieldValue(TemplateParser parser) {
        return template(
                parser,
                false,
                "the value of a field, in which {NAME} is a value and {{ a brace",
                (text, template, expected) -> {
                    if (!template.literals().stream().allMatch(FieldSyntax::isValue)) {
                        throw new SyntaxError(0, "invalid value '" + text + "'", expected);
                    }
                });
    }

    /** A template for a URL or an absolute path. */
    static ValueParser<TextTemplate> location(TemplateParser parser) {
        return template(
                parser,
                true,
                "a URL with http or https, or a path, in which {NAME} is a value",
                (text, template, expected) -> {
                    boolean isLocation =
                            text.startsWith("/")
                                    || text.startsWith("http://")
                                    || text.startsWith("https://")
                                    || text.startsWith("{");
                    if (!isLocation || !text.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
                        throw new SyntaxError(0, "is not a URL or an absolute path", expected);
                    }
                });
    }

    /** A template for a path. */
    static ValueParser<TextTemplate> path(TemplateParser parser) {
        return template(
                parser,
                true,
                "a path without query, in which {NAME} is a value",
                (text, template, expected) -> {
                    if (!text.startsWith("/") && !text.startsWith("{")) {
                        throw new SyntaxError(0, "does not begin with /", expected);
                    }
                    if (template.constant().filter(path -> firstOutside(path) >= 0).isPresent()) {
                        throw new SyntaxError(firstOutside(text), "is not a path", expected);
                    }
                });
    }

    /** A template for a host. */
    static ValueParser<TextTemplate> host(TemplateParser parser) {
        return template(
                parser,
                false,
                "HOST or HOST:PORT, in which {NAME} is a value",
                (text, template, expected) -> {
                    var host = template.constant();
                    if (host.isPresent()
                            && ValueParser.AUTHORITY.reading().apply(host.get()).isEmpty()) {
                        throw new SyntaxError(0, "invalid value '" + text + "'", expected);
                    }
                });
    }
}
