package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RulesReaderTest {
    private static final String REQUEST = "rules: { request: [{ %s }] }";

    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "set: { X-A: ' a\t' }, add: { X-B: a, x-b: b }",
                "set: { X-A: '{host}', X-B: 1 }, add: { X-C: c }, unset: [X-D, 'X-E-*']",
                "cookies: { keep: [SESSION, 'cart_*'] }",
                "cookies: { keep: [] }",
                "cookies: { drop: _ga }",
                "query: { sort: true }",
                "query: { drop: ['utm_*', gclid], sort: true }",
                "query: { keep: [] }",
                "path: '/wp{path}'",
                "path: { match: '^/blog/(.*)$', with: '/wp/{1}' }",
                "match: { path: '~^/a/(\\d+)$' }, path: '/b/{1}'",
                "host: 'www.{host}'",
                "origin: wordpress, key: [wordpress]",
                "cache: pass",
                "key: '{header.accept-language}', unkeyed: true",
                "var: { kind: phone }",
                "redirect: { to: 'https://{host}{target}', status: 308 }",
                "redirect: { to: '/article/{query.id}' }",
                "respond: { status: 503, type: text/plain, body: later, fields: { Retry-After: 60 } }",
                "respond: { status: 204 }",
                "deny: 403",
                "match: { share: { of: client, percent: 10 } }, origin: wordpress, key: canary",
                "match: { share: { of: cookie id, percent: 0 } }, cache: pass",
                "match: { not: { share: { of: client, percent: 100 } } }, cache: pass",
                "last: true",
                "for: fragment, cache: pass",
                "match: { method: [GET, HEAD], scheme: http, trusted: false, host: '*.a.example',"
                        + " path: [/a/**, '/**.css', '~x$'], var: { v: a }, query: { q: '*' },"
                        + " header: { User-Agent: ['*phone*', '~(?i)bot'] }, cookie: { ab: b },"
                        + " cookie-name: 'wp_*', client: [10.0.0.0/8, '::1'],"
                        + " not: { method: POST, header: { X-A: '*' } } }, cache: pass",
            })
    void requestRules(String rule) throws Exception {
        assertThat(read(REQUEST.formatted(rule)).rules().request().names())
                .containsExactly("request[0]");
        assertThat(warnings(REQUEST.formatted(rule))).isEmpty();
    }

    @Test
    void rulesOfAllPhases() throws Exception {
        var rules =
                read("""
                rules:
                  request:
                    - { name: kind, var: { kind: a } }
                    - { cache: pass, match: { path: /cart } }
                  response:
                    - { name: assets, match: { path: '/**.css', status: 200, type: 'text/*',
                        response: { Server: '*' }, var: { kind: a } }, ttl: 168h, grace: 1m,
                        stale-if-error: 1h, tags: [static, '{var.kind}'], set-cookie: drop,
                        esi: off, unset: Server }
                    - { match: { status: 5xx }, fail: true }
                    - { match: { type: text/csv }, store: false }
                  deliver:
                    - { match: { outcome: hit, header: { X-Debug: '*' } }, set: { X-Age: '{age}' }, add: { Vary: Origin } }
                """)
                        .rules();

        assertThat(rules.names())
                .containsExactly(
                        "kind", "request[1]", "assets", "response[1]", "response[2]", "deliver[0]");
        assertThat(rules.response().variables()).containsExactly("kind");
    }

    @Test
    void aBodyCanBeAFileBesideTheConfiguration() throws Exception {
        Files.writeString(directory.resolve("later.html"), "<p>Later");

        var rules = read(REQUEST.formatted("respond: { status: 503, file: later.html }")).rules();

        assertThat(Objects.requireNonNull(rules.request().named("request[0]")).ending())
                .asString()
                .contains("Respond");
        assertThat(problem(REQUEST.formatted("respond: { file: other.html }")))
                .contains("rules.request[0].respond.file: 'other.html' does not exist");
    }

    /** {@code »} is at the position that is reported. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "set: { X-A: 'a {»hostt}' }; set.X-A: has an unknown name hostt",
                "set: { X-A: \"a\\\"b {»status}\" }; set.X-A: reads 'status', which exists only once a",
                "set: { X-A: 'it''s {»1}' }; set.X-A: names group 1 of 0",
                "set: { X-A: 'a»{' }; set.X-A: has a brace that is not closed",
                "match: { path: '~a(»[b' }, deny: 403; match.path: has a wrong regular expression",
                "match: { path: [/a, '/b»?c'] }, deny: 403; match.path[1]: contains '?'",
                "match: { path: »news }, deny: 403; match.path: 'news' does not begin with / or ~",
                "match: { header: { X: '~»(' } }, deny: 403; match.header.X: has a wrong regular",
                "path: { match: '^a»(b', with: /c }; path.match: has a wrong regular",
                "path: { match: 'a(b)', with: '/{1}/{»2}' }; path.with: names group 2 of 1",
            })
    void theMistakeIsMarkedInTheText(String marked, String said) {
        int column = REQUEST.indexOf("%s") + marked.indexOf('»') + 1;

        assertThat(problem(REQUEST.formatted(marked.replace("»", ""))))
                .contains("quire.yml:3:" + column + ": rules.request[0]." + said);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "name: 'a b', deny: 403; name: invalid value 'a b'",
                "for: pages, deny: 403; for: invalid value 'pages'",
                "match: { methd: GET }, deny: 403; match.methd: is an unknown key (expected 'method'",
                "match: { method: get }, deny: 403; match.method: invalid value 'get'",
                "match: { method: [] }, deny: 403; match.method: is empty",
                "match: ~, deny: 403; match: is empty (expected at least one matcher, or no match",
                "match: {}, deny: 403; match: is empty (expected at least one matcher, or no match",
                "match: { header: {} }, deny: 403; match.header: is empty (expected at least one NAME: P",
                "match: { query: ~ }, deny: 403; match.query: is empty (expected at least one NAME: P",
                "match: { scheme: '' }, deny: 403; match.scheme: is empty (expected a value)",
                "match: { trusted: ~ }, deny: 403; match.trusted: is empty (expected a value)",
                "match: { not: {} }, deny: 403; match.not: is empty (expected at least one matcher)",
                "when: '', deny: 403; when: is empty (expected an expression (CEL), or no when for all)",
                "when: ~, deny: 403; when: is empty (expected an expression (CEL), or no when for all)",
                "when: '${QUIRE_NO_SUCH_VARIABLE:}', deny: 403; when: is empty (expected",
                "match: { host: 'a/b' }, deny: 403; match.host: invalid value 'a/b'",
                "match: { client: 10.0.0.0/99 }, deny: 403; match.client: invalid value",
                "match: { status: 404 }, deny: 403; match.status: reads 'status', which exists only once",
                "match: { outcome: hit }, deny: 403; match.outcome: reads 'outcome', which exists only in",
                "match: { not: { not: { path: /a } } }, deny: 403; match.not.not: is inside another not",
                "set: { Host: a }; set.Host: 'Host' is closed to rules of request (expected host: TEMPLATE)",
                "set: { Transfer-Encoding: a }; set.Transfer-Encoding: 'Transfer-Encoding' is closed",
                "set: { X-Forwarded-For: a }; set.X-Forwarded-For: 'X-Forwarded-For' is closed",
                "add: { Accept-Encoding: a }; add.Accept-Encoding: 'Accept-Encoding' is closed",
                "unset: [Range]; unset[0]: is closed to rules of request",
                "unset: ['a b']; unset[0]: 'a b' is not the name of a field",
                "set: { 'X A': a }; set.X A: 'X A' is not the name of a field",
                "set: { X-A: [a] }; set.X-A: is a list",
                "set: { X-A: \"a\\u0001\" }; set.X-A: invalid value 'a\\u0001'",
                "cookies: {}; cookies.keep: is missing (expected keep or drop)",
                "cookies: { keep: a, drop: b }; cookies.drop: cannot be combined with keep",
                "query: { drop: [] }; query.drop: is empty",
                "path: blog; path: does not begin with /",
                "path: { match: a }; path.with: is missing",
                "host: 'a b'; host: invalid value 'a b'",
                "origin: wordpres; origin: unknown origin 'wordpres' (expected 'wordpress', the nearest",
                "cache: lookup; cache: invalid value 'lookup' (expected pass)",
                "key: []; key: is empty",
                "var: { 1a: b }; var.1a: '1a' is not a valid name",
                "redirect: { status: 301 }; redirect.to: is missing",
                "redirect: { to: 'news' }; redirect.to: is not a URL or an absolute path",
                "redirect: { to: /a, status: 200 }; redirect.status: invalid value '200'",
                "respond: { status: 204, body: a }; respond.body: cannot be sent with status 204",
                "respond: { body: a, type: html }; respond.type: invalid value 'html'",
                "respond: { fields: { Content-Type: a } }; respond.fields.Content-Type: 'Content-Type' is set by type",
                "respond: { fields: { Content-Length: 1 } }; respond.fields.Content-Length: 'Content-Length' is closed",
                "deny: 200; deny: invalid value '200'",
                "deny: 403, redirect: { to: /a }; deny: cannot be combined with redirect",
                "ttl: 5s; ttl: is an action of rules.response",
                "set: { X-A: a, x-a: b }; set.x-a: 'x-a' is the same field as 'X-A' (expected each field once)",
                "respond: { fields: { X-A: a, x-a: b } }; respond.fields.x-a: 'x-a' is the same field as 'X-A'",
                "match: { path: /a }; name: is a rule without an action",
            })
    void aMistakeInARequestRuleIsOneLine(String rule, String said) {
        assertThat(problem(REQUEST.formatted(rule))).contains(": rules.request[0]." + said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\\nb", "Bearer x\\n", "\\r\\nx", "{path}\\n", "x\\0", "\\u2003x"})
    void aFieldValueOnSeveralLinesIsRefused(String value) {
        assertThat(problem(REQUEST.formatted("set: { X-A: \"" + value + "\" }")))
                .contains(": rules.request[0].set.X-A: invalid value '");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "response: [{ for: client, ttl: 5s }]; response[0].for: is a key of rules.request",
                "response: [{ match: { client: 10.0.0.1 }, ttl: 5s }]; response[0].match.client: reads 'client', which is not the same for all requests",
                "response: [{ match: { header: { A: b } }, ttl: 5s }]; response[0].match.header: reads 'header'",
                "response: [{ match: { cookie: { A: b } }, ttl: 5s }]; response[0].match.cookie: reads 'cookie'",
                "response: [{ match: { method: GET }, ttl: 5s }]; response[0].match.method: reads 'method'",
                "response: [{ tags: ['{client.ip}'] }]; response[0].tags[0]: reads 'client'",
                "response: [{ set: { Set-Cookie: a=b } }]; response[0].set.Set-Cookie: 'Set-Cookie' would be stored",
                "response: [{ set: { ETag: a } }]; response[0].set.ETag: 'ETag' is closed to rules of response",
                "response: [{ set: { Vary: a } }]; response[0].set.Vary: 'Vary' is closed to rules of response",
                "response: [{ unset: Vary }]; response[0].unset: is closed to rules of response",
                "response: [{ store: true }]; response[0].store: invalid value 'true' (expected false)",
                "response: [{ ttl: soon }]; response[0].ttl: invalid value 'soon'",
                "response: [{ deny: 403, ttl: 1s }]; response[0].deny: is an action of rules.request",
                "response: [{ match: { status: 4x } , ttl: 1s }]; response[0].match.status: invalid value '4x'",
                "deliver: [{ set: { Vary: a } }]; deliver[0].set.Vary: 'Vary' is closed to rules of deliver",
                "deliver: [{ add: { Content-Length: 1 } }]; deliver[0].add.Content-Length: 'Content-Length' is closed to rules of deliver",
                "response: [{ match: { share: { of: client, percent: 1 } }, ttl: 5s }]; response[0].match.share: reads 'client'",
                "request: [{ match: { share: { of: header A, percent: 1 } }, deny: 403 }]; request[0].match.share.of: invalid value 'header A' (expected client, or cookie",
                "request: [{ match: { share: { of: client, percent: 101 } }, deny: 403 }]; request[0].match.share.percent: invalid value '101'",
                "request: [{ match: { share: { of: client } }, deny: 403 }]; request[0].match.share.percent: is missing",
                "deliver: [{ unset: Content-Length }]; deliver[0].unset: is closed to rules of deliver",
                "deliver: [{ ttl: 5s }]; deliver[0].ttl: is an action of rules.response",
                "request: [{ name: a, deny: 403 }], deliver: [{ name: a, unset: Server }]; deliver[0].name: is also the name of the rule at",
            })
    void aMistakeInAnotherPhaseIsOneLine(String rules, String said) {
        assertThat(problems("rules: { " + rules + " }"))
                .anySatisfy(problem -> assertThat(problem).contains(": rules." + said));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "- { name: a, deny: 403 }|- { name: b, deny: 404 }",
                "- { name: a, last: true }|- { name: b, cache: pass, match: { path: /b } }",
                "- { name: a, match: { path: /a/** }, deny: 403 }|- { name: b, match: { path: /a/b },"
                        + " deny: 404 }",
                "- { name: a, for: fragment, deny: 403 }|- { name: b, for: fragment, cache: pass }",
                "- { name: b, match: { path: /a, not: { path: /** } }, deny: 403 }",
                "- { name: b, match: { host: a.example, not: { host: '*.example' } }, deny: 403 }",
                "- { name: b, redirect: { to: '{target}' } }",
                "- { name: b, redirect: { to: '{path}' } }",
                "- { name: b, match: { path: /a/** }, redirect: { to: '//{host}{path}' } }",
                "- { name: b, match: { query: { a: b } }, redirect: { to: '//{host}{target}' } }",
                "- { name: b, match: { path: /a }, redirect: { to: '{scheme}://{host}{target}' } }",
            })
    void aRuleWithoutEffectIsAWarning(String rules) throws Exception {
        assertThat(warnings("rules:|  request:|    " + rules.replace("|", "|    ")))
                .singleElement()
                .asString()
                .contains("rules.request[");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "- { name: a, match: { path: /a }, deny: 403 }|- { name: b, deny: 404 }",
                "- { name: a, for: fragment, deny: 403 }|- { name: b, deny: 404 }",
                "- { name: a, match: { path: /a, method: POST }, deny: 403 }|- { name: b, match: {"
                        + " path: /a }, deny: 404 }",
                "- { name: a, match: { path: /a }, deny: 403 }|- { path: { match: ^/c, with: /a } }|-"
                        + " { name: b, match: { path: /a }, deny: 404 }",
                "- { name: b, match: { path: /a/**, not: { path: /a/b } }, deny: 403 }",
                "- { name: b, match: { path: /a, not: { path: /**, method: POST } }, deny: 403 }",
                "- { name: b, match: { scheme: http }, redirect: { to: 'https://{host}{target}' } }",
                "- { name: b, match: { query: { utm_source: '*' } }, redirect: { to: '{path}' } }",
                "- { name: b, match: { query: { a: '*' } }, redirect: { to: '{scheme}://{host}{path}' } }",
                "- { name: b, match: { cookie: { a: '*' } }, redirect: { to: '{target}' } }",
            })
    void aRuleThatMayHaveAnEffectIsNot(String rules) throws Exception {
        assertThat(warnings("rules:|  request:|    " + rules.replace("|", "|    "))).isEmpty();
    }

    @Test
    void aLifetimeThatNoStoredResponseHasIsAWarning() throws Exception {
        var rule = "rules: { response: [{ match: { status: %s }, ttl: 5s }] }";

        assertThat(warnings(rule.formatted("304"))).singleElement().asString().contains("ttl");
        assertThat(warnings(rule.formatted("[304, 404]"))).isEmpty();
    }

    @Test
    void responseRulesAreEqualIfTheirValuesAre() throws Exception {
        var one = "rules: { response: [{ match: { path: /a }, ttl: %s }] }";

        assertThat(read(one.formatted("5s")).rules().response())
                .isEqualTo(read("\n" + one.formatted("'5s'")).rules().response())
                .isNotEqualTo(read(one.formatted("6s")).rules().response());
    }

    @Test
    void theEffectiveTextHasTheSameRules() throws Exception {
        var rules =
                """
                rules:
                  request:
                    - { match: { host: a.example, path: ['/a%20b/**', '~^/x(y)'], client: 10.0.0.0/8,
                        header: { A: ['*', b] }, not: { method: POST } }, path: '/{host}',
                        query: { drop: 'utm_*', sort: true }, cookies: { keep: [] },
                        set: { X-A: '{{{path}' }, unset: X-B, key: a }
                    - { redirect: { to: /b, status: 301 }, match: { scheme: http } }
                    - { path: { match: ^/a, with: /b }, var: { a: b } }
                    - { respond: { status: 503, body: later, fields: { Retry-After: 60 } } }
                  response:
                    - { match: { status: [404, 5xx, 300-301] }, ttl: 5s, store: false, esi: off,
                        set-cookie: drop, fail: true, tags: [a, '{path}'] }
                  deliver:
                    - { match: { outcome: hit }, add: { X-A: b } }
                """;
        var first = effective(file(rules));

        var again = Files.writeString(directory.resolve("again.yml"), first);

        assertThat(first).contains("{{{path}", "/a%20b/**", "500-599", "Retry-After");
        assertThat(effective(again)).isEqualTo(first);
    }

    private static String effective(Path file) throws InvalidConfiguration {
        var options = Options.NONE.withFile(file);
        var source = new ConfigurationSource(options);
        return source.effective(source.read());
    }

    private Configuration read(String rules) throws InvalidConfiguration {
        return Configuration.check(file(rules));
    }

    private List<Problem> warnings(String rules) throws InvalidConfiguration {
        var warnings = new ArrayList<Problem>();
        Configuration.check(file(rules.replace('|', '\n')), warnings::add);
        return warnings;
    }

    private String problem(String rules) {
        var problems = problems(rules);
        assertThat(problems).hasSize(1);
        return problems.getFirst();
    }

    private List<String> problems(String rules) {
        var invalid = catchThrowableOfType(InvalidConfiguration.class, () -> read(rules));
        assertThat(invalid).describedAs(rules).isNotNull();
        return invalid.problems().stream().map(Problem::toString).toList();
    }

    private Path file(String rules) {
        var lines =
                Stream.of(
                        "origins: { news: { urls: ['http://a'] }, wordpress: { urls: ['http://b'] } }",
                        "routes: [{ origin: news }]",
                        rules);
        try {
            return Files.write(directory.resolve("quire.yml"), lines.toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
