package dev.quire.news.election;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.news.place.Region;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class HeadlineTest {
    @Test
    void beforeTheFirstBoxThereIsNoLeader() {
        var headline = Headline.of(count(region -> Tally.NOTHING));

        assertThat(headline.words()).isEqualTo("Polls are closed, the boxes are on their way");
        assertThat(headline.second()).contains("17,000 ballots");
    }

    @Test
    void aSmallLeadIsNeckAndNeck() {
        var headline = Headline.of(count(region -> tally(1, 251, 249)));

        assertThat(headline.words())
                .isEqualTo("Neck and neck: No. 1 and No. 2 only 34 votes apart");
    }

    @Test
    void aClearLeadNamesTheVotesAndHowMuchIsCounted() {
        var headline = Headline.of(count(region -> tally(1, 200, 300)));

        assertThat(headline.words()).isEqualTo("No. 2 ahead by 1,700 votes with 50.0% counted");
        assertThat(headline.second()).startsWith("No. 2 leads in 17 of 17 regions, No. 1 in 0.");
    }

    @Test
    void afterTheLastBoxThereIsAWinner() {
        var headline = Headline.of(count(region -> tally(2, 600, 400)));

        assertThat(headline.words()).isEqualTo("No. 1 finishes first by 3,400 votes");
    }

    @Test
    void theClosestRegionIsTheOneWhereFewestPointsDecide() {
        var count =
                count(region -> region == Region.JEJU ? tally(1, 251, 249) : tally(1, 300, 200));

        assertThat(Headline.of(count).second()).endsWith("Closest is Jeju, where 2 votes decide.");
    }

    /** 17 regions of two polling places and 1,000 ballots each. */
    private static Count count(Function<Region, Tally> tally) {
        return new Count(
                Arrays.stream(Region.values())
                        .map(region -> new RegionCount(region, 2, 1_000, tally.apply(region)))
                        .toList());
    }

    private static Tally tally(int places, long first, long second) {
        return new Tally(places, List.of(first, second, 0L, 0L, 0L, 0L), 0);
    }
}
