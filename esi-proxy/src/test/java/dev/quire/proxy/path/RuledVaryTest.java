package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Rules;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fields by which caches of clients learn of rules that answer or refuse requests. */
class RuledVaryTest {
    private static final String FRESH = "Cache-Control: max-age=60";

    private static OneThread proxy(String rule) {
        var settings = new Rules();
        settings.ruling = WrittenRules.of("request: [{ " + rule + " }]");
        return new OneThread(settings);
    }

    /** No cookie, no agent, not of the office: the rules do not apply. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    match: { path: /f, header: { X-A: '*' } }, deny: 403 | x-a
                    match: { path: /f, client: 10.0.0.0/8 }, deny: 403 | private
                    match: { host: news.test, cookie-name: 'x*' }, deny: 403 | cookie
                    match: { path: /f, cookie: { a: b } }, respond: { body: other } | cookie
                    match: { cookie: { a: b } }, respond: { body: other } | cookie
                    match: { header: { User-Agent: a } }, redirect: { to: '/m{path}' } | user-agent
                    when: "header['x-a'] == 'b'", redirect: { to: '/other' } | x-a
                    match: { query: { a: '*' } }, redirect: { to: '/{header.x-a}' } | none
                    match: { client: 10.0.0.0/8 }, deny: 403 | none
                    match: { header: { User-Agent: '*bot*' } }, deny: 403 | none
                    match: { path: /f, client: 10.0.0.0/8 }, deny: 403, unkeyed: true | none
                    match: { method: POST, cookie: { a: b } }, respond: { body: other } | none
                    match: { path: /other, cookie: { a: b } }, respond: { body: other } | none
                    match: { path: /f, not: { client: 127.0.0.0/8 } }, auth: { users: { a: $2y$10$n6QsJe3xZ3zFyfQC8/RfIebaumDkQssETWbVfQ1nyZK5uLKPRwka2 } } | private
                    match: { client: 10.0.0.0/8 }, auth: { users: { a: $2y$10$n6QsJe3xZ3zFyfQC8/RfIebaumDkQssETWbVfQ1nyZK5uLKPRwka2 } } | private
                    match: { path: /g }, auth: { users: { a: $2y$10$n6QsJe3xZ3zFyfQC8/RfIebaumDkQssETWbVfQ1nyZK5uLKPRwka2 } } | none
                    match: { path: /f }, var: { guarded: '1' } }, { match: { var: { guarded: '1' }, client: 10.0.0.0/8 }, deny: 403 | private
                    match: { path: /f, cookie: { a: b } }, var: { outside: '1' } }, { match: { var: { outside: '1' } }, deny: 403 | cookie
                    match: { not: { path: /f } }, last: true }, { match: { cookie: { a: b } }, deny: 403 | cookie
                    match: { path: /f, cookie: { a: b } }, limit: { rate: 9/s } | none
                    """)
    void responsesSayThatOtherClientsGetOthers(String rule, String expected) {
        for (var target : new String[] {"/f", "/page"}) {
            try (var proxy = proxy(rule)) {
                proxy.stored("/page", page("[" + include("/f") + "]"));
                proxy.stored("/f", ok("F", FRESH));
                var client = proxy.client();

                client.get(target);

                var found = client.received();
                assertThat(found).contains("HTTP/1.1 200 ", "F");
                assertThat(told(found)).as(target).isEqualTo(expected);
            }
        }
    }

    private static String told(String response) {
        var head = response.toLowerCase(Locale.ROOT);
        return head.contains("cache-control: private")
                ? "private"
                : head.lines()
                        .filter(line -> line.startsWith("vary: "))
                        .map(line -> line.replaceAll("vary: |accept-encoding(, )?", ""))
                        .filter(names -> !names.isEmpty())
                        .findFirst()
                        .orElse("none");
    }

    @Test
    void pageSaysThatItsFragmentsAreDenied() {
        try (var proxy = proxy("for: fragment, match: { cookie: { a: b } }, deny: 403")) {
            proxy.stored("/page", page("<p>" + include("/f") + "</p>"));
            proxy.stored("/f", ok("F", FRESH));
            var client = proxy.client();

            client.get("/page");
            assertThat(told(client.received())).isEqualTo("cookie");
            client.get("/f");
            assertThat(told(client.received())).isEqualTo("none");
        }
    }

    @Test
    void responseOfARuleSaysSoToo() {
        try (var proxy =
                proxy(
                        "match: { header: { User-Agent: a } }, redirect: { to: '/m', status: 301 } }, {"
                                + " match: { cookie: { a: b } }, respond: { body: '[own]', fields: {"
                                + " Cache-Control: max-age=60 } }")) {
            proxy.stored("/page", page("<p>" + include("/f") + "</p>"));
            var client = proxy.client();

            client.get("/x", "User-Agent: a");
            assertThat(client.received()).contains("HTTP/1.1 301 ", "\r\nVary: user-agent\r\n");
            client.get("/x", "Cookie: a=b");
            assertThat(client.received()).contains("\r\nVary: cookie, user-agent\r\n");
        }
    }

    /** It is not stored here either: the value is in no key, and not in Vary. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    set: { X-A: '{header.x-b}' } | x-b
                    match: { header: { X-B: b } }, set: { X-A: one } | x-b
                    match: { header: { X-B: '' } }, unset: X-A | none
                    match: { trusted: false }, unset: X-A | none
                    match: { header: { X-B: b } }, cookies: { keep: [] } | none
                    set: { X-A: '{client.ip}' } | private
                    set: { X-A: '{header.x-b}' }, unkeyed: true | none
                    match: { path: /other }, set: { X-A: '{header.x-b}' } | none
                    set: { X-A: one } | none
                    """)
    void responseToAFieldThatNoKeyShowsSaysOnWhatItDepends(String rule, String expected) {
        try (var proxy = proxy(rule)) {
            var client = proxy.client();

            client.get("/f", "X-A: a");
            proxy.ask("/f").say(ok("F", FRESH));

            assertThat(told(client.received())).isEqualTo(expected);
        }
    }
}
