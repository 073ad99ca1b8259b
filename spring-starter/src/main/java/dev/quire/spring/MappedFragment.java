package dev.quire.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.util.StringUtils;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.util.UriUtils;

/**
 * A handler with a policy, where it answers, and what it wants to be told.
 *
 * @param policy what is declared about its responses
 * @param variants names of the variants it declares to differ by
 * @param routes methods, if they are restricted, and path pattern of each: {@code GET
 *     /fragments/live}
 * @param path the first of the path patterns that GET leads to; empty if it cannot be read
 * @param arguments the variables of that path, then the parameters of the query
 */
public record MappedFragment(
        FragmentPolicy policy,
        List<String> variants,
        List<String> routes,
        Optional<String> path,
        List<Argument> arguments) {

    private static final Pattern VARIABLE = Pattern.compile("\\{\\*?([^:}]+)[^}]*}");

    public MappedFragment {
        variants = List.copyOf(variants);
        routes = List.copyOf(routes);
        arguments = List.copyOf(arguments);
    }

    /**
     * What a handler wants to be told.
     *
     * @param value as {@code quire.dev.samples} has it, else as the mapping or the handler has it;
     *     empty if nobody says
     * @param isRequired whether there is no response without it
     * @param isInPath whether it stands in the path, not in the query
     */
    public record Argument(String name, String value, boolean isRequired, boolean isInPath) {

        private boolean isMissing() {
            return isRequired && value.isEmpty();
        }
    }

    /** The required arguments of which no value is known. */
    public List<String> missing() {
        return arguments.stream().filter(Argument::isMissing).map(Argument::name).toList();
    }

    /**
     * Path and query that lead to it, below the context path; empty if it cannot be read, an
     * argument is missing, or its path has a wildcard.
     */
    public Optional<String> example() {
        return path.filter(pattern -> missing().isEmpty())
                .map(pattern -> VARIABLE.matcher(pattern).replaceAll(this::inPath))
                .filter(filled -> filled.chars().noneMatch(c -> "*?{".indexOf(c) >= 0))
                .map(filled -> filled + query());
    }

    /** The names of the variables in {@code path}, in order. */
    static List<String> variables(String path) {
        return VARIABLE.matcher(path).results().map(variable -> variable.group(1)).toList();
    }

    private String inPath(MatchResult variable) {
        var value =
                arguments.stream()
                        .filter(argument -> argument.isInPath())
                        .filter(argument -> argument.name().equals(variable.group(1)))
                        .map(Argument::value)
                        .findFirst()
                        .orElse("");
        return Matcher.quoteReplacement(
                variable.group().startsWith("{*")
                        ? UriUtils.encodePath(StringUtils.trimLeadingCharacter(value, '/'), UTF_8)
                        : UriUtils.encodePathSegment(value, UTF_8));
    }

    private String query() {
        var query = new StringJoiner("&", "?", "").setEmptyValue("");
        for (var argument : arguments) {
            if (!argument.isInPath() && (argument.isRequired() || !argument.value().isEmpty())) {
                query.add(
                        URLEncoder.encode(argument.name(), UTF_8)
                                + "="
                                + URLEncoder.encode(argument.value(), UTF_8));
            }
        }
        return query.toString();
    }

    /** The routes of a mapping: {@code GET /fragments/live}. */
    static List<String> routes(RequestMappingInfo mapping) {
        var methods = new ArrayList<String>();
        mapping.getMethodsCondition().getMethods().forEach(method -> methods.add(method.name()));
        var paths = mapping.getPatternValues().stream().sorted();
        return (methods.isEmpty()
                        ? paths
                        : paths.map(path -> String.join(",", methods) + " " + path))
                .toList();
    }
}
