package dev.quire.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lists in fields. */
@Tag("must")
class Rfc9110Section5_6_1Test {

    @Test
    void allLinesAreOneList() {
        assertThat(FieldList.members(List.of("a, b", "c"))).containsExactly("a", "b", "c");
    }

    @Test
    void emptyMembersAndWhiteSpaceAreLeftOut() {
        assertThat(FieldList.members(List.of(" ,a\t,, b ,", ""))).containsExactly("a", "b");
    }

    @Test
    void commaInQuotesPartsNothing() {
        assertThat(FieldList.members(List.of("a=\"1, 2\", b"))).containsExactly("a=\"1, 2\"", "b");
    }

    @Test
    void escapedQuoteClosesNothing() {
        assertThat(FieldList.members(List.of("a=\"1\\\", 2\", b")))
                .containsExactly("a=\"1\\\", 2\"", "b");
    }

    @Test
    void quoteThatNeverClosesHidesNothing() {
        assertThat(FieldList.members(List.of("a=\"1, no-store", "b")))
                .containsExactly("a=\"1", "no-store", "b");
    }

    @Test
    void manyUnclosedQuotesAreReadInLinearTime() {
        var hostile = "\"\\".repeat(500_000) + ", b";

        assertThat(FieldList.members(List.of(hostile))).last().isEqualTo("b");
    }
}
