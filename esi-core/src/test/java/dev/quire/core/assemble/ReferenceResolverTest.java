package dev.quire.core.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Reference.Allowed;
import dev.quire.core.assemble.Reference.Denied;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The references an include may have (docs/esi.md, Include), RFC 3986 §5. */
class ReferenceResolverTest {

    private static final CacheKey BASE = new CacheKey(Scheme.HTTP, "page.test", "/b/c/d;p?q");

    /** The examples of RFC 3986 §5.4 that stay at the base's authority. */
    @ParameterizedTest
    @CsvSource({
        "g, /b/c/g",
        "./g, /b/c/g",
        "g/, /b/c/g/",
        "/g, /g",
        "?y, /b/c/d;p?y",
        "g?y, /b/c/g?y",
        "'', /b/c/d;p?q",
        "#s, /b/c/d;p?q",
        "g#s, /b/c/g",
        "g?y#s, /b/c/g?y",
        ";x, /b/c/;x",
        "g;x, /b/c/g;x",
        "g;x?y#s, /b/c/g;x?y",
        "., /b/c/",
        "./, /b/c/",
        ".., /b/",
        "../, /b/",
        "../g, /b/g",
        "../.., /",
        "../../, /",
        "../../g, /g",
        "../../../g, /g",
        "../../../../g, /g",
        "/./g, /g",
        "/../g, /g",
        "g., /b/c/g.",
        ".g, /b/c/.g",
        "g.., /b/c/g..",
        "..g, /b/c/..g",
        "./../g, /b/g",
        "./g/., /b/c/g/",
        "g/./h, /b/c/g/h",
        "g/../h, /b/c/h",
        "g;x=1/./y, /b/c/g;x=1/y",
        "g;x=1/../y, /b/c/y",
        "g?y/./x, /b/c/g?y/./x",
        "g?y/../x, /b/c/g?y/../x",
        "g#s/./x, /b/c/g",
        "g#s/../x, /b/c/g",
        // and others
        "?, /b/c/d;p?",
        "??a?b, /b/c/d;p??a?b",
        "/a//b/../c, /a//c",
        "/a?b#c?d, /a?b",
        "/x:y, /x:y",
        "./x:y, /b/c/x:y",
        "x/http://y, /b/c/x/http://y",
        "/.../a, /.../a"
    })
    void aReferenceWithoutHostResolvesAgainstItsDocument(String src, String target) {
        var resolved = ReferenceResolver.OWN_AUTHORITY.resolve(src, BASE);

        assertThat(resolved).isEqualTo(new Allowed(new CacheKey(Scheme.HTTP, "page.test", target)));
    }

    @ParameterizedTest
    @CsvSource({
        "/, x, /x",
        "/, ?p=2, /?p=2",
        "/list?next=/a/b, ?p=2, /list?p=2",
        "/foo/bar?next=/a/b, body, /foo/body",
        "/a?b, '', /a?b",
        "/a/../b/c, d, /b/d"
    })
    void theQueryOfTheDocumentIsNoPartOfItsDirectory(String base, String src, String target) {
        var document = new CacheKey(Scheme.HTTPS, "page.test:8443", base);

        var resolved = ReferenceResolver.OWN_AUTHORITY.resolve(src, document);

        assertThat(resolved)
                .isEqualTo(new Allowed(new CacheKey(Scheme.HTTPS, "page.test:8443", target)));
    }

    @ParameterizedTest
    @CsvSource({
        "http://page.test/f, /f",
        "HTTP://PAGE.test/f, /f",
        "http://page.test:80/f, /f",
        "http://page.test:/f, /f",
        "http://page.test./f, /f",
        "//page.test/f, /f",
        "//page.test, /",
        "http://page.test, /",
        "http://page.test?a=/b, /?a=/b",
        "http://page.test#@evil.test/, /",
        "http://page.test/a/../../b?c/../d, /b?c/../d"
    })
    void thePagesOwnAuthorityIsAllowedHoweverItIsSpelt(String src, String target) {
        var resolved = ReferenceResolver.OWN_AUTHORITY.resolve(src, BASE);

        assertThat(resolved).isEqualTo(new Allowed(new CacheKey(Scheme.HTTP, "page.test", target)));
    }

