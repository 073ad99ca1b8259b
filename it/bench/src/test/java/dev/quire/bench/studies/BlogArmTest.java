package dev.quire.bench.studies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.quire.bench.studies.BlogArm.Cpu;
import dev.quire.bench.studies.BlogArm.Measured;
import dev.quire.bench.studies.BlogArm.Minute;
import dev.quire.bench.studies.BlogArm.Pass;
import dev.quire.bench.studies.BlogArm.Turn;
import dev.quire.bench.studies.BlogSite.Counts;
import dev.quire.bench.studies.UserLoad.End;
import dev.quire.bench.studies.UserLoad.Outcome;
import dev.quire.bench.studies.UserLoad.Reply;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class BlogArmTest {

    @Test
    void comparedArmsHaveTwoPassesInABalancedOrder() {
        var turns = BlogArm.turns();

        assertThat(turns)
                .extracting(turn -> turn.arm().name())
                .containsExactly(
                        BlogArm.TWO,
                        BlogArm.MEMCACHED,
                        BlogArm.DISK,
                        BlogArm.QUIRE,
                        BlogArm.VARNISH,
                        BlogArm.DEFAULT,
                        BlogArm.VARNISH,
                        BlogArm.QUIRE,
                        BlogArm.REDIS,
                        BlogArm.QUIRE_REDIS,
                        BlogArm.VARNISH_REDIS,
                        BlogArm.VARNISH_REDIS,
                        BlogArm.QUIRE_REDIS,
                        BlogArm.NONE);
        assertThat(turns).extracting(Turn::number).startsWith(1, 2, 3).doesNotHaveDuplicates();
        assertThat(turns)
                .filteredOn(turn -> !turn.isLast())
                .extracting(Turn::number)
                .containsExactly(4, 5, 10, 11);
        assertThat(turns)
                .filteredOn(Turn::isLast)
                .extracting(Turn::arm)
                .containsExactlyInAnyOrderElementsOf(BlogArm.all());
    }

    @Test
    void requestsOfBothPassesCountAlike() {
        var arm = BlogArm.all().getLast();
        var other = BlogArm.all().getFirst();
        var first =
                pass(
                        arm,
                        List.of(
                                new Reply(50, 400, End.LATE),
                                new Reply(80, 10, End.RIGHT),
                                new Reply(100, 10, End.RIGHT)),
                        new Counts(2, 820, 4, 6),
                        List.of(
                                new Minute(60, 1, new Counts(1, 600, 0, 6)),
                                new Minute(40, 2, new Counts(1, 220, 4, 0))),
                        Optional.empty());
        var second =
                pass(
                        arm,
                        List.of(new Reply(60, 20, End.RIGHT)),
                        new Counts(0, 20, 3, 1),
                        List.of(new Minute(60, 4, new Counts(0, 20, 3, 1))),
                        Optional.of(new HighestRate(800, true)));

        var measured =
                Measured.of(arm, List.of(first, pass(other, first.outcome().replies()), second));

        assertThat(measured.passes()).containsExactly(first, second);
        assertThat(measured.outcome().meanMillis()).isEqualTo(110);
        assertThat(measured.outcome().percentileMillis(75)).isEqualTo(20);
        assertThat(measured.outcome().errors()).isEqualTo(1);
        assertThat(measured.hitPercent()).isEqualTo(50);
        assertThat(measured.statementsPerSecond()).isEqualTo(840 / 160.0);
        assertThat(measured.site()).isEqualTo(new Counts(2, 840, 7, 7));
        assertThat(measured.cpu().front()).isCloseTo(0.2, within(1e-9));
        assertThat(measured.cpu().site()).isEqualTo(6);
        assertThat(measured.highest()).isEqualTo(new HighestRate(800, true));
        assertThat(measured.minutes())
                .containsExactly(
                        new Minute(120, 5, new Counts(1, 620, 3, 7)),
                        new Minute(40, 2, new Counts(1, 220, 4, 0)));
    }

    private static Pass pass(BlogArm arm, List<Reply> replies) {
        return pass(arm, replies, new Counts(9, 9, 9, 9), List.of(), Optional.empty());
    }

    private static Pass pass(
            BlogArm arm,
            List<Reply> replies,
            Counts site,
            List<Minute> minutes,
            Optional<HighestRate> highest) {
        return new Pass(
                arm,
                new Outcome(replies),
                minutes,
                site,
                new Cpu(0.1, 3),
                highest,
                OptionalInt.empty());
    }
}
