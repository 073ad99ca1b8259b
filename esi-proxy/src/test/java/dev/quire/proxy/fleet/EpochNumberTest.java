package dev.quire.proxy.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EpochNumberTest {

    @ParameterizedTest
    @ValueSource(longs = {1, -1, 0x0123_4567_ffff_0000L})
    void epochsOfALogHaveAnOrder(long first) {
        long second = EpochNumber.after(first);
        long third = EpochNumber.after(second);

        assertThat(EpochNumber.isBefore(first, second)).isTrue();
        assertThat(EpochNumber.isBefore(first, third)).isTrue();
        assertThat(EpochNumber.isBefore(second, first)).isFalse();
        assertThat(EpochNumber.isBefore(second, second)).isFalse();
        assertThat(EpochNumber.areOfOneLog(first, third)).isTrue();
    }

    @Test
    void anotherLogHasOtherEpochs() {
        long one = EpochNumber.after(0);
        long other = one ^ 1L << 40;

        assertThat(one).isNotZero();
        assertThat(EpochNumber.areOfOneLog(one, other)).isFalse();
        assertThat(EpochNumber.isBefore(one, EpochNumber.after(other))).isFalse();
    }
}
