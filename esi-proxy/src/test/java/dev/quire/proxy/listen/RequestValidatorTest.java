package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.proxy.listen.Incoming.Refused;
import dev.quire.proxy.listen.Incoming.Sound;
import dev.quire.proxy.listen.Incoming.ValidationResult;
import dev.quire.proxy.listen.RequestValidator.Version;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that raw HTTP/1.1 bytes cannot produce, only HTTP/2 or a lenient decoder. */
class RequestValidatorTest {
    private static final Fields HOST = Fields.of("Host", "h");

    private final RequestValidator validator =
            new RequestValidator(Scheme.HTTP, host -> true, Optional::empty, method -> false);

    @Test
    void theFieldsOfASoundRequestAreNotCopied() {
        var sound = (Sound) check("GET", "/", HOST);

        assertThat(sound.head().fields()).isSameAs(HOST);
    }

    @Test
    void fieldsWithUnderscoresAreLeftOut() {
        var fields = Fields.of("Host", "h", "X_Forwarded_For", "1.2.3.4", "X-A", "1", "x_a", "2");

        var sound = (Sound) check("GET", "/", fields);

        assertThat(sound.head().fields()).isEqualTo(Fields.of("Host", "h", "X-A", "1"));
    }

    @Test
    void theAuthorityOfAnAbsoluteTargetTakesThePlaceOfHost() {
        var sound = (Sound) check("GET", "http://o:81/a", Fields.of("X", "1", "host", "h"));

        assertThat(sound.head().authority()).isEqualTo("o:81");
        assertThat(sound.head().fields()).isEqualTo(Fields.of("X", "1", "host", "o:81"));
    }

    @Test
    void anAbsoluteTargetNamesTheSchemeOfTheListener() {
        var secure =
                new RequestValidator(Scheme.HTTPS, host -> true, Optional::empty, method -> false);

        assertThat(secure.check("GET", "https://o/a", Version.HTTP_1_1, HOST))
                .isInstanceOf(Sound.class);
        assertThat(secure.check("GET", "http://o/a", Version.HTTP_1_1, HOST))
                .isInstanceOf(Refused.class);
    }

