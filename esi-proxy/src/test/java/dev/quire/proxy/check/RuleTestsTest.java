package dev.quire.proxy.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quire.core.policy.SignedVariant;
import dev.quire.proxy.config.CheckedFile;
import dev.quire.proxy.config.InvalidConfiguration;
import io.netty.pkitesting.CertificateBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleTestsTest {
    private static final String CONFIGURATION =
            """
            origins: { news: { urls: ['http://a'] }, shop: { urls: ['http://b'] },
              own: { urls: ['http://c'], host: own.internal, via: off } }
            routes:
              - { host: own.example, origin: own }
              - { host: '*.example', path: /**, origin: news, stale-if-error: 1h }
            trusted: [10.0.0.0/8]
            cache: { grace: 20s }
            rules:
              request:
                - { name: office, match: { client: 10.0.0.0/8 }, set: { X-Office: 'yes' } }
                - { name: page-only, for: client, cookies: { keep: [id] } }
                - { name: fragment-only, for: fragment, match: { path: /secret }, deny: 403 }
                - { name: sorted, match: { method: GET }, query: { drop: 'utm_*', sort: true } }
                - { name: shop, match: { path: /shop/** }, origin: shop, host: shop.internal.example }
                - { name: phone, match: { header: { User-Agent: '*phone*' } }, set: { X-Device: phone },
                    key: phone }
                - { name: agent, match: { path: /agent }, set: { X-Agent: '{header.user-agent}' } }
                - { name: moved, match: { path: '~^/old/(.*)$' }, redirect: { to: '/new/{1}', status: 301 } }
                - { name: later, match: { path: /later }, respond: { status: 503, body: later } }
                - { name: direct, match: { path: /direct, trusted: false }, set: { X-Direct: 'yes' } }
                - { name: pass, match: { path: /cart }, cache: pass }
              response:
                - { name: assets, match: { path: /**.css }, ttl: 168h, set-cookie: drop, tags: static }
                - { name: broken, match: { status: 5xx }, fail: true }
              deliver:
                - { name: clean, unset: Server }
            tests:
              - { %s }
            """;

    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    @TempDir Path directory;

    /** A test that passes, and the same one with another expected value. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "get: 'http://a.example/?b=2&utm_x=1&a=1'; origin: GET /?a=1&b=2; origin: GET /; is 'GET /?a=1&b=2'",
                "get: 'http://a.example/'; origin-name: news; origin-name: shop; is 'news'",
                "get: 'http://a.example/shop/1'; origin-name: shop; origin-name: news; is 'shop'",
                "get: 'http://a.example/shop/1'; host: shop.internal.example; host: a.example; is 'shop.internal",
                "get: 'http://own.example/'; host: own.internal; host: own.example; is 'own.internal'",
                "get: 'http://own.example/'; fields: { Host: own.internal, Via: }; fields: { Host: }; is 'own.internal'",
                "get: 'http://a.example/', cookies: { id: 1, ga: 2 }; cookies: [id]; cookies: []; is 'id'",
                "get: 'http://a.example/', fragment: true, cookies: { id: 1, ga: 2 }; cookies: [id, ga]; cookies: [id]; is 'id, ga'",
                "get: 'http://a.example/', cookies: { ga: 2 }; cookies: []; cookies: [ga]; is ''",
                "get: 'http://a.example/'; rules: [page-only, sorted]; rules: [sorted]; is 'page-only, sorted'",
                "get: 'http://a.example/', client: 10.1.1.1; rules: [office, page-only, sorted]; rules: []; is 'office",
                "get: 'http://a.example/', client: 10.1.1.1; fields: { X-Office: 'yes' }; fields: { X-Office: }; is 'yes'",
                "get: 'http://a.example/'; fields: { X-Office: }; fields: { X-Office: 'yes' }; is absent",
                "get: 'http://a.example/', fields: { User-Agent: a phone }; key: [page-only, phone]; key: []; is 'page-only, phone'",
                "get: 'http://a.example/', fields: { User-Agent: a phone }; fields: { X-Device: phone }; fields: { X-Device: tablet }; is 'phone'",
                "get: 'http://a.example/'; key: [page-only]; key: [phone]; is 'page-only'",
                "get: 'http://a.example/', fragment: true; key: []; key: [phone]; is ''",
                "get: 'http://a.example/'; cache: lookup; cache: pass; is 'lookup'",
                "get: 'http://a.example/cart'; cache: pass; cache: lookup; is 'pass'",
                "method: POST, url: 'http://a.example/'; cache: pass; cache: none; is 'pass'",
                "get: 'http://a.example/old/1'; status: 301; status: 302; is '301'",
                "get: 'http://a.example/old/1'; location: /new/1; location: /new; is '/new/1'",
                "get: 'http://a.example/old/1'; cache: none; cache: lookup; is 'none'",
                "get: 'http://a.example/secret', fragment: 2; status: 403; status: 200; is '403'",
                "get: 'http://a.example/later'; body: later; body: sooner; is 'later'",
                "get: 'http://a.example/later'; delivered: { fields: { Cache-Control: no-store } }; delivered: { fields: { Cache-Control: } }; is 'no-store'",
                "get: 'http://b.test/'; status: 421; status: 404; is '421'",
                "get: 'http://b.test/'; delivered: { fields: { Cache-Control: no-store } }; delivered: { fields: { Cache-Control: } }; is 'no-store'",
                "get: 'http://a.example/direct'; fields: { X-Direct: 'yes' }; fields: { X-Direct: }; is 'yes'",
                "get: 'https://a.example/direct'; fields: { X-Direct: 'yes' }; fields: { X-Direct: }; is 'yes'",
                "get: 'https://a.example/', fields: { X-Forwarded-For: 1.2.3.4 }; fields: { X-Forwarded-For: 203.0.113.1, X-Forwarded-Proto: https }; fields: { X-Forwarded-For: '1.2.3.4, 203.0.113.1' }; is '203.0.113.1'",
                "get: 'https://a.example/direct', client: 10.1.1.1; fields: { X-Direct: }; fields: { X-Direct: 'yes' }; is absent",
                "get: 'http://a.example/', fields: { Esi-Variant: 'login:member' }; fields: { Esi-Variant: }; fields: { Esi-Variant: 'login:member' }; is absent",
                "get: 'http://a.example/a.css', answers: {}; ttl: 168h; ttl: 1h; is 168h",
                "get: 'http://a.example/a.css', answers: {}; grace: 20s; grace: 1s; is 20s",
                "get: 'http://a.example/a.css', answers: {}; stale-if-error: 1h; stale-if-error: 1s; is 1h",
                "get: 'http://a.example/a.css', answers: { fields: { Set-Cookie: a=b } }; stored: true; stored: false; is true",
                "get: 'http://a.example/a', answers: { fields: { Set-Cookie: a=b } }; stored: false; stored: true; it sets a cookie",
                "get: 'http://a.example/cart', answers: { fields: { Cache-Control: max-age=60 } }; stored: false; ttl: 60s; its request was forwarded",
                "get: 'http://a.example/agent', answers: { fields: { Cache-Control: max-age=60 } }; stored: false; stored: true; Vary does not name the field",
                "get: 'http://a.example/agent', answers: { fields: { Cache-Control: max-age=60, Vary: X-Agent } }; ttl: 1m; ttl: 2m; is 1m",
                "get: 'http://a.example/a.css', answers: { fields: { Cache-Tag: news } }; tags: [static, news]; tags: []; is 'static, news'",
                "get: 'http://a.example/', answers: { status: 500 }; status: 502; status: 500; is '502'",
                "get: 'http://a.example/', answers: { type: text/html, fields: { Server: x } }; delivered: { fields: { Server: , Content-Type: text/html } }; delivered: { fields: { Server: x } }; is absent",
            })
    void anExpectationIsCompared(String test, String right, String wrong, String came)
            throws Exception {
        var line = test + ", expect: { %s }";

        var passing = tests(line.formatted(right));
        var failing = tests(line.formatted(wrong));

        assertThat(passing.differences()).isEmpty();
        assertThat(passing.summary()).isEqualTo("1 test, 1 passed");
        assertThat(failing.summary()).isEqualTo("1 test, 0 passed, 1 failed");
        assertThat(failing.differences())
                .singleElement()
                .asString()
                .contains("quire.yml:28:", ": tests[0].expect.", came, "(expected ");
    }

    /** A page replaces our own errors by {@code status}, those of origins by {@code intercept}. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "get: 'http://b.test/'; error-page: /errors/421.html; is '/errors/421.html'",
                "get: 'http://b.test/', fields: { Accept: application/json }; error-page: ; is absent",
                "get: 'http://a.example/', answers: { status: 500 }; error-page: /errors/502.html; is '/errors/502.html'",
                "get: 'http://a.example/', answers: { status: 404 }; error-page: /errors/404.html; is '/errors/404.html'",
                "get: 'http://a.example/', answers: { status: 410 }; error-page: ; is absent",
                "get: 'http://a.example/', answers: {}; error-page: ; is absent",
                "get: 'http://a.example/secret', fragment: true; error-page: ; is absent",
                "get: 'http://a.example/', fragment: true, answers: { status: 404 }; error-page: ; is absent",
                "get: 'http://a.example/', answers: { status: 404, type: text/csv }; delivered: { fields: { Content-Type: } }; is absent",
            })
    void theErrorPageOfAResponseIsKnown(String test, String right, String came) throws Exception {
        var line =
                test
                        + ", expect: { %s } }%nerror-pages: [{ status: [4xx, 5xx], intercept: 404,"
                        + " page: '/errors/{status}.html' }]%nx-rest: { a: b";
        var wrong = right.startsWith("error-page") ? "error-page: /other" : null;

        assertThat(tests(line.formatted(right)).differences()).isEmpty();
        if (wrong != null) {
            assertThat(tests(line.formatted(wrong)).differences())
                    .singleElement()
                    .asString()
                    .contains(": tests[0].expect.error-page: " + came + " (expected '/other')");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "get: 'http://a.example/later?a=1'; status: 308, location: 'https://a.example/later?a=1', cache: none, rules: [clean]",
                "get: 'https://a.example/later'; status: 503",
                "get: 'http://a.example/later', fields: { X-Forwarded-Proto: https }; status: 308",
                "get: 'http://a.example/later', client: 10.1.1.1, fields: { X-Forwarded-Proto: https }; status: 503",
                "get: 'http://a.example/.well-known/acme-challenge/1'; cache: lookup",
                "get: 'http://a.example/secret', fragment: true; status: 403",
                "get: 'http://b.test/'; status: 421",
            })
    void requestsWithoutTlsAreRedirectedAsTheProxyDoes(String test, String expected)
            throws Exception {
        var pair =
                new CertificateBuilder()
                        .subject("CN=a.example")
                        .addSanDnsName("a.example")
                        .setIsCertificateAuthority(true)
                        .ecp256()
                        .buildSelfSigned();
        Files.writeString(directory.resolve("a.pem"), pair.getCertificatePEM());
        Files.writeString(directory.resolve("a.key"), pair.getPrivateKeyPEM());

        var tests =
                tests(
                        "%s, expect: { %s } }%nlisten: { https: '127.0.0.1:443', redirect: https }%ntls: { certificates: [{ cert: a.pem, key: a.key }] }%nx-rest: { a: b"
                                .formatted(test, expected));

        assertThat(tests.differences()).isEmpty();
    }

    /** Of a fragment, since the rules remove this cookie from pages. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "cookies: { esi-variant: '%s' }; login:member",
                "fields: { Esi-Variant: 'login:member' }; none"
            })
    void readersGetTheVariantOfTheirCookie(String given, String variant) throws Exception {
        var key = new SignedVariant.Key("esi-variant", SECRET);
        var expires = Instant.EPOCH.plusSeconds(60);
        var cookie = key.sign(SignedVariant.of(Map.of("login", "member"), expires));

        var tests =
                tests(
                        "get: 'http://a.example/', fragment: true, %s, expect: { fields: { Esi-Variant: '%s' } } }%nvariants: { secret: %s }%nx-rest: { a: b"
                                .formatted(given.formatted(cookie), variant, SECRET));

        assertThat(tests.differences()).isEmpty();
    }

    @Test
    void theFirstDifferenceOfATestIsShown() throws Exception {
        var tests =
                tests("get: 'http://a.example/', expect: { cache: lookup, origin: x, host: y }");

        assertThat(tests.differences())
                .singleElement()
                .asString()
                .endsWith(": tests[0].expect.origin: is 'GET /' (expected 'x')");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "expect: {}; tests[0].get: is missing (expected get: URL, or method and url)",
                "get: 'ftp://a/'; tests[0].get: is not a URL with http or https",
                "get: 'http://a b/'; tests[0].get: has no valid host",
                "get: 'http://a/ä'; tests[0].get: contains",
                "get: 'http://a/', client: me; tests[0].client: invalid value 'me'",
                "get: 'http://a/', url: 'http://a/'; tests[0].get: cannot be combined with url",
                "get: 'http://a/', expect: { ttl: 5s }; tests[0].expect.ttl: needs the response",
                "get: 'http://a/', expect: { cache: hit }; tests[0].expect.cache: invalid value 'hit'",
                "get: 'http://a/', expect: { caches: hit }; tests[0].expect.caches: is an unknown key",
            })
    void aMistakeInATestIsAMistakeInTheFile(String test, String said) {
        var invalid = catchThrowableOfType(InvalidConfiguration.class, () -> tests(test));

        assertThat(invalid.problems()).singleElement().asString().contains(said);
    }

    private RuleTests tests(String test) throws IOException, InvalidConfiguration {
        var file =
                Files.writeString(
                        directory.resolve("quire.yml"), CONFIGURATION.replace("%s", test));
        return RuleTests.of(CheckedFile.of(file, warning -> {}), Instant.EPOCH);
    }
}
