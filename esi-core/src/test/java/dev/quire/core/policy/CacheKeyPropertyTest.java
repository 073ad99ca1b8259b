package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Reference;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.Scheme;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Keys of stored responses, and targets of includes (RFC 9111 §2, RFC 3986 §5). */
class CacheKeyPropertyTest {

    private static final String ALLOWED = "other.test";
    private static final ReferenceResolver RESOLVER = new ReferenceResolver(Set.of(ALLOWED));

    @Provide
    Arbitrary<CacheKey> keys() {
        return keys(
                "/",
                "a",
                "b",
                "..",
                ".",
                "?",
                "=",
                "&",
                "%2f",
                "%00",
                "|",
                ":",
                "@",
                "//example.test");
    }

    /** Keys with a valid target. */
    @Provide
    Arbitrary<CacheKey> documents() {
        return keys("/", "a", "b", "?", "=", "%2f", ":");
    }

    private static Arbitrary<CacheKey> keys(String... parts) {
        return Combinators.combine(
                        Arbitraries.of(Scheme.class),
                        Arbitraries.of(
                                "example.test",
                                "example.test:80",
                                "example.test:443",
                                "example.test:8080",
                                "EXAMPLE.test",
                                "[::1]",
                                "[::1]:80",
                                "other.test"),
                        Arbitraries.of(parts)
                                .list()
                                .ofMaxSize(6)
                                .map(target -> "/" + String.join("", target)))
                .as(CacheKey::new);
    }

    @Provide
    Arbitrary<String> references() {
        return Arbitraries.of(
                        "/",
                        "//",
                        "\\",
                        "..",
                        ".",
                        "a",
                        "?",
                        "#",
                        ":",
                        "@",
                        "%",
                        "%2e",
                        "%2f",
                        "%00",
                        "%0d",
                        "|",
                        " ",
                        "\n",
                        "\r",
                        "\u0000",
                        "\t",
                        "\u007f",
                        "\u00e4",
                        "<",
                        "\"",
                        "http:",
                        "https:",
                        "HTTP://",
                        "javascript:",
                        "file:///",
                        "example.test",
                        "other.test",
                        "evil.test",
                        "example.test:80",
                        "example.test@evil.test",
                        "127.0.0.1",
                        "[::1]",
                        "\u0100",
                        "?a=b&c=d")
                .list()
                .ofMaxSize(8)
                .map(parts -> String.join("", parts));
    }

    @Property
    void keysAreEqualExactlyIfTheirUrlsAre(
            @ForAll("keys") CacheKey one, @ForAll("keys") CacheKey other) {
        assertThat(one.equals(other)).isEqualTo(one.url().equals(other.url()));
        assertThat(one.path()).startsWith("/").doesNotContain("?");
        assertThat(new CacheKey(one.scheme(), one.authority(), one.target())).isEqualTo(one);
    }

    @Property
    void referenceNeverLeavesTheHostsItMayNameNorTheRequestLine(
            @ForAll("references") String text, @ForAll("documents") CacheKey base) {
        switch (RESOLVER.resolve(text, base)) {
            case Reference.Denied denied -> assertThat(denied.why()).isNotEmpty();
            case Reference.Allowed allowed -> {
                var key = allowed.key();
                boolean isOwn =
                        key.scheme() == base.scheme() && key.authority().equals(base.authority());
                assertThat(isOwn || key.authority().equals(ALLOWED)).isTrue();
                assertThat(key.target()).matches("/[!-~&&[^#\"<>\\\\^`{|}]]*");
                assertThat(key.path() + "/").doesNotContain("/../").doesNotContain("/./");
            }
        }
    }

    @Property
    void whatHasBeenResolvedIsResolvedToItself(
            @ForAll("references") String text, @ForAll("documents") CacheKey base) {
        if (RESOLVER.resolve(text, base) instanceof Reference.Allowed allowed) {
            assertThat(RESOLVER.resolve(allowed.key().url(), base)).isEqualTo(allowed);
        }
    }
}
