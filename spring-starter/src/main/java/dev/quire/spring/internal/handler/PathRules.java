package dev.quire.spring.internal.handler;

import dev.quire.spring.FragmentPolicy;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.settings.QuireProperties;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.http.server.RequestPath;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * Policies by path, for responses without an annotation: static resources, functional routes,
 * servlets. The first matching rule applies, for GET and HEAD.
 *
 * @param rules in matching order
 */
public record PathRules(List<Rule> rules) {

    private static final Pattern VARIABLE = Pattern.compile("\\{\\*?([^:}]+)");

    /** One validated rule. */
    public record Rule(PathPattern path, FragmentPolicy policy) {}

    public PathRules {
        rules = List.copyOf(rules);
    }

    /**
     * Reads the rules of the configuration.
     *
     * @throws IllegalArgumentException naming the key and what was expected
     */
    public static PathRules of(List<QuireProperties.Rule> configured) {
        var rules = new ArrayList<Rule>(configured.size());
        for (int i = 0; i < configured.size(); i++) {
            rules.add(rule("quire.rules[" + i + "]", configured.get(i)));
        }
        return new PathRules(rules);
    }

    /** Applies the first rule that matches the path of {@code request} to {@code exchange}. */
    public void apply(HttpServletRequest request, GuardedExchange exchange) {
        if (rules.isEmpty() || !isRead(request.getMethod())) {
            return;
        }
        var path =
                RequestPath.parse(request.getRequestURI(), request.getContextPath())
                        .pathWithinApplication();
        for (var rule : rules) {
            var match = rule.path().matchAndExtract(path);
            if (match != null) {
                exchange.ruledBy(rule.policy(), match.getUriVariables());
                return;
            }
        }
    }

    private static boolean isRead(String method) {
        return method.equals("GET") || method.equals("HEAD");
    }

    private static Rule rule(String key, QuireProperties.Rule rule) {
        var path = path(key, rule.path());
        try {
            return new Rule(
                    path,
                    new FragmentPolicy(
                            key,
                            rule.path(),
                            FragmentPolicy.Kind.FRAGMENT,
                            rule.scope(),
                            rule.ttl(),
                            Optional.ofNullable(rule.stale()),
                            Optional.ofNullable(rule.staleIfError()),
                            rule.browser(),
                            FragmentPolicy.tags(rule.tags(), variables(rule.path())),
                            Optional.empty(),
                            OptionalInt.empty()));
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "%s (path %s): %s".formatted(key, rule.path(), wrong.getMessage()), wrong);
        }
    }

    private static PathPattern path(String key, String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException(
                    key + ".path: is missing (expected for example /images/**)");
        }
        try {
            return PathPatternParser.defaultInstance.parse(text);
        } catch (PatternParseException wrong) {
            throw new IllegalArgumentException(
                    "%s.path: '%s' is not a path pattern: %s (expected for example /images/**)"
                            .formatted(key, text, wrong.getMessage()),
                    wrong);
        }
    }

    private static Set<String> variables(String path) {
        var names = new LinkedHashSet<String>();
        var found = VARIABLE.matcher(path);
        while (found.find()) {
            names.add(found.group(1));
        }
        return names;
    }
}
