package dev.quire.core.rule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class TextPatternTest {
    private static final int ROUNDS = 50_000;

    @Test
    void aGlobMatchesWhatTheSameExpressionOfTheJdkMatches() {
        var random = new Random(1);
        int matching = 0;
        for (int i = 0; i < ROUNDS; i++) {
            boolean ignoresCase = random.nextBoolean();
            var glob = text(random, "aBb**", 6);
            var value = text(random, "aAbB", 9);
            int start = random.nextInt(value.length() + 1);
            int end = start + random.nextInt(value.length() - start + 1);
            var part = value.substring(start, end);

            var pattern = TextPattern.of(glob, ignoresCase);

            boolean expected = expression(glob, ignoresCase).matcher(part).matches();
            assertThat(pattern.matches(value, start, end))
                    .describedAs("%s on %s, ignores case: %s", glob, part, ignoresCase)
                    .isEqualTo(expected);
            if (expected) {
                matching++;
                assertThat(pattern.mayBeIn(value)).describedAs("%s in %s", glob, value).isTrue();
            }
        }
        assertThat(matching).isGreaterThan(ROUNDS / 10);
    }

    private static Pattern expression(String glob, boolean ignoresCase) {
        return Pattern.compile(glob.replace("*", ".*"), ignoresCase ? Pattern.CASE_INSENSITIVE : 0);
    }

    private static String text(Random random, String characters, int length) {
        var text = new StringBuilder();
        for (int i = random.nextInt(length + 1); i > 0; i--) {
            text.append(characters.charAt(random.nextInt(characters.length())));
        }
        return text.toString();
    }
}
