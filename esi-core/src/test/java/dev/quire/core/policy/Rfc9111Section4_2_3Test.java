package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.NOW;
import static dev.quire.core.policy.Arriving.noonPlus;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The age of a response. */
class Rfc9111Section4_2_3Test {

    @Must
    @Test
    void ageGrowsWhileStored() {
        var freshness = Arriving.with("Cache-Control", "max-age=600", "Age", "30").freshness();

        assertThat(freshness.ageAt(NOW)).hasSeconds(30);
        assertThat(freshness.ageAt(NOW.plusMillis(3250))).hasMillis(33_250);
    }

    @Must
    @Test
    void timeTheAnswerTookCountsAsAge() {
        var freshness =
                Arriving.with("Cache-Control", "max-age=600", "Age", "30")
                        .after(Duration.ofMillis(1500))
                        .freshness();

        assertThat(freshness.initialAge()).hasMillis(31_500);
    }

    @Must
    @Test
    void dateInThePastCountsAsAge() {
        assertThat(initialAge("Date", noonPlus(-40))).hasSeconds(40);
    }

    @Must
    @Test
    void largerOfDateAndAgeCounts() {
        assertThat(initialAge("Date", noonPlus(-40), "Age", "30")).hasSeconds(40);
        assertThat(initialAge("Date", noonPlus(-40), "Age", "50")).hasSeconds(50);
    }

    @Must
    @Test
    void dateAheadMakesNothingYounger() {
        assertThat(initialAge("Date", noonPlus(40), "Age", "30")).hasSeconds(30);
        assertThat(initialAge("Date", noonPlus(40))).isZero();
    }

    @May
    @Test
    void dateIsInThePastOnlyIfItIsByBothWallClocks() {
        assertThat(ageByClocks(Duration.ofHours(1), Duration.ZERO)).hasSeconds(5);
        assertThat(ageByClocks(Duration.ZERO, Duration.ofHours(1))).hasSeconds(5);
        assertThat(ageByClocks(Duration.ofHours(-1), Duration.ZERO)).isZero();
        assertThat(ageByClocks(Duration.ofHours(1), Duration.ofHours(1))).hasSeconds(3_605);
    }

    /**
     * The age of a response made five seconds before noon and received at noon, for clocks ahead by
     * these amounts.
     */
    private static Duration ageByClocks(Duration wall, Duration steadyWall) {
        var times =
                new ResponseTimes(
                        NOW, NOW, Arriving.NOON.plus(wall), Arriving.NOON.plus(steadyWall));
        return times.initialAge(Fields.of("Date", noonPlus(-5)));
    }

    /** Date has whole seconds: a response of the same second is not older than the request. */
    @May
    @ParameterizedTest
    @CsvSource({"0, 0", "999, 0", "1000, 1000", "1400, 1400"})
    void dateOfTheSecondInWhichWasAskedIsNoAge(long millisAfterDate, long age) {
        var received = Arriving.NOON.plusMillis(millisAfterDate);

        var initial =
                new ResponseTimes(NOW, NOW, received).initialAge(Fields.of("Date", noonPlus(0)));

        assertThat(initial).hasMillis(age);
    }

    @May
    @Test
    void answerThatCrossesASecondIsAsOldAsItsWay() {
        var times = new ResponseTimes(NOW, NOW.plusMillis(30), Arriving.NOON.plusMillis(1_010));

        assertThat(times.initialAge(Fields.of("Date", noonPlus(0)))).hasMillis(30);
    }

    @May
    @Test
    void dateThatIsNoneSaysNothing() {
        assertThat(initialAge("Date", "yesterday")).isZero();
    }

    @Should
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'7200, 0' | 7200",
                "'0, 7200' | 0",
                "7200 | 7200",
                "abc | 0",
                "-7200 | 0",
                "7200.0 | 0",
                "7200;foo=bar | 0",
                "'' | 0"
            })
    void firstMemberCountsIfItIsANumber(String age, long seconds) {
        assertThat(initialAge("Age", age)).hasSeconds(seconds);
    }

    @Should
    @Test
    void firstOfTwoAgeLinesCounts() {
        assertThat(initialAge("Age", "10", "Age", "20")).hasSeconds(10);
    }

    @Must
    @ParameterizedTest
    @CsvSource({"2147483648", "99999999999", "9999999999999999999999"})
    void hugeAgeIsStaleWhateverTheLifetime(String age) {
        var answer = Arriving.with("Cache-Control", "max-age=99999999999", "Age", age);

        assertThat(answer.refusal()).isEqualTo(StorageRefusal.NO_LIFETIME);
    }

    private static Duration initialAge(String... namesAndValues) {
        var answer = Arriving.with(namesAndValues);
        return answer.times().initialAge(answer.response().fields());
    }
}
