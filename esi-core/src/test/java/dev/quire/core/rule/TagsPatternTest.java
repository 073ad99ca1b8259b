package dev.quire.core.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.expression.SearchPattern;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TagsPatternTest {
    private static final List<List<String>> TAGGED =
            List.of(
                    List.of(),
                    List.of("a"),
                    List.of("b", "a"),
                    List.of("ab"),
                    List.of("x", "article-8", "y"),
                    List.of("article-80"),
                    List.of("v1.2"),
                    List.of("v1x2"),
                    List.of("a|b"),
                    List.of("(^"),
                    List.of("news item"),
                    List.of("^a$"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(^|,)(a)(,|$)",
                "(^|,)(article\\-8|b)(,|$)",
                "(^|,)(v1\\.2)(,|$)",
                "(^|,)(v1.2)(,|$)",
                "(^|,)(a\\|b)(,|$)",
                "(^|,)(\\(\\^)(,|$)",
                "(^|,)(news item|x)(,|$)",
                "(^|,)(article-\\d+)(,|$)",
                "(^|,)(a|[bx])(,|$)",
                "(^|,)()(,|$)",
                "(^|,)(a|)(,|$)",
                "(^|,)(a)(,|$)(,|$)",
                "(^|,)(a)|(b)(,|$)",
                "(a|b)(,.+)?$",
                "^article",
                "a"
            })
    void expressionOfLiteralTagsMatchesLikeASearch(String expression) {
        var pattern = TagsPattern.of(expression, 512, 1_000);
        var search = SearchPattern.of(expression, 1_000);

        for (var tags : TAGGED) {
            assertThat(pattern.matches(tags))
                    .as("%s in %s", expression, tags)
                    .isEqualTo(search.isFoundIn(String.join(",", tags)));
        }
    }

    @Test
    void listOfTagsMayBeLongerThanOtherExpressions() {
        var tags =
                IntStream.range(1_000, 1_500)
                        .mapToObj(number -> "article\\-" + number)
                        .collect(Collectors.joining("|"));

        var pattern = TagsPattern.of("(^|,)(" + tags + ")(,|$)", 512, 1_000);

        assertThat(pattern.matches(List.of("front", "article-1499"))).isTrue();
        assertThat(pattern.matches(List.of("article-1500"))).isFalse();
        assertThatThrownBy(() -> TagsPattern.of("(" + tags + ")", 512, 1_000))
                .hasMessageContaining("512 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"(((a{1000}){1000}){1000})", "(^|,)((a{1000}){1000})(,|$)", "a(", "\\"})
    void largeOrMalformedExpressionIsRefused(String expression) {
        assertThatThrownBy(() -> TagsPattern.of(expression, 512, 1_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expression");
    }
}
