package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Via: how often a message has passed this proxy. */
class Rfc9110Section7_6_3Test {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.1 quire | 1",
                "1.0 fred, 1.1 quire | 1",
                "1.1 quire, 1.1 varnish, HTTP/2 Quire (comment) | 2",
                "1.1 quires, 1.1 example.test | 0",
                "quire | 0",
                "'' | 0",
                ",, | 0"
            })
    void hopsOfOurPseudonymAreCounted(String via, int hops) {
        assertThat(Via.ownHops(via)).isEqualTo(hops);
        assertThat(Via.ownHops(via + ", " + Via.MEMBER)).isEqualTo(hops + 1);
    }
}
