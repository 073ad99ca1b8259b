package dev.quire.test.sites;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class RunTest {
    private static final Row ROW = Row.of("1.4", "TRACE", column -> {});

    private static Run run(Column.Kind kind, boolean holds) {
        return new Run(
                Map.of(ROW, Map.of(kind, new Row.Cell(holds, "expected status 405, found 200"))));
    }

    @Test
    void failureNamesRowProxyExpectedAndFound() {
        assertThat(run(Column.Kind.QUIRE, false).failures())
                .containsExactly("1.4 TRACE: quire: expected status 405, found 200");
    }

    @Test
    void originAloneMustHoldToo() {
        assertThat(run(Column.Kind.ORIGIN, false).failures(ROW)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"VARNISH", "NGINX"})
    void peersAreNotJudged(Column.Kind peer) {
        assertThat(run(peer, false).failures()).isEmpty();
        assertThat(run(peer, false).tables(EnumSet.of(peer)))
                .isEqualTo(
                        """
                        | 1.4 | %s |
                        | --- | --- |
                        | TRACE | no: expected status 405, found 200 |
                        """
                                .formatted(peer));
    }

    static List<Scale> scales() {
        return List.of(Scale.SHORT, Scale.FULL);
    }

    @ParameterizedTest
    @MethodSource("scales")
    void rowsHaveNamesOfTheirOwnAndAskQuire(Scale scale) {
        var rows = Run.rows(scale, true);

        assertThat(rows).extracting(Row::toString).hasSizeGreaterThan(60).doesNotHaveDuplicates();
        assertThat(rows).allMatch(row -> row.columns().contains(Column.Kind.QUIRE));
    }

    @Test
    void misplacedBytesAreNoticed() throws IOException {
        var bytes = Numbers.from(1000, 5000);

        assertThat(Numbers.matching(new ByteArrayInputStream(bytes), 1000)).isEqualTo(5000);
        assertThat(Numbers.matching(new ByteArrayInputStream(bytes), 1008)).isEqualTo(-1);
        assertThat(Numbers.matching(new ByteArrayInputStream(bytes), 1001)).isEqualTo(-1);
    }
}
