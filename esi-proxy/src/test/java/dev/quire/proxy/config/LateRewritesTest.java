package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LateRewritesTest {
    private static final String GUARD =
            "- { name: office, match: { path: /in/**, trusted: false }, deny: 403 }";

    @TempDir Path directory;

    @Test
    void theWarningNamesBothRulesAndTheirPlaces() throws Exception {
        assertThat(
                        warnings(
                                GUARD,
                                "- { name: moved, match: { path: /out/** }, path: '/in{path}' }"))
                .singleElement()
                .asString()
                .contains(
                        "quire.yml:6:54: rules.request[1].path: rule 'moved' changes paths to /in/**,"
                                + " after the rule 'office' at ",
                        "quire.yml:5:7 that protects them (expected it before 'office')");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "- { path: /in/a }",
                "- { match: { path: /out }, path: /in/a }",
                "- { match: { path: [/in/a, /out] }, path: /in/a }",
                "- { match: { path: '~^/out/(.*)$' }, path: '/in/{1}' }",
                "- { path: { match: '^/out/(.*)$', with: '/in/{1}' } }",
                "- { path: { match: '^/in/(.*)$¦^/out/(.*)$', with: '/in/{1}' } }",
                "- { for: fragment, match: { host: a.example }, path: /in/a }",
                "- { match: { path: /out }, path: /in/a, last: true }",
                "- { match: { path: /out }, path: /in/a }|- { match: { path: /in/b }, deny: 404 }",
                "- { match: { path: /out }, path: /in/a }|- { match: { path: /in/**, method: PUT }, deny: 403 }",
                "- { match: { path: /out }, path: /in/a }|- { for: fragment, match: { path: /in/** }, deny: 403 }",
                "- { match: { path: /out }, path: /in/a }|- { match: { path: /in/**, host: a.example }, deny: 403 }",
            })
    void aPathThatAnEarlierRuleProtectsIsAWarning(String rules) throws Exception {
        assertThat(warnings(GUARD, rules)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "- { match: { path: /out }, path: /in }",
                "- { match: { path: /out }, path: '/{host}' }",
                "- { match: { path: /out }, path: '{path}' }",
                "- { match: { path: /out }, path: '/inner{path}' }",
                "- { match: { path: /in/a }, path: /in/b }",
                "- { match: { path: '~^/in/a/(.*)$' }, path: '/in/b/{1}' }",
                "- { path: { match: '^/in/?(.*)$', with: '/i/{1}' } }",
                "- { path: { match: '^/in/a?(.*)$', with: '/in/{1}' } }",
                "- { match: { path: /out }, path: /in/a }|- { match: { path: /in/** }, deny: 403 }",
                "- { match: { path: /out }, path: /in/a, deny: 404 }",
            })
    void anotherPathIsNot(String rules) throws Exception {
        assertThat(warnings(GUARD, rules)).isEmpty();
    }

    @Test
    void theRulesMustBeForTheSameRequests() throws Exception {
        var rewrite = "- { %s, path: /in/a }";

        var pages =
                "- { name: office, for: client, match: { path: /in/**, trusted: false }, deny: 403 }";
        assertThat(warnings(pages, rewrite.formatted("for: client"))).hasSize(1);
        assertThat(warnings(pages, rewrite.formatted("for: fragment"))).isEmpty();
        var host = "- { name: office, match: { path: /in/**, host: '*.example' }, deny: 403 }";
        assertThat(warnings(host, rewrite.formatted("match: { host: a.example }"))).hasSize(1);
        assertThat(warnings(host, rewrite.formatted("match: { host: a.test }"))).isEmpty();
        assertThat(warnings(host, rewrite.formatted("host: a.example"))).hasSize(1);
        assertThat(warnings(host, rewrite.formatted("host: a.test"))).isEmpty();
        var moved = "match: { host: %s, path: /in/** }, host: b.example";
        var some = host.replace("host:", "trusted: false, host:");
        assertThat(warnings(some, rewrite.formatted(moved.formatted("a.test")))).hasSize(1);
        assertThat(warnings(some, rewrite.formatted(moved.formatted("a.example")))).isEmpty();
    }

    @Test
    void theEarlierRuleMayBeALoginOrAnExpression() throws Exception {
        var rewrite = "- { match: { path: /out }, path: /in/a }";
        var users =
                "auth: { users: { a: $2y$05$abcdefghijklmnopqrstuupx2xBUC4954936wVIjyyPHmUBFu0wCW } }";

        var login = "- { match: { path: /in/** }, " + users + " }";
        assertThat(warnings(login, rewrite)).hasSize(1);
        assertThat(warnings(login, rewrite + "|" + GUARD)).hasSize(1);
        assertThat(warnings("- { match: { path: '~^/in/' }, deny: 403 }", rewrite)).hasSize(1);
        assertThat(warnings("- { match: { path: '~^/other/' }, deny: 403 }", rewrite)).isEmpty();
        assertThat(warnings("- { match: { path: /in/** }, cache: pass }", rewrite)).isEmpty();
        assertThat(warnings("- { match: { method: POST }, deny: 403 }", rewrite)).isEmpty();
    }

    private List<String> warnings(String first, String others) throws Exception {
        var lines =
                new ArrayList<>(
                        List.of(
                                "origins: { a: { urls: ['http://a'] } }",
                                "routes: [{ origin: a }]",
                                "rules:",
                                "  request:"));
        lines.add("    " + first);
        lines.add("    " + others.replace("|", "\n    ").replace("¦", "|"));
        var warnings = new ArrayList<String>();
        Configuration.check(
                Files.write(directory.resolve("quire.yml"), lines),
                warning -> warnings.add(warning.toString()));
        return warnings;
    }
}