    @ParameterizedTest
    @CsvSource({
        "http://other.test/f, HTTP, other.test",
        "https://other.test/f, HTTPS, other.test",
        "https://other.test:443/f, HTTPS, other.test",
        "//OTHER.test/f, HTTP, other.test",
        "//other.test./f, HTTP, other.test",
        "http://api.test:8080/f, HTTP, api.test:8080"
    })
    void aListedAuthorityIsAllowed(String src, Scheme scheme, String authority) {
        var resolver = new ReferenceResolver(Set.of("other.test", "api.test:8080"));

        var resolved = resolver.resolve(src, BASE);

        assertThat(resolved).isEqualTo(new Allowed(new CacheKey(scheme, authority, "/f")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://other.test:8080/f",
                "http://api.test/f",
                "http://sub.other.test/f",
                "http://other.test.evil/f",
                "http://other.test.:8080/f"
            })
    void aListedAuthorityAllowsNoOtherPortOrName(String src) {
        var resolver = new ReferenceResolver(Set.of("other.test", "api.test:8080"));

        assertThat(resolver.resolve(src, BASE)).isInstanceOf(Denied.class);
    }

    @ParameterizedTest
    @CsvSource({
        "/frag Hment, /frag%20Hment",
        "'/a\"b<c>d', /a%22b%3Cc%3Ed",
        "'/a^b`c{d|e}f', /a%5Eb%60c%7Bd%7Ce%7Df",
        "/a\\b, /a%5Cb",
        "/a[0]?b[]=1, /a%5B0%5D?b%5B%5D=1",
        "/\u00c3\u00a9?\u00ff, /%C3%A9?%FF",
        "/%41%2f%zz%4, /%41%2f%25zz%254",
        "/%, /%25",
        "/%0d%0aX, /%0d%0aX",
        "'?a b', /b/c/d;p?a%20b",
        "a b, /b/c/a%20b",
        "/a;b=c:d@e!$&'()*+~_-.?/?, /a;b=c:d@e!$&'()*+~_-.?/?"
    })
    void whatAUriMayNotHoldIsPercentEncodedAndTripletsStay(String src, String target) {
        var resolved = ReferenceResolver.OWN_AUTHORITY.resolve(src, BASE);

        assertThat(resolved).isEqualTo(new Allowed(new CacheKey(Scheme.HTTP, "page.test", target)));
    }

    @Test
    void blanksAndLineBreaksAroundAReferenceAreNoPartOfIt() {
        var base = new CacheKey(Scheme.HTTP, "page.test", "/a/b");

        var reference = ReferenceResolver.OWN_AUTHORITY.resolve(" \n/f \t", base);

        assertThat(reference)
                .isEqualTo(new Reference.Allowed(new CacheKey(Scheme.HTTP, "page.test", "/f")));
    }

    @Test
    void whatTheDocumentsOwnUrlHoldsStaysAsReceived() {
        var document = new CacheKey(Scheme.HTTP, "page.test", "/a|b/c?d|e");

        var resolved = ReferenceResolver.OWN_AUTHORITY.resolve("f|g", document);

        assertThat(resolved)
                .isEqualTo(new Allowed(new CacheKey(Scheme.HTTP, "page.test", "/a|b/f%7Cg")));
    }

    @Test
    void noControlCharacterReachesARequestLine() {
        for (char c = 0; c < 0x200; c++) {
            var resolved = ReferenceResolver.OWN_AUTHORITY.resolve("/a" + c + "b", BASE);

            boolean printable = (c >= ' ' && c < 0x7F) || (c >= 0x80 && c <= 0xFF);
            assertThat(resolved)
                    .as("char %d", (int) c)
                    .isInstanceOf(printable ? Allowed.class : Denied.class);
            if (resolved instanceof Allowed allowed) {
                assertThat(allowed.key().target()).matches("[!-~]+");
            }
        }
    }

    /** Threat E2: spellings of internal addresses. None is equal to the page's authority. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:9901/x",
                "//127.0.0.1:9901/x",
                "http://2130706433/x",
                "http://0177.0.0.1/x",
                "http://0x7f.0.0.1/x",
                "http://0x7f000001/x",
                "http://127.1/x",
                "http://0/x",
                "http://[::1]/x",
                "http://[::ffff:127.0.0.1]/x",
                "http://[fe80::1%25eth0]/x",
                "http://localhost/x",
                "http://localhost./x",
                "http://page.test.:9901/x",
                "http://page.test:9901/x",
                "http://page.test:080/x",
                "http://page.test@127.0.0.1/x",
                "http://user:secret@page.test/x",
                "http://@page.test/x",
                "http://page.test\\@127.0.0.1/x",
                "http://page.test%2f@127.0.0.1/x",
                "http://page.test%00.evil.test/x",
                "http://%70age.test/x",
                "http:\\\\127.0.0.1\\x",
                "\\\\127.0.0.1\\x",
                "/\\127.0.0.1/x",
                "\\/127.0.0.1/x",
                "http:127.0.0.1/x",
                "http:/127.0.0.1/x",
                "http:///127.0.0.1/x",
                "///127.0.0.1/x",
                "http:",
                "//",
                "/\t/127.0.0.1/x",
                "ht\ntp://127.0.0.1/x",
                "http://127.0.0.1 .page.test/x",
                "http://\u00b9\u00b27.0.0.1/x",
                "https://page.test/x",
                "ftp://page.test/x",
                "file:///etc/passwd",
                "gopher://page.test/x",
                "javascript:x",
                "data:,x",
                "localhost:9901/x"
            })
    void noSpellingOfAnotherPlaceIsAllowed(String src) {
        assertThat(ReferenceResolver.OWN_AUTHORITY.resolve(src, BASE)).isInstanceOf(Denied.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://page.test/x", "HTTP://PAGE.test:80/x", "https://page.test/x"})
    void anIncludeOfTheOwnAuthorityInAPageWithTlsHasItsScheme(String src) {
        var page = new CacheKey(Scheme.HTTPS, "page.test", "/dir/page");

        assertThat(ReferenceResolver.OWN_AUTHORITY.resolveInclude(src, page))
                .isEqualTo(new Allowed(new CacheKey(Scheme.HTTPS, "page.test", "/x")));
    }

    @Test
    void anIncludeKeepsAnotherSchemeThanThatOfThePage() {
        assertThat(ReferenceResolver.OWN_AUTHORITY.resolveInclude("https://page.test/x", BASE))
                .isInstanceOf(Denied.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/%2e%2e/x",
                "/a/.%2E/x",
                "/..%2fx",
                "/a/..%5Cx",
                "/x/..;/..;/y",
                "/x/%2e%2e;p=1/y",
                "//page.test/%2e/x",
                "../%2e%2e/x",
                "/a%2f..%2fb",
                "/a%00b"
            })
    void targetsThatAreRefusedFromClientsAreDenied(String src) {
        assertThat(ReferenceResolver.OWN_AUTHORITY.resolve(src, BASE)).isInstanceOf(Denied.class);
    }

    @Test
    void anAddressIsAllowedWhereItIsThePagesOwn() {
        var document = new CacheKey(Scheme.HTTP, "[::1]:8080", "/");

        var own = ReferenceResolver.OWN_AUTHORITY.resolve("http://[::1]:8080/f", document);
        var other = ReferenceResolver.OWN_AUTHORITY.resolve("http://[::1]:8081/f", document);

        assertThat(own).isEqualTo(new Allowed(new CacheKey(Scheme.HTTP, "[::1]:8080", "/f")));
        assertThat(other).isInstanceOf(Denied.class);
    }

    @Test
    void aDeniedReferenceSaysWhyWithoutItsOwnText() {
        var resolved = ReferenceResolver.OWN_AUTHORITY.resolve("http://secret.test/x", BASE);

        assertThat(resolved)
                .isEqualTo(new Denied("a host that is neither the page's own nor allowed"));
    }

    @Test
    void aLongPathOfDotsIsResolvedInOnePass() {
        var src = "/a".repeat(50_000) + "/..".repeat(50_000) + "/x";

        var resolved = ReferenceResolver.OWN_AUTHORITY.resolve(src, BASE);

        assertThat(resolved).isEqualTo(new Allowed(new CacheKey(Scheme.HTTP, "page.test", "/x")));
    }
}
