package dev.quire.core.rule;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 7617 §2. */
class BasicLoginTest {
    private static final String ALADDIN = "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==";

    @Test
    void nameAndPasswordAreParted() {
        var login = BasicLogin.of(List.of(ALADDIN)).orElseThrow();

        assertThat(login.user()).isEqualTo("Aladdin");
        assertThat(new String(login.password(), UTF_8)).isEqualTo("open sesame");
    }

    @ParameterizedTest
    @ValueSource(strings = {"basic", "BASIC", "bAsIc", "Basic   "})
    void schemeIsReadInAnyCase(String scheme) {
        assertThat(BasicLogin.of(List.of(scheme + " QTpi"))).isPresent();
    }

    @Test
    void passwordMayHaveColonsAndBeEmpty() {
        assertThat(password("a:b:c")).isEqualTo("b:c");
        assertThat(password("a:")).isEmpty();
        assertThat(password(":b")).isEqualTo("b");
    }

    @Test
    void nameIsReadAsUtf8AndThePasswordIsBytes() {
        var pair = "j\u00fcrgen:gr\u00fc\u00dfe".getBytes(UTF_8);

        var login = BasicLogin.of(List.of(line(pair))).orElseThrow();

        assertThat(login.user()).isEqualTo("j\u00fcrgen");
        assertThat(login.password()).isEqualTo("gr\u00fc\u00dfe".getBytes(UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Basic",
                "Basic ",
                "BasicQTpi",
                "Basic\tQTpi",
                "Bearer QTpi",
                "Basic QTpi, Basic QTpi",
                "Basic QTpi QTpi",
                "Basic QWI=",
                "Basic QT!pi",
                "Basic \u00a0",
                " Basic QTpi"
            })
    void otherLinesAreNoLogin(String line) {
        assertThat(BasicLogin.of(List.of(line))).isEmpty();
    }

    @Test
    void twoLinesAreNoLogin() {
        assertThat(BasicLogin.of(List.of(ALADDIN, ALADDIN))).isEmpty();
        assertThat(BasicLogin.of(List.of())).isEmpty();
    }

    @Test
    void hashesAreNotShown() {
        var hash = "$2y$05$abcdefghijklmnopqrstuupx2xBUC4954936wVIjyyPHmUBFu0wCW";

        var credentials = new Credentials("Members", false, Map.of("anna", new PasswordHash(hash)));

        assertThat(credentials.toString() + credentials.hashes()).doesNotContain("abcdef");
        assertThat(new Ending.Login("login", credentials).toString()).doesNotContain("abcdef");
    }

    @Test
    void unknownUserHasAHashOfTheSameCost() {
        var credentials =
                new Credentials(
                        "Members",
                        false,
                        Map.of("anna", new PasswordHash("$2y$11$" + "a".repeat(53))));

        assertThat(credentials.hashOf("bert").cost()).isEqualTo(11);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "secret",
                "{SHA}x",
                "$apr1$x$y",
                "$2x$05$",
                "$2y$03$",
                "$2y$15$",
                "$2$05$"
            })
    void othersAreNoHashes(String start) {
        assertThat(PasswordHash.of(start + "a".repeat(53))).isEmpty();
        assertThatThrownBy(() -> new PasswordHash(start + "a".repeat(53)))
                .hasMessage("not a bcrypt hash");
    }

    private static String password(String pair) {
        var login = BasicLogin.of(List.of(line(pair.getBytes(ISO_8859_1)))).orElseThrow();
        return new String(login.password(), ISO_8859_1);
    }

    private static String line(byte[] pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair);
    }
}
