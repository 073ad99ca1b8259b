package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SignedVariantTest {
    private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");
    private static final String SECRET = "0123456789abcdef0123456789abcdef";
    private static final SignedVariant.Key KEY = new SignedVariant.Key("esi-variant", SECRET);
    private static final SignedVariant MEMBER =
            SignedVariant.of(Map.of("role", "editor", "login", "member"), NOON.plusSeconds(60));

    @Test
    void cookieSaysPayloadExpiryAndMac() {
        var cookie = KEY.sign(MEMBER);

        assertThat(cookie).startsWith("login:member_role:editor." + (NOON.getEpochSecond() + 60));
        assertThat(cookie).matches("[a-z0-9:_-]+\\.[0-9]+\\.[A-Za-z0-9_-]{43}");
    }

    /** Computed with another implementation, so that both sides can rely on it. */
    @Test
    void macIsThatOfTheCookiesNameAndWhatItSays() {
        var variant =
                SignedVariant.of(Map.of("login", "member"), Instant.ofEpochSecond(2000000000));

        assertThat(KEY.sign(variant))
                .isEqualTo("login:member.2000000000.KvjbAcgqwYgx6VvnV83Smm9dWOJrb5I4lEpzvCXjOJY");
    }

    @Test
    void whatWasSignedIsVerified() {
        assertThat(KEY.verify(KEY.sign(MEMBER), NOON)).contains(MEMBER);
        assertThat(MEMBER.payload()).isEqualTo("login:member_role:editor");
    }

    @Test
    void expiredIsNotBelieved() {
        var cookie = KEY.sign(MEMBER);

        assertThat(KEY.verify(cookie, NOON.plusSeconds(59))).isPresent();
        assertThat(KEY.verify(cookie, NOON.plusSeconds(60))).isEmpty();
    }

    @Test
    void everyChangedCharacterIsNoticed() {
        var cookie = KEY.sign(MEMBER);

        for (int i = 0; i < cookie.length(); i++) {
            char other = cookie.charAt(i) == 'a' ? 'b' : 'a';
            var forged = cookie.substring(0, i) + other + cookie.substring(i + 1);
            assertThat(KEY.verify(forged, NOON)).as(forged).isEmpty();
        }
    }

    @Test
    void anotherSecretOrAnotherCookieIsAnotherKey() {
        var cookie = KEY.sign(MEMBER);

        var otherSecret = new SignedVariant.Key("esi-variant", SECRET.replace('0', '1'));
        var otherCookie = new SignedVariant.Key("esi-variant2", SECRET);

        assertThat(otherSecret.verify(cookie, NOON)).isEmpty();
        assertThat(otherCookie.verify(cookie, NOON)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ".", "..", "none", "login:member", "login:member.2000000000", "a.b.c.d"})
    void malformedSaysNothing(String cookie) {
        assertThat(KEY.verify(cookie, NOON)).isEmpty();
    }

    @Test
    void tooLongIsNotEvenLookedAt() {
        assertThat(KEY.verify("a".repeat(100_000), NOON)).isEmpty();
        assertThat(KEY.verify(KEY.sign(longest()), NOON)).contains(longest());
    }

    private static SignedVariant longest() {
        var values = new HashMap<String, String>();
        for (int i = 0; i < SignedVariant.MAX_NAMES; i++) {
            values.put("n".repeat(31) + i, "v".repeat(32));
        }
        return SignedVariant.of(values, Instant.ofEpochSecond(999_999_999_999L));
    }

    @Test
    void payloadIsReadBack() {
        assertThat(SignedVariant.values("login:member_role:editor"))
                .contains(new TreeMap<>(Map.of("login", "member", "role", "editor")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "none",
                "login",
                "login:",
                ":member",
                "login:member_",
                "_login:member",
                "role:a_login:b",
                "login:a_login:b",
                "Login:a",
                "login:a b",
                "login:a:b",
                "login:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "a:1_b:1_c:1_d:1_e:1_f:1_g:1_h:1_i:1"
            })
    void payloadThatNobodyWritesSaysNothing(String payload) {
        assertThat(SignedVariant.values(payload)).isEmpty();
    }

    @Test
    void eightNamesAreRead() {
        assertThat(SignedVariant.values("a:1_b:1_c:1_d:1_e:1_f:1_g:1_h:1")).isPresent();
    }

    @Test
    void whatCannotBeWrittenIsRefused() {
        assertThatThrownBy(() -> SignedVariant.of(Map.of(), NOON))
                .hasMessageContaining("1 to 8 names");
        assertThatThrownBy(() -> SignedVariant.of(Map.of("login", "a_b"), NOON))
                .hasMessageContaining("login:a_b");
        assertThatThrownBy(() -> SignedVariant.of(Map.of("a", "b"), Instant.MAX))
                .hasMessageContaining("expiry");
    }

    @Test
    void shortSecretIsRefusedWithoutBeingTold() {
        assertThatThrownBy(() -> new SignedVariant.Key("esi-variant", "hunter2"))
                .hasMessageContaining("at least 32 characters")
                .message()
                .doesNotContain("hunter2");
        assertThat(KEY.toString()).doesNotContain(SECRET);
    }
}