    @Test
    void lineBreaksInValuesAreRefused() {
        assertThat(reason("GET", "/", Fields.of("Host", "h", "X", "a\r\nY: b")))
                .isEqualTo(RefusalReason.BAD_FIELD_VALUE);
        assertThat(reason("GET", "/", Fields.of("Host", "h", "X: a\r\nY", "b")))
                .isEqualTo(RefusalReason.BAD_FIELD_NAME);
        assertThat(reason("GET", "/a\r\nb", HOST)).isEqualTo(RefusalReason.BAD_TARGET);
        assertThat(reason("GET", "/\u00fc", HOST)).isEqualTo(RefusalReason.BAD_TARGET);
        assertThat(reason("G T", "/", HOST)).isEqualTo(RefusalReason.BAD_METHOD);
        assertThat(reason("", "/", HOST)).isEqualTo(RefusalReason.BAD_METHOD);
        assertThat(reason("GET", "", HOST)).isEqualTo(RefusalReason.BAD_TARGET);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/..",
                "/../",
                "/a/../..",
                "/a/../../b",
                "/./..",
                "//..",
                "/a//../..",
                "/%2e%2e",
                "/.%2E/a",
                "/%2e./a",
                "/a%2f..%2f..",
                "/a%2fb/../..",
                "/..%2fa",
                "/..%5ca",
                "/a/..%2F../b",
                "/..;/a",
                "/a/..;x=1/b",
                "/a/%2e%2e;/b",
                "/a/..%3b/b",
                "/a/b/..;",
                "/a/..",
                "/a/b/../../c",
                "/..a/..",
                "/a/%2e%2e/b",
                "/a/.;b",
                "/a/b%2f.."
            })
    void pathsWithADotSegmentInSomeReadingAreRefused(String target) {
        assertThat(reason("GET", target, HOST)).isEqualTo(RefusalReason.DOT_SEGMENT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "//",
                "/...",
                "/.a",
                "/a%2Fb",
                "/a;b/c",
                "/%252e%252e/",
                "/?/../..",
                "/a?..;",
                "/a.b/c..d",
                "/%C3%BC"
            })
    void pathsInsideTheRootPassAsTheyAre(String target) {
        var sound = (Sound) check("GET", target, HOST);

        assertThat(sound.head().target()).isEqualTo(target);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "h",
                "H.example",
                "a-b_c",
                "h:1",
                "h:65535",
                "h:080",
                "127.0.0.1",
                "[::1]",
                "[2001:db8::1]:443",
                "h."
            })
    void saneHostsPass(String host) {
        assertThat(check("GET", "/", Fields.of("Host", host))).isInstanceOf(Sound.class);
    }

    static Stream<String> absurdHosts() {
        return Stream.of(
                "",
                "a~d",
                "%C3%BC.example",
                "a'b",
                "a(b)",
                "a;b",
                "a,b",
                "a=b&c",
                "a$b",
                "a*b",
                "a!b",
                "a+b",
                ":80",
                "h:",
                "h:0",
                "h:65536",
                "h:123456",
                "h:+1",
                "h:8a",
                "h:80:80",
                "a b",
                "a\tb",
                "h/a",
                "h?a",
                "h#a",
                "u@h",
                "h\\a",
                "<h>",
                "\"h\"",
                "h\u00fc",
                "h%",
                "h%zz",
                "h%2f",
                "h%00",
                "h%40o",
                "[::1",
                "::1",
                "[::1]x",
                "[]",
                "[::g]",
                "[fe80::1%25eth0]",
                "[1.2.3.4]",
                "[v1.x]",
                "a".repeat(256));
    }

    @ParameterizedTest
    @MethodSource("absurdHosts")
    void absurdHostsAreRefused(String host) {
        assertThat(reason("GET", "/", Fields.of("Host", host))).isEqualTo(RefusalReason.BAD_HOST);
    }

    @Test
    void aHostOf255CharactersPasses() {
        assertThat(check("GET", "/", Fields.of("Host", "a".repeat(255)))).isInstanceOf(Sound.class);
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP_1_1, , true",
        "HTTP_1_1, close, false",
        "HTTP_1_1, 'keep-alive, close', false",
        "HTTP_1_0, , false",
        "HTTP_1_0, Keep-Alive, true",
        "HTTP_1_0, 'close, keep-alive', false"
    })
    void keepAliveFollowsVersionAndConnection(
            Version version, String connection, boolean expected) {
        var fields = connection == null ? HOST : Fields.of("Host", "h", "Connection", connection);

        var sound = (Sound) validator.check("GET", "/", version, fields);

        assertThat(sound.keepAlive()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PURGE", "BAN"})
    void methodsForCachesAreNotForClients(String method) {
        assertThat(check(method, "/", HOST))
                .isEqualTo(new Refused(RefusalReason.METHOD_NOT_ALLOWED, method, false));
    }

    @Test
    void namesOfFieldsAreBounded() {
        assertThat(check("GET", "/", Fields.of("Host", "h", "x".repeat(1024), "v")))
                .isInstanceOf(Sound.class);
        assertThat(check("GET", "/", Fields.of("Host", "h", "x".repeat(1025), "v")))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused ->
                                assertThat(refused.reason())
                                        .isEqualTo(RefusalReason.FIELD_NAME_TOO_LONG));
        assertThat(RefusalReason.FIELD_NAME_TOO_LONG.status()).isEqualTo(431);
    }

    @Test
    void whatIsUnderstoodButNotServedClosesOnlyWithABody() {
        assertThat(check("TRACE", "/", HOST))
                .isEqualTo(new Refused(RefusalReason.METHOD_NOT_ALLOWED, "TRACE", false));
        assertThat(check("TRACE", "/", Fields.of("Host", "h", "Content-Length", "1")))
                .isEqualTo(new Refused(RefusalReason.METHOD_NOT_ALLOWED, "TRACE", true));
        assertThat(check("TRACE", "/", Fields.of("Host", "h", "Connection", "close")))
                .isEqualTo(new Refused(RefusalReason.METHOD_NOT_ALLOWED, "TRACE", true));
    }

    @Test
    void theRefusalShowsWhatWasFoundEscaped() {
        assertThat(check("GET", "/a\u001b[1m\"", HOST))
                .isEqualTo(new Refused(RefusalReason.BAD_TARGET, "/a\\x1b[1m\\x22", true));
    }

    private ValidationResult check(String method, String target, Fields fields) {
        return validator.check(method, target, Version.HTTP_1_1, fields);
    }

    private RefusalReason reason(String method, String target, Fields fields) {
        return ((Refused) check(method, target, fields)).reason();
    }
}
