package dev.quire.news.writing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PhraseTest {
    private static final Dice DICE = Dice.of("TURNOUT", 1);

    @Test
    void factsStandInTheirPlaces() {
        var facts = new Facts().with("district", "jeju").with("voted", 12_345);

        var text = Phrase.parse("{District}: {voted} voted in {district}").tell(facts, DICE);

        assertThat(text).isEqualTo("Jeju: 12,345 voted in jeju");
    }

    @Test
    void oneWordingOfAChoiceIsTold() {
        var phrase = Phrase.parse("a [b|[c|d] e|] f");

        var texts =
                IntStream.range(0, 200)
                        .mapToObj(i -> phrase.tell(new Facts(), Dice.of("TURNOUT", i)))
                        .distinct();

        assertThat(texts).containsExactlyInAnyOrder("a b f", "a c e f", "a d e f", "a  f");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{open", "[open|still", "shut]", "shut}", "a|b"})
    void aBracketWithoutPartnerIsRefused(String source) {
        assertThatThrownBy(() -> Phrase.parse(source))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(source);
    }

    @Test
    void anUnknownFactIsNamedWithThoseThatAreKnown() {
        var phrase = Phrase.parse("{turnuot}");
        var facts = new Facts().with("turnout", 1);

        assertThatThrownBy(() -> phrase.tell(facts, DICE))
                .hasMessageContaining("{turnuot}")
                .hasMessageContaining("turnout");
    }

    @Test
    void aManuscriptWithAWrongBlockNamesFileAndLine() {
        var lines = List.of("# headline", "One", "# stanfirst");

        assertThatThrownBy(() -> Manuscript.parse("story.txt", lines))
                .hasMessageContaining("story.txt:3")
                .hasMessageContaining("# standfirst");
    }

    @Test
    void aFactThatCannotBeReadNamesFileAndLine() {
        assertThatThrownBy(
                        () -> Manuscript.parse("story.txt", List.of("# facts", "wait = between(2")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("story.txt:2: ");
    }
}
