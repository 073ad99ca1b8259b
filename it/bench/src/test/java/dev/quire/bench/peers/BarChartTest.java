package dev.quire.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BarChartTest {

    private static String picture(String... names) {
        var bars =
                List.of(names).stream()
                        .map(name -> new BarChart.Bar(name, 1, "1/s", "ours"))
                        .toList();
        return new BarChart("title", List.of(), List.of(new BarChart.Group("group", bars))).svg();
    }

    @Test
    void barsBeginBehindTheLongestName() {
        assertThat(picture("nginx", "x".repeat(17))).contains("<rect x=\"150\" ");
        assertThat(picture("nginx", "x".repeat(30)))
                .contains("<text x=\"230\" ", "<rect x=\"238\" ")
                .doesNotContain("<rect x=\"150\" ");
    }
}
