package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The limit of retries. */
class RetryBudgetTest {

    private static int taken(RetryBudget budget, long now) {
        int taken = 0;
        while (budget.take(now)) {
            taken++;
        }
        return taken;
    }

    @Test
    void threeInASecondAreAlwaysPossibleAndSixAtOneTime() {
        var budget = new RetryBudget(20);

        assertThat(taken(budget, 0)).isEqualTo(6);
        assertThat(taken(budget, TimeUnit.SECONDS.toNanos(1))).isEqualTo(3);
        assertThat(taken(budget, TimeUnit.HOURS.toNanos(1))).isEqualTo(6);
    }

    @Test
    void aShareOfAllRequestsIsEarned() {
        var budget = new RetryBudget(20);
        taken(budget, 0);

        for (int i = 0; i < 50; i++) {
            budget.sent();
        }

        assertThat(taken(budget, 0)).isEqualTo(10);
    }

    @Test
    void whatIsEarnedInQuietTimesIsBounded() {
        var budget = new RetryBudget(20);

        for (int i = 0; i < 100_000; i++) {
            budget.sent();
        }

        assertThat(taken(budget, 0)).isEqualTo(26);
    }

    @Test
    void noShareMeansNone() {
        var budget = new RetryBudget(0);
        budget.sent();

        assertThat(budget.take(TimeUnit.SECONDS.toNanos(5))).isFalse();
    }
}
