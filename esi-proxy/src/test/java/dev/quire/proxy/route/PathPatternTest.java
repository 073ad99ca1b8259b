package dev.quire.proxy.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathPatternTest {

    @ParameterizedTest
    @CsvSource({
        "/**, /, true",
        "/**, /a/b/c, true",
        "/, /, true",
        "/, /a, false",
        "/a, /a, true",
        "/a, /a/, false",
        "/a/*, /a/b, true",
        "/a/*, /a/, true",
        "/a/*, /a, false",
        "/a/*, /a/b/c, false",
        "/a/**, /a/b/c, true",
        "/a/**, /a, false",
        "/**.jpg, /x/y.jpg, true",
        "/**.jpg, /x/y.jpeg, false",
        "/*.jpg, /x/y.jpg, false",
        "/*.jpg, /.jpg, true",
        "/a*a, /a, false",
        "/a*a, /aa, true",
        "/**/b/*, /a/b/c, true",
        "/**/b/*, /b/c, false",
        "/**/b/*, /a/b/c/d, false",
        "/**a*/*c, /a/ab/xc, true",
        "/*a*b*, /xaybz, true",
        "/*a*b*, /xa/ybz, false",
        "/**ab, /aab, true",
        "/***, /a/b, true",
        "/*/**/c, /a/b/c, true",
        "/*/**/c, /a/c, false"
    })
    void pathFitsOrNot(String pattern, String path, boolean fits) {
        assertThat(new PathPattern(pattern).matches(path)).isEqualTo(fits);
    }

    @Test
    void patternsMeanWhatTheirExpressionMeans() {
        var random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            var text = "/" + letters(random, "ab/**", 7);
            var path = "/" + letters(random, "ab/", 9);
            var compared = text.contains("//") ? path : path.replaceAll("/+", "/");
            var expression = text.replace("**", "\0").replace("*", "[^/]*").replace("\0", ".*");

            assertThat(new PathPattern(text).matches(path))
                    .as("%s on %s", text, path)
                    .isEqualTo(Pattern.matches(expression, compared));
        }
    }

    @Test
    void workGrowsWithPatternTimesPathHoweverMeantItIs() {
        for (var text : new String[] {"/**a*a*a*b", "/**a*c", "/**a**a**a**b", "/*a*a*a*a*b/**"}) {
            var path = new Counted("/" + "a".repeat(8_000) + "/" + "a".repeat(8_000));

            assertThat(new PathPattern(text).matches(path)).isFalse();

            assertThat(path.steps).isLessThan((text.length() + 2L) * path.length());
        }
    }

    @Test
    void pathsWithOneStarAtMostAreReadOnce() {
        var path = new Counted("/a/" + "b".repeat(8_000) + "/c");

        new PathPattern("/a/*").matches(path);
        new PathPattern("/**").matches(path);
        new PathPattern("/a/**/c").matches(path);

        assertThat(path.steps).isLessThan(path.length() + 20L);
    }

    @Test
    void patternMustStartWithASlash() {
        assertThatThrownBy(() -> new PathPattern("a/*"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a/*");
    }

    private static String letters(Random random, String from, int max) {
        var text = new StringBuilder();
        for (int i = random.nextInt(max); i > 0; i--) {
            text.append(from.charAt(random.nextInt(from.length())));
        }
        return text.toString();
    }

    /** A path that counts accesses. */
    private static final class Counted implements CharSequence {
        private final String text;
        private long steps;

        Counted(String text) {
            this.text = text;
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            steps++;
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
