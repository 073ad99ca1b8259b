package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.PathPattern;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The warnings are those of a comparison of each rule with each earlier one. */
class RuleReachTest {
    private static final List<String> HOSTS =
            List.of("*", "*.example", "*.a.example", "a.example", "b.a.example", "b.test");
    private static final List<String> PATHS =
            List.of(
                    "/**",
                    "/****",
                    "/*",
                    "/",
                    "/a",
                    "/a/**",
                    "/a/b",
                    "/a/*",
                    "/a/b/**",
                    "/**.css",
                    "/a/**.css",
                    "/a/x.css",
                    "/b",
                    "/b/**",
                    "/b;c",
                    "/b//c",
                    "/b//**",
                    "/%61");
    private static final List<String> ACTIONS =
            List.of("deny: 403", "last: true", "cache: pass", "path: '/{host}'", "host: b.test");

    @TempDir Path directory;

    /** A rule as it is written; one with a method does not match everything at its URLs. */
    private record Written(
            String audience,
            List<String> hosts,
            List<String> paths,
            boolean hasMethod,
            String action) {

        static Written of(Random random) {
            return new Written(
                    random.nextInt(4) > 0 ? "both" : random.nextBoolean() ? "client" : "fragment",
                    some(random, HOSTS),
                    some(random, PATHS),
                    random.nextInt(5) == 0,
                    ACTIONS.get(random.nextInt(random.nextInt(4) > 0 ? 3 : ACTIONS.size())));
        }

        String yaml() {
            return "- { for: %s, match: { host: %s, path: %s%s }, %s }"
                    .formatted(
                            audience,
                            quoted(hosts),
                            quoted(paths),
                            hasMethod ? ", method: GET" : "",
                            action);
        }

        boolean ends() {
            return action.equals("deny: 403") || action.equals("last: true");
        }

        boolean changesUrl() {
            return action.startsWith("path") || action.startsWith("host");
        }

        boolean takesAll(Written later) {
            return (audience.equals("both") || audience.equals(later.audience))
                    && url().covers(later.url());
        }

        UrlMatch url() {
            return new UrlMatch(
                    hosts.stream().map(HostPattern::new).toList(),
                    paths.stream().map(PathPattern::new).toList(),
                    !hasMethod);
        }
    }

    @Test
    void rulesAreComparedWithAllEarlierOnes() throws Exception {
        var random = new Random(1);
        int warned = 0;
        for (int i = 0; i < 300; i++) {
            var rules = IntStream.range(0, 15).mapToObj(n -> Written.of(random)).toList();

            var warnings =
                    warnings(
                            "routes: [{ origin: a }]",
                            "rules:",
                            "  request:",
                            rules.stream()
                                    .map(rule -> "    " + rule.yaml())
                                    .collect(Collectors.joining("\n")));

            assertThat(warnings).containsExactlyElementsOf(hidden(rules));
            warned += warnings.size();
        }
        assertThat(warned).isGreaterThan(500);
    }

    /** The plain definition. */
    private static List<String> hidden(List<Written> rules) {
        var hidden = new ArrayList<String>();
        var endings = new ArrayList<Integer>();
        for (int i = 0; i < rules.size(); i++) {
            var rule = rules.get(i);
            int at = i;
            endings.stream()
                    .filter(ending -> rules.get(ending).takesAll(rule))
                    .findFirst()
                    .ifPresent(ending ->
                            hidden.add(
                                    "rules.request[%d] no request reaches this rule: rule 'request[%d]' ends the phase first"
                                            .formatted(at, ending)));
            if (rule.changesUrl()) {
                endings.removeIf(ending -> !rules.get(ending).url().covers(UrlMatch.ALL));
            }
            if (rule.ends()) {
                endings.add(i);
            }
        }
        return hidden;
    }

    @Test
    void routesAreComparedWithAllEarlierOnes() throws Exception {
        var random = new Random(2);
        // In a route, ** is a whole segment.
        var segments = PATHS.stream().filter(path -> path.matches("[^*]*(/\\*\\*?)?")).toList();
        int warned = 0;
        for (int i = 0; i < 300; i++) {
            var hosts = new ArrayList<HostPattern>();
            var paths = new ArrayList<PathPattern>();
            var routes = new StringBuilder("routes:\n");
            var expected = new ArrayList<String>();
            for (int route = 0; route < 15; route++) {
                var host = HOSTS.get(random.nextInt(HOSTS.size()));
                var path = segments.get(random.nextInt(segments.size()));
                routes.append("  - { host: '%s', path: '%s', origin: a }%n".formatted(host, path));
                hosts.add(new HostPattern(host));
                paths.add(new PathPattern(path));
                int narrow = route;
                IntStream.range(0, route)
                        .filter(wide ->
                                hosts.get(wide).covers(hosts.get(narrow))
                                        && paths.get(wide).covers(paths.get(narrow)))
                        .findFirst()
                        .ifPresent(wide ->
                                expected.add(
                                        "routes[%d] no request reaches this route: routes[%d]"
                                                .formatted(narrow, wide)));
            }

            var warnings = warnings(routes.toString());

            assertThat(warnings.stream().map(it -> it.replaceAll(" \\(.*", "")))
                    .containsExactlyElementsOf(expected);
            warned += warnings.size();
        }
        assertThat(warned).isGreaterThan(500);
    }

    private List<String> warnings(String... lines) throws Exception {
        var file =
                Files.writeString(
                        directory.resolve("quire.yml"),
                        "origins: { a: { urls: ['http://a'] } }\n" + String.join("\n", lines));
        var warnings = new ArrayList<String>();
        Configuration.check(file, warning -> warnings.add(warning.key() + " " + warning.what()));
        return warnings;
    }

    private static List<String> some(Random random, List<String> all) {
        return IntStream.rangeClosed(0, random.nextInt(4) / 3)
                .mapToObj(i -> all.get(random.nextInt(all.size())))
                .toList();
    }

    private static String quoted(List<String> texts) {
        return texts.stream().map(text -> "'" + text + "'").toList().toString();
    }
}
