package dev.quire.spring.internal.handler;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.spring.FragmentPolicy;
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
 * A handler with a policy, its routes and its arguments.
 *
 * @param policy its policy
 * @param variants names of the variants it declares
 * @param routes methods, if restricted, and path pattern of each route: {@code GET /fragments/live}
 * @param path the first path pattern mapped to GET, if any
 * @param arguments the variables of that path, then the query parameters
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
     * An argument of a handler.
     *
     * @param value the value from {@code quire.dev.samples}, else from the mapping or the handler;
     *     empty if unknown
     * @param isRequired whether the handler requires it
     * @param isInPath whether it is in the path, not in the query
     */
    public record Argument(String name, String value, boolean isRequired, boolean isInPath) {

        private boolean isMissing() {
            return isRequired && value.isEmpty();
        }
    }

    /** Returns the required arguments without a known value. */
    public List<String> missing() {
        return arguments.stream().filter(Argument::isMissing).map(Argument::name).toList();
    }

    /**
     * Returns a path and query for it, below the context path; empty if it is not mapped to GET, an
     * argument is missing, or its path has a wildcard.
     */
    public Optional<String> example() {
        return path.filter(pattern -> missing().isEmpty())
                .map(pattern -> VARIABLE.matcher(pattern).replaceAll(this::inPath))
                .filter(filled -> filled.chars().noneMatch(c -> "*?{".indexOf(c) >= 0))
                .map(filled -> filled + query());
    }

    /** Returns the names of the variables in {@code path}, in order. */
    public static List<String> variables(String path) {
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

    /** Returns the routes of a mapping: {@code GET /fragments/live}. */
    public static List<String> routes(RequestMappingInfo mapping) {
        var methods = new ArrayList<String>();
        mapping.getMethodsCondition().getMethods().forEach(method -> methods.add(method.name()));
        var paths = mapping.getPatternValues().stream().sorted();
        return (methods.isEmpty()
                        ? paths
                        : paths.map(path -> String.join(",", methods) + " " + path))
                .toList();
    }
}
