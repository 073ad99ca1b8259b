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
        assertThat(EpochNumber.areApart(first, second)).isFalse();
        assertThat(EpochNumber.areApart(first, third)).isTrue();
        assertThat(EpochNumber.areUnordered(first, third)).isFalse();
        assertThat(EpochNumber.areUnordered(third, second)).isFalse();
        assertThat(EpochNumber.areUnordered(first, first)).isFalse();
    }

    @Test
    void epochFollowsOneThatBeganBeforeIt() {
        long first = EpochNumber.after(0);
        long second = EpochNumber.after(first);

        assertThat(EpochNumber.canFollow(first, second)).isTrue();
        assertThat(EpochNumber.canFollow(second, first)).isFalse();
        assertThat(EpochNumber.canFollow(0, first)).isTrue();
        assertThat(EpochNumber.canFollow(0, 7)).isTrue();
    }

    @Test
    void ofTwoEpochsThatBeganAtOnceNeitherFollowsTheOther() {
        long one = EpochNumber.after(EpochNumber.after(0));
        long other = one ^ 1;

        assertThat(EpochNumber.canFollow(one, other)).isFalse();
        assertThat(EpochNumber.canFollow(other, one)).isFalse();
        assertThat(EpochNumber.canFollow(other, EpochNumber.after(one))).isTrue();
        assertThat(EpochNumber.areUnordered(one, other)).isTrue();
    }

    @Test
    void anotherLogHasOtherEpochs() {
        long one = EpochNumber.after(0);
        long other = one ^ 1L << 40;

        assertThat(one).isNotZero();
        assertThat(EpochNumber.areOfOneLog(one, other)).isFalse();
        assertThat(EpochNumber.isBefore(one, EpochNumber.after(other))).isFalse();
        assertThat(EpochNumber.areApart(one, EpochNumber.after(other))).isFalse();
        assertThat(EpochNumber.canFollow(one, other)).isTrue();
        assertThat(EpochNumber.areUnordered(one, EpochNumber.after(other))).isTrue();
    }
}
