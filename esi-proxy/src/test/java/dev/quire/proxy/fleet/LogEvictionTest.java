package dev.quire.proxy.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.log.RecordedLog;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LogEvictionTest {
    private final RecordedLog log = new RecordedLog();
    private final LogEviction eviction = new LogEviction(log);

    private void see(String policy) {
        eviction.see(new FleetOverview(1, 1, Optional.of(policy), List.of()));
    }

    private void seeNothing() {
        eviction.see(new FleetOverview(1, 1, Optional.empty(), List.of()));
    }

    @Test
    void storeThatKeepsTheLogIsNotMentioned() {
        see("");
        see("noeviction");
        see("volatile-lfu");
        seeNothing();

        assertThat(log.lines()).isEmpty();
    }

    @Test
    void policyIsNamedOnceAndItsEnd() {
        see("allkeys-lru");
        see("allkeys-lru");
        seeNothing();
        see("allkeys-lru");
        see("allkeys-lfu");
        see("volatile-lfu");
        see("noeviction");

        assertThat(log.lines()).hasSize(3);
        assertThat(log.lines().get(0))
                .startsWith("WARN")
                .contains("fleet-evictable", "maxmemory-policy is allkeys-lru (expected");
        assertThat(log.lines().get(1)).contains("fleet-evictable", "allkeys-lfu");
        assertThat(log.lines().get(2)).startsWith("INFO").contains("fleet-kept");
    }
}
