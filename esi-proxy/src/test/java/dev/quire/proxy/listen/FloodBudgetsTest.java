package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.listen.FloodBudgets.Kind;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FloodBudgetsTest {
    private final FloodBudgets budgets = new FloodBudgets(65_536);

    @Test
    void limitsAreThoseOfTheDocumentation() {
        assertThat(Kind.SETTINGS.perMinute()).isEqualTo(30);
        assertThat(Kind.PING.perMinute()).isEqualTo(60);
        assertThat(Kind.PRIORITY.perMinute()).isEqualTo(120);
        assertThat(Kind.EMPTY_DATA.perMinute()).isEqualTo(10);
        assertThat(FloodBudgets.RESETS).isEqualTo(100);
    }

    @ParameterizedTest
    @EnumSource
    void oneMoreThanTheLimitInAnInstantIsTooMany(Kind kind) {
        for (int i = 0; i < kind.perMinute(); i++) {
            assertThat(budgets.take(kind, 0)).isTrue();
        }

        assertThat(budgets.take(kind, 0)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void limitIsRegainedEvenly(Kind kind) {
        long between = TimeUnit.MINUTES.toNanos(1) / kind.perMinute() + 1;

        for (int i = 0; i < 3 * kind.perMinute(); i++) {
            assertThat(budgets.take(kind, i * between)).isTrue();
        }
    }

    @Test
    void resetsAreNotRegainedByWaiting() {
        for (int i = 0; i < FloodBudgets.RESETS; i++) {
            assertThat(budgets.takeReset()).isTrue();
        }

        assertThat(budgets.takeReset()).isFalse();
    }

    @Test
    void eachCompletedResponseAllowsOneMoreReset() {
        for (int i = 0; i < 10 * FloodBudgets.RESETS; i++) {
            budgets.completed();
        }
        for (int i = 0; i < FloodBudgets.RESETS; i++) {
            assertThat(budgets.takeReset()).isTrue();
        }
        budgets.completed();

        assertThat(budgets.takeReset()).isTrue();
        assertThat(budgets.takeReset()).isFalse();
    }

    @Test
    void framesThatAreLongOrWholeAllowMoreWindowUpdates() {
        for (int i = 0; i < Kind.WINDOW_UPDATE.perMinute(); i++) {
            budgets.take(Kind.WINDOW_UPDATE, 0);
        }
        budgets.sent(1, false);
        assertThat(budgets.take(Kind.WINDOW_UPDATE, 0)).isFalse();
        budgets.sent(16_384, false);
        assertThat(budgets.take(Kind.WINDOW_UPDATE, 0)).isTrue();
        for (int i = 0; i < 10 * Kind.WINDOW_UPDATE.perMinute(); i++) {
            budgets.sent(1, true);

            assertThat(budgets.take(Kind.WINDOW_UPDATE, 0)).isTrue();
        }
    }
}
