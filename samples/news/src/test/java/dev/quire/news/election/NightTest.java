package dev.quire.news.election;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.news.place.Atlas;
import dev.quire.news.place.District;
import dev.quire.news.place.Region;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NightTest {
    private static final Night NIGHT = Night.draw();

    @Test
    void theNightIsTheSameOnEveryStart() {
        assertThat(Night.draw().open(0, 1_000)).isEqualTo(NIGHT.open(0, 1_000));
    }

    @Test
    void everyBoxHoldsVotesAndNoneIsNegative() {
        assertThat(NIGHT.open(0, NIGHT.size()))
                .hasSize(NIGHT.size())
                .allSatisfy(place -> {
                    assertThat(place.tally().votes()).allMatch(votes -> votes >= 0);
                    assertThat(place.tally().invalid()).isNotNegative();
                    assertThat(place.tally().ballots()).isPositive();
                });
    }

    @ParameterizedTest
    @EnumSource
    void turnoutOfARegionIsWhatItIsSaidToBe(Region region) {
        double turnout = 1_000.0 * NIGHT.ballots(region) / region.electors();

        assertThat(turnout)
                .isBetween(region.turnoutPermille() - 15.0, region.turnoutPermille() + 15.0);
    }

    @ParameterizedTest
    @EnumSource
    void electorsOfTheDistrictsAreThoseOfTheRegion(Region region) {
        int electors =
                Atlas.load().districts().stream()
                        .filter(district -> district.region() == region)
                        .mapToInt(District::electors)
                        .sum();

        assertThat(electors).isEqualTo(region.electors());
    }

    @Test
    void nothingIsLeftToOpenAfterTheLastBox() {
        assertThat(NIGHT.open(NIGHT.size() - 1, 5)).hasSize(1);
        assertThat(NIGHT.open(NIGHT.size(), 5)).isEmpty();
    }
}
