package dev.quire.bench.studies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.studies.Claim.Verdict;
import org.junit.jupiter.api.Test;

class ClaimTest {

    @Test
    void equalServersMayDifferByThreePercent() {
        assertThat(Claim.atLeast("as fast", 0.97, 1, "×").verdict()).isEqualTo(Verdict.HOLDS);
        assertThat(Claim.atLeast("as fast", 0.96, 1, "×").verdict()).isEqualTo(Verdict.MISSED);
        assertThat(Claim.atMost("as slow", 1.03, 1, "×").verdict()).isEqualTo(Verdict.HOLDS);
        assertThat(Claim.atMost("as slow", 1.04, 1, "×").verdict()).isEqualTo(Verdict.MISSED);
    }

    @Test
    void otherBoundsAreExact() {
        assertThat(Claim.atLeast("", 0.9, 0.9, "×").verdict()).isEqualTo(Verdict.HOLDS);
        assertThat(Claim.atLeast("", 0.899, 0.9, "×").verdict()).isEqualTo(Verdict.MISSED);
        assertThat(Claim.atMost("", 1.01, 1, "%").verdict()).isEqualTo(Verdict.MISSED);
        assertThat(Claim.atMost("", 5, 5, "%").verdict()).isEqualTo(Verdict.HOLDS);
        assertThat(Claim.atMost("", 5.1, 5, "%").verdict()).isEqualTo(Verdict.MISSED);
    }

    @Test
    void figureThatWasNotMeasuredIsMissed() {
        assertThat(Claim.atLeast("", Double.NaN, 1, "×").verdict()).isEqualTo(Verdict.MISSED);
        assertThat(Claim.atMost("", Double.NaN, 1, "×").verdict()).isEqualTo(Verdict.MISSED);
    }

    @Test
    void figuresHaveTheirUnit() {
        assertThat(Claim.reported("", 0.955, "×").figure()).isEqualTo("0.96 ×");
        assertThat(Claim.reported("", 1234, "").figure()).isEqualTo("1,234");
        assertThat(Claim.reported("", 1234.56, "×").figure()).isEqualTo("1,234.6 ×");
    }
}
