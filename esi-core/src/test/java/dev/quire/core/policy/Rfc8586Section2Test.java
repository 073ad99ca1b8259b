package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The members of CDN-Loop. */
class Rfc8586Section2Test {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "quire                          | true",
                "Quire                          | true",
                "foo123.example, quire          | true",
                "quire; trace=\"abcdef\", other  | true",
                "foo123.example; a=quire        | false",
                "quire.example                  | false",
                "''                             | false",
            })
    void ownMemberIsFound(String value, boolean isFound) {
        assertThat(CdnLoop.names(value)).isEqualTo(isFound);
    }
}
