package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.redis.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A process that has been replaced stays in its fleet while it drains. */
class FleetHandoverTest {
    private final RedisServer redis = RedisServer.redis();
    private final List<FleetNode> nodes = new ArrayList<>();

    private FleetNode node(String name) {
        var node = FleetNode.start(name, redis);
        nodes.add(node);
        return node;
    }

    @AfterEach
    void stop() {
        nodes.forEach(FleetNode::close);
        redis.close();
    }

    /** Passes the invalidations of {@code old} to {@code next}. */
    private static void replace(FleetNode old, FleetNode next) {
        var receiver = new PassedInvalidations(next.operator, Set::<CacheKey>of, next.time);
        var log = new SuccessorLog(receiver::receive, old.time, old.log::isMaking);
        old.invalidations().logTo(log, () -> Long.MAX_VALUE);
    }

    @Test
    void entryOfAnotherNodeIsMadeOnceInBothProcesses() {
        var old = node("one");
        var next = node("one");
        var other = node("two");
        replace(old, next);

        other.purge("a");
        other.purge("last");

        next.await(() -> next.tags().contains("last"));
        old.await(() -> old.log.status().applied() == next.log.status().applied());
        old.awaitLog();
        next.awaitLog();
        assertThat(next.tags()).containsExactly("a", "last");
        assertThat(redis.cli("XLEN", "q1:{log}").strip()).isEqualTo("3");
    }

    @Test
    void entryOfTheOldProcessComesToAnEnd() {
        var old = node("one");
        var next = node("one");
        var other = node("two");
        replace(old, next);

        old.purge("a");

        // By the log, and from the other process.
        next.awaitEntries(2);
        next.awaitLog();
        other.awaitEntries(2);
        other.purge("last");
        old.await(() -> old.log.status().applied() == other.log.status().applied());
        old.awaitLog();
        next.await(() -> next.tags().contains("last"));
        assertThat(next.tags()).containsExactly("a", "a", "last");
        assertThat(redis.cli("XLEN", "q1:{log}").strip()).isEqualTo("4");
    }
}
