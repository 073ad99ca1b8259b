package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quire.spring.internal.settings.StampProperties;
import dev.quire.spring.internal.stamp.Placeholder;
import dev.quire.spring.internal.stamp.StampSwap;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaceholderTest {

    /** Repeats its own start, so that a false start may hide a true one. */
    private static final String SECRET = "abababababababababac_-";

    private static final String NONCE = "0123456789012345678901";
    private static final Placeholder PLACEHOLDER =
            Placeholder.of(new StampProperties(true, SECRET));

    private static final String PAGE =
            "ab%1$s:abab%1$s%1$s:x</esi:%1$s:try>$%1$s:(A)ababababababababababababac_-:aba"
                    .formatted(SECRET);

    private static String swapped(String page) {
        return page.replace(SECRET, NONCE);
    }

    private static String removed(String page) {
        return page.replace(SECRET + ":", "");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * Returns {@code page} passed through {@code swap}.
     *
     * @param instead the replacement of the whole secret
     */
    private static String passed(
            StampSwap swap, String page, int piece, UnaryOperator<String> instead)
            throws IOException {
        var out = new ByteArrayOutputStream();
        var bytes = bytes(page);
        for (int at = 0; at < bytes.length; at += piece) {
            swap.write(bytes, at, Math.min(piece, bytes.length - at), out);
            // all earlier bytes are written, except a possible start of a placeholder
            int known =
                    instead.apply(page.substring(0, Math.min(page.length(), at + piece))).length();
            assertThat(out.size()).isBetween(known - SECRET.length(), known);
            assertThat(swap.isKeeping()).isEqualTo(out.size() < known);
        }
        swap.finish(out);
        assertThat(bytes).isEqualTo(bytes(page));
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 21, 22, 23, 1000})
    void thePlaceholderIsFoundHoweverItIsCut(int piece) throws IOException {
        assertThat(passed(PLACEHOLDER.swapFor(NONCE), PAGE, piece, PlaceholderTest::swapped))
                .isEqualTo(swapped(PAGE))
                .hasSameSizeAs(PAGE);
        assertThat(passed(PLACEHOLDER.removal(), PAGE, piece, PlaceholderTest::removed))
                .isEqualTo(removed(PAGE));
    }

    @Test
    void anyTextPassesAsItIs() throws IOException {
        var random = new Random(42);
        for (int round = 0; round < 500; round++) {
            var text = new StringBuilder();
            while (text.length() < 200) {
                switch (random.nextInt(4)) {
                    case 0 -> text.append(SECRET, 0, random.nextInt(SECRET.length() + 1));
                    case 1 -> text.append("ab");
                    case 2 -> text.append(SECRET);
                    default -> text.append((char) random.nextInt(256));
                }
            }
            var page = text.toString();

            assertThat(
                            passed(
                                    PLACEHOLDER.swapFor(NONCE),
                                    page,
                                    1 + random.nextInt(60),
                                    PlaceholderTest::swapped))
                    .isEqualTo(swapped(page));
        }
    }

    @Test
    void noMoreThanTheBeginningOfAStampIsKeptBack() throws IOException {
        var swap = PLACEHOLDER.swapFor(NONCE);
        var out = new ByteArrayOutputStream();

        swap.write(bytes("text" + SECRET.substring(0, 21)), 0, 25, out);
        assertThat(out.toString(StandardCharsets.ISO_8859_1)).isEqualTo("text");
        swap.write(bytes("!"), 0, 1, out);
        assertThat(out.toString(StandardCharsets.ISO_8859_1))
                .isEqualTo("text" + SECRET.substring(0, 21) + "!");
    }

    @Test
    void aWholeBodyWithoutStampsIsLeftAlone() {
        var page = bytes("<p>nothing</p>");

        assertThat(PLACEHOLDER.removedFrom(page)).isSameAs(page);
        assertThat(PLACEHOLDER.isIn(page, page.length)).isFalse();
        assertThat(PLACEHOLDER.isIn(bytes(PAGE), PAGE.length())).isTrue();
        assertThat(Placeholder.OFF.removedFrom(bytes(PAGE))).isEqualTo(bytes(PAGE));
        assertThat(Placeholder.OFF.isIn(bytes(PAGE), PAGE.length())).isFalse();
    }

    @Test
    void everyProcessHasItsOwnSecretAndNobodySeesIt() {
        var one = Placeholder.of(new StampProperties(true, null));
        var other = Placeholder.of(new StampProperties(true, null));

        assertThat(one.secret()).matches("[A-Za-z0-9_-]{22}").isNotEqualTo(other.secret());
        assertThat(one.mark()).isEqualTo(one.secret() + ":");
        assertThat(one.toString()).doesNotContain(one.secret());
        assertThat(new StampProperties(true, SECRET).toString()).doesNotContain(SECRET);
        assertThat(Placeholder.of(new StampProperties(false, SECRET)).mark()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "short", "012345678901234567890123", "01234567890123456789+/"})
    void aWrongPlaceholderIsRefusedAndNotRepeated(String wrong) {
        var refusal =
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> new StampProperties(true, wrong))
                        .withMessageContaining("quire.stamp.placeholder")
                        .withMessageContaining("expected 22 letters, digits");
        if (!wrong.isEmpty()) {
            refusal.withMessageNotContaining(wrong);
        }
    }
}
