package dev.quire.news.election;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LineChartTest {
    @Test
    void aSinglePointIsNoLine() {
        assertThat(LineChart.ofShares(List.of(tally(100, 10, 20))).lines()).isEmpty();
    }

    @Test
    void linesRunFromTheLeftEdgeOfThePlotToTheRight() {
        var chart = LineChart.ofVotes(List.of(tally(100, 100, 200), tally(200, 300, 350)));

        assertThat(chart.lines())
                .hasSize(Candidate.values().length)
                .allSatisfy(line ->
                        assertThat(line.points())
                                .startsWith(chart.left() + ".0,")
                                .contains(" " + chart.right() + ".0,"));
    }

    @Test
    void sharesAreDrawnForTheTwoInFront() {
        var chart = LineChart.ofShares(List.of(tally(100, 100, 200), tally(200, 300, 350)));

        assertThat(chart.lines())
                .extracting(LineChart.Line::candidate)
                .containsExactlyInAnyOrder(Candidate.NO_1, Candidate.NO_2);
    }

    @Test
    void wordsAtTheEndsOfLinesDoNotOverlap() {
        var chart = LineChart.ofVotes(List.of(tally(100, 0, 0), tally(200, 1_000_000, 1_000_000)));

        var heights = chart.lines().stream().map(LineChart.Line::endY).sorted().toList();

        for (int i = 1; i < heights.size(); i++) {
            assertThat(heights.get(i) - heights.get(i - 1)).isGreaterThanOrEqualTo(14.9);
        }
    }

    private static Tally tally(int places, long first, long second) {
        return new Tally(places, List.of(first, second, 0L, 0L, 0L, 0L), 0);
    }
}
