package dev.quire.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class StatisticsTest {

    @Test
    void medianIsTheMiddleOneOrBetweenTheTwoInTheMiddle() {
        assertThat(Statistics.median(DoubleStream.of(9, 1, 4))).isEqualTo(4);
        assertThat(Statistics.median(DoubleStream.of(9, 1, 4, 2))).isEqualTo(3);
        assertThat(Statistics.median(DoubleStream.empty())).isNaN();
    }

    @Test
    void ratiosAreTakenRoundByRoundSoThatASlowRoundHurtsNobody() {
        var values = List.of(1000.0, 100.0, 1000.0);
        var bases = List.of(100.0, 10.0, 50.0);

        double ratio = Statistics.medianRatio(values, bases);

        assertThat(ratio).isEqualTo(10);
    }

    @Test
    void ratiosNeedABaseEach() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Statistics.medianRatio(List.of(1.0, 2.0), List.of(1.0)))
                .withMessage("expected one base for each value, found 2 values and 1 bases");
    }
}
