package dev.quire.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.quire.bench.peers.Line.Point;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineTest {

    @Test
    void pointsOnALineGiveThatLine() {
        var line = Line.through(List.of(new Point(1, 12), new Point(10, 30), new Point(200, 410)));

        assertThat(line.slope()).isEqualTo(2, within(1e-12));
        assertThat(line.atZero()).isEqualTo(10, within(1e-9));
        assertThat(line.fit()).isEqualTo(1, within(1e-12));
        assertThat(line.at(50)).isEqualTo(110, within(1e-9));
    }

    @Test
    void scatteredPointsGiveTheLineOfLeastSquares() {
        var points = List.of(new Point(0, 1), new Point(1, 3), new Point(2, 2), new Point(3, 5));

        var line = Line.through(points);

        assertThat(line.slope()).isEqualTo(1.1, within(1e-12));
        assertThat(line.atZero()).isEqualTo(1.1, within(1e-12));
        assertThat(line.fit()).isEqualTo(6.05 / 8.75, within(1e-12));
    }

    @Test
    void oneXHasNoSlope() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Line.through(List.of(new Point(1, 2), new Point(1, 3))))
                .withMessageContaining("two or more different x");
    }
}
