package dev.quire.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens, field names (§5.1) and field values (§5.5). */
class Rfc9110Section5_6_2Test {

    @Test
    void tokenCharactersAreLettersDigitsAndFifteenSymbols() {
        var token = new StringBuilder();
        for (int c = -1; c <= 0x200; c++) {
            if (FieldSyntax.isTokenChar(c)) {
                token.append((char) c);
            }
        }

        assertThat(token)
                .hasToString(
                        "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a:", "a\r\nb", "\u00e9", "a\u010d", "\u212a"})
    void otherTextIsNeitherTokenNorName(String text) {
        assertThat(FieldSyntax.isToken(text)).isFalse();
        assertThat(FieldSyntax.isName(text)).isFalse();
    }

    @Test
    void aNameWithAnUnderscoreIsATokenThatServersReadInTwoWays() {
        assertThat(FieldSyntax.isToken("X_Name")).isTrue();
        assertThat(FieldSyntax.isName("X_Name")).isFalse();
        assertThat(FieldSyntax.isName("X-Name")).isTrue();
    }

    @Test
    void aValueHasNoControlsExceptTab() {
        assertThat(FieldSyntax.isValue("")).isTrue();
        assertThat(FieldSyntax.isValue("a\tb \u00e9\u00ff")).isTrue();
        for (var wrong : new String[] {"\r", "\n", "\u0000", "\u001f", "\u007f", "\u0100"}) {
            assertThat(FieldSyntax.isValue("a" + wrong)).isFalse();
        }
    }

    @Test
    void aSetOfNamesIgnoresCase() {
        var names = FieldNames.of("te", "Upgrade", "trailer");

        assertThat(names.contains("TE")).isTrue();
        assertThat(names.contains("upgrade")).isTrue();
        assertThat(names.contains("Trailer")).isTrue();
        assertThat(names.contains("")).isFalse();
        assertThat(names.contains("trailers")).isFalse();
        assertThat(names.contains("upgrad3")).isFalse();
        assertThat(FieldNames.of().contains("")).isFalse();
    }

    @Test
    void aSetOfPrefixesIgnoresCase() {
        var names = FieldNames.of(Set.of("te"), Set.of("ssl-", "x-auth-"));

        assertThat(names.contains("TE")).isTrue();
        assertThat(names.contains("X-AUTH-User")).isTrue();
        assertThat(names.contains("ssl-")).isTrue();
        assertThat(names.contains("ssl")).isFalse();
        assertThat(names.contains("8-auth-user")).isFalse();
        assertThat(names.contains("")).isFalse();
        assertThat(names.isEmpty()).isFalse();
        assertThat(FieldNames.of(Set.of(), Set.of("a")).isEmpty()).isFalse();
    }

    @Test
    void onlyAWholeMarkIsAByteOrderMark() {
        assertThat(ByteOrderMark.isAtStartOf(new byte[] {(byte) 0xef, (byte) 0xbb, (byte) 0xbf}))
                .isTrue();
        assertThat(ByteOrderMark.isAtStartOf(new byte[] {(byte) 0xef, (byte) 0xbb, 'x'})).isFalse();
        assertThat(ByteOrderMark.isAtStartOf(new byte[] {(byte) 0xef, (byte) 0xbb})).isFalse();
    }
}
