package dev.quire.core.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
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

    @ParameterizedTest
    @CsvSource({
        "/**, /static/**, true",
        "/**, /, true",
        "/*, /a, true",
        "/*, /a/b, false",
        "/*, /**, false",
        "/static/**, /**, false",
        "/static/**, /static, false",
        "/static/**, /static/img/*.png, true",
        "/**/a, /b/*/a, true",
        "/**/a, /a, false",
        "/*a*, /**a**, false",
        "/*a*, /*ba, true",
        "/%7Euser/*, /~user/a, true",
        "/**.png, /img/**/*.png, true",
        "/img/**/*.png, /img/*.png, false",
    })
    void patternCoversAnotherOrNot(String wide, String narrow, boolean covers) {
        assertThat(new PathPattern(wide).covers(new PathPattern(narrow))).isEqualTo(covers);
    }

    @Test
    void patternThatCoversAnotherMatchesAllItsPathsAndOnlyThen() {
        var random = new Random(1);
        var paths = paths("ab/", 6);
        for (int i = 0; i < 2_000; i++) {
            var wide = new PathPattern("/" + letters(random, "ab/**", 5));
            var narrow = new PathPattern("/" + letters(random, "ab/**", 5));
            // One that has "//" matches other forms of a path than one that does not.
            boolean isCovered =
                    wide.isSimple() == narrow.isSimple()
                            && paths.stream().filter(narrow::matches).allMatch(wide::matches);

            assertThat(wide.covers(narrow)).as("%s covers %s", wide, narrow).isEqualTo(isCovered);
        }
    }

    @Test
    void patternsWithManyStarsCostABoundedTime() {
        var many = new PathPattern("/" + "*a*b".repeat(120));

        assertThat(new PathPattern("/**").covers(many)).isTrue();
        assertThat(many.covers(new PathPattern("/**"))).isFalse();
        assertThat(new PathPattern("/" + "**a*".repeat(125)).covers(many)).isFalse();
    }

    /** All paths of these letters up to that length. */
    private static List<String> paths(String letters, int length) {
        var all = new ArrayList<>(List.of("/"));
        for (int i = 0; i < all.size(); i++) {
            var path = all.get(i);
            if (path.length() < length) {
                letters.chars().forEach(c -> all.add(path + (char) c));
            }
        }
        return all;
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
