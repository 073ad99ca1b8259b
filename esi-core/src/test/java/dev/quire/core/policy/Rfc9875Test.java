package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cache groups in fields. */
class Rfc9875Test {

    @Must
    @Test
    void groupsAreTheStringsOfAllLines() {
        var response =
                Fields.of("Cache-Groups", "\"one, two\", \"a\\\"b\"", "cache-groups", "\"three\"");

        assertThat(CacheGroups.of(response)).containsExactly("one, two", "a\"b", "three");
        assertThat(CacheGroups.invalidatedBy(response)).isEmpty();
    }

    @Must
    @Test
    void invalidatedGroupsStandInAFieldOfTheirOwn() {
        var response = Fields.of("Cache-Group-Invalidation", "\"one\"");

        assertThat(CacheGroups.invalidatedBy(response)).containsExactly("one");
        assertThat(CacheGroups.of(response)).isEmpty();
    }

    @Must
    @Test
    void parametersAreIgnored() {
        assertThat(CacheGroups.of(Fields.of("Cache-Groups", "\"one\";a=1;b, \"two\"")))
                .containsExactly("one", "two");
    }

    @Must
    @Test
    void groupsAreComparedByCase() {
        assertThat(CacheGroups.of(Fields.of("Cache-Groups", "\"A\", \"a\", \"A\"")))
                .containsExactly("A", "a");
    }

    @Must
    @ParameterizedTest
    @ValueSource(
            strings = {
                "one",
                "\"one\", token",
                "\"one\", 1",
                "\"one\", (\"two\")",
                "\"one",
                "\"one\",",
                "\"one\" \"two\"",
                "\"é\""
            })
    void whatIsNoListOfStringsNamesNoGroup(String value) {
        assertThat(CacheGroups.of(Fields.of("Cache-Groups", value))).isEmpty();
    }

    @Must
    @Test
    void thirtyTwoGroupsOfThirtyTwoCharactersAreRead() {
        var names = IntStream.range(0, 32).mapToObj("%032d"::formatted).toList();
        var value = names.stream().collect(Collectors.joining("\", \"", "\"", "\""));

        assertThat(CacheGroups.of(Fields.of("Cache-Groups", value)))
                .containsExactlyElementsOf(names);
    }

    @May
    @Test
    void numberAndLengthOfGroupsAreBounded() {
        var many =
                IntStream.range(0, 500)
                        .mapToObj(i -> "\"" + i + "\"")
                        .collect(Collectors.joining(", "));
        var tooLong = "\"" + "x".repeat(257) + "\", ";

        assertThat(CacheGroups.of(Fields.of("Cache-Groups", tooLong + "\"\", " + many)))
                .hasSize(128)
                .startsWith("0")
                .endsWith("127");
    }

    @Must
    @Test
    void responseWithoutTheFieldIsInNoGroup() {
        assertThat(CacheGroups.of(Fields.of("Cache-Tag", "\"one\""))).isEmpty();
    }
}
