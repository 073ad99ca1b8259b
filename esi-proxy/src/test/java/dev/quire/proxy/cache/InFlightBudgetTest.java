package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class InFlightBudgetTest {

    @Test
    void whatDoesNotFitTakesNothing() {
        var transit = new InFlightBudget(100);

        assertThat(transit.tryTake(60)).isTrue();
        assertThat(transit.tryTake(41)).isFalse();
        assertThat(transit.usedBytes()).isEqualTo(60);
        assertThat(transit.tryTake(40)).isTrue();
        transit.give(100);

        assertThat(transit.usedBytes()).isZero();
    }

    @Test
    void halfOfItIsFullBeforeItIs() {
        var transit = new InFlightBudget(100);
        var half = transit.half();

        half.charge(49);
        var almost = half.isFull();
        half.charge(1);
        var full = half.isFull();

        assertThat(almost).isFalse();
        assertThat(full).isTrue();
        assertThat(transit.tryTake(50)).isTrue();
        half.give(50);
        assertThat(half.isFull()).isFalse();
        assertThat(transit.usedBytes()).isEqualTo(50);
        transit.charge(50);
        assertThat(half.isFull()).isTrue();
    }

    @Test
    void manyThreadsTogetherNeverTakeMoreThanThereIs() {
        var transit = new InFlightBudget(100);
        var taken = new LongAdder();

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 500; i++) {
                threads.execute(() -> {
                    if (transit.tryTake(3)) {
                        taken.add(3);
                    }
                });
            }
        }

        assertThat(taken.sum()).isLessThanOrEqualTo(100).isEqualTo(transit.usedBytes());
    }
}
