package dev.quire.bench.studies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HighestRateTest {

    /** Between the fourth root of 2 below and the limit itself. */
    @ParameterizedTest
    @ValueSource(doubles = {13, 25, 60, 99, 101, 250, 999, 3100})
    void rateIsFoundToAQuarterOfADoubling(double limit) {
        var found = HighestRate.find(100, 6400, rate -> rate <= limit);

        assertThat(found.perSecond()).isBetween(limit / Math.pow(2, 0.25), limit);
        assertThat(found.isBound()).isFalse();
    }

    @Test
    void searchEndsAtTheHighestRate() {
        var found = HighestRate.find(100, 500, rate -> true);

        assertThat(found).isEqualTo(new HighestRate(500, true));
    }

    @Test
    void rateIsZeroIfAnEighthOfTheFirstDoesNotHold() {
        var rates = new ArrayList<Double>();

        var found =
                HighestRate.find(
                        80,
                        500,
                        rate -> {
                            rates.add(rate);
                            return false;
                        });

        assertThat(found).isEqualTo(new HighestRate(0, false));
        assertThat(rates).containsExactly(80.0, 80.0, 40.0, 40.0, 20.0, 20.0, 10.0, 10.0);
    }

    @Test
    void rateThatFailsOnceIsTriedAgain() {
        var failed = new ArrayList<Double>();

        var found =
                HighestRate.find(
                        100,
                        6400,
                        rate -> {
                            boolean isFirst = !failed.contains(rate);
                            failed.add(rate);
                            return rate <= 450 && !isFirst;
                        });

        assertThat(found.perSecond()).isCloseTo(400, within(1.0));
    }
}
