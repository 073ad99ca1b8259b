package dev.quire.test;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DomDifferenceTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    <p>one</p>                    | <p>two</p>                    | p (text)                    | one       | two
                    <p title=a>x</p>              | <p title=b>x</p>              | p (@title)                  | a         | b
                    <p>x</p>                      | <p hidden>x</p>               | p (@hidden)                 |           | hidden
                    <ul><li>a<li>b</ul>           | <ul><li>a<li>c</ul>           | ul > li:nth-child(2) (text) | b         | c
                    <ul><li>a</ul>                | <ul><li>a<li>c</ul>           | ul (content)                |           | <li>c</li>
                    <p>a<b>c</b></p>              | <p>a<i>c</i></p>              | p (content)                 | <b>c</b>  | <i>c</i>
                    <!-- a -->                    | <!-- b -->                    | body (comment)              | a         | b
                    <script>a</script>            | <script>b</script>            | script (script or style)    | a         | b
                    <html><head><title>a</title>  | <html><head><title>b</title>  | head > title (text)         | a         | b
                    <tr class=a><td>x</td></tr>   | <tr class=b><td>x</td></tr>   | tr.a (@class)               | a         | b
                    <td>x</td> <td title=a>y</td> | <td>x</td> <td title=b>y</td> | td:nth-child(2) (@title)    | a         | b
                    <tbody id=a><tr><td>x         | <tbody id=b><tr><td>x         | tbody (@id)                 | a         | b
                    <!-- rows --><tr><td>x        | <!-- rows --><tr><td>y        | tr > td (text)              | x         | y
                    <div class="live x1">a</div>  | <div class="live x1">b</div>  | div.live (text)             | a         | b
                    """)
    void namesTheFirstPlaceAndBothSides(
            String one, String other, String place, @Nullable String left, @Nullable String right) {
        var differences = DomDifference.between(DomDifference.tree(one), DomDifference.tree(other));

        assertThat(differences).hasSize(1);
        assertThat(differences.getFirst().place()).isEqualTo(place);
        assertThat(differences.getFirst().left()).isEqualTo(left == null ? "" : left);
        assertThat(differences.getFirst().right()).isEqualTo(right == null ? "" : right);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    <p class="a b" id=x>one</p> | <p id='x' class="b  a"> one </p>
                    <ul><li>a</li></ul>         | <ul> <li>a </ul>
                    &lt;b&gt; &amp; &#39;       | &lt;b> &amp; '
                    """)
    void seesNoDifferenceInHowItIsWritten(String one, String other) {
        assertThat(DomDifference.between(DomDifference.tree(one), DomDifference.tree(other)))
                .isEmpty();
    }

    @Test
    void goesOnBehindTheFirst() {
        var differences =
                DomDifference.between(
                        DomDifference.tree("<p>a</p><p>b</p><p title=c>d</p>"),
                        DomDifference.tree("<p>A</p><p>b</p><p title=C>D</p>"));

        assertThat(differences)
                .extracting(DomDifference::place)
                .containsExactly(
                        "p:nth-child(1) (text)",
                        "p:nth-child(3) (@title)",
                        "p:nth-child(3) (text)");
    }

    @Test
    void whatIsBelowAnotherElementAltogetherIsPartOfIt() {
        var whole =
                DomDifference.between(
                                DomDifference.tree("<div><b>x</b></div>"),
                                DomDifference.tree("<div><i>x</i></div>"))
                        .getFirst();
        var below =
                DomDifference.between(
                                DomDifference.tree("<div><b>x</b></div>"),
                                DomDifference.tree("<div><b>y</b></div>"))
                        .getFirst();

        assertThat(below.isWithin(whole)).isTrue();
        assertThat(whole.isWithin(below)).isFalse();
    }
}
