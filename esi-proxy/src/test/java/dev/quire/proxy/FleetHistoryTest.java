package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.fleet.FleetPositions;
import dev.quire.proxy.fleet.NodeName;
import dev.quire.proxy.redis.RedisServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Records that nodes write and others read, while nodes are cut off or start again, and the store
 * loses entries: no node uses a record without a test against all invalidations that it knows and
 * that the writer had not applied.
 */
class FleetHistoryTest {
    private static final String LOG = "q1:{log}";
    private static final String BACKUP = "q1:backup:{log}";
    private static final int STEPS = 1_500;

    /** A record of a response that was tested up to {@code number} at its writer. */
    private record Written(FleetNode writer, long number, RecordPosition position) {}

    private final RedisServer redis = RedisServer.redis("--stream-node-max-entries", "10");
    private final List<FleetNode> nodes = new ArrayList<>();
    private final List<FleetNode> ended = new ArrayList<>();
    private final List<Written> written = new ArrayList<>();

    /** When each tag was purged. */
    private final Map<String, Long> purged = new HashMap<>();

    private int found;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void noNodeUsesARecordThatAnInvalidationCovers(long seed) {
        var random = new Random(seed);
        try (redis) {
            for (var name : List.of("one", "two", "three")) {
                nodes.add(FleetNode.start(name, redis));
            }
            redis.cli("COPY", LOG, BACKUP);
            for (int step = 0; step < STEPS; step++) {
                step(random, step);
            }
            nodes.forEach(node -> node.server.heal());
            nodes.forEach(node -> node.await(node.log::isCurrent));
            // Entries may have begun another epoch.
            nodes.forEach(FleetNode::awaitLog);
            long last = nodes.stream().mapToLong(n -> n.log.status().applied()).max().getAsLong();
            nodes.forEach(node -> node.await(() -> node.log.status().applied() >= last));
            for (var record : written) {
                nodes.forEach(reader -> check(record, reader));
            }
            assertThat(found).isGreaterThan(STEPS / 200);
            // A log that has lost entries at last may not be known to all yet.
            nodes.forEach(node -> node.awaitPurged(purged));
        } finally {
            nodes.forEach(FleetNode::close);
            ended.forEach(FleetNode::close);
        }
    }

    private void step(Random random, int step) {
        var node = nodes.get(random.nextInt(nodes.size()));
        switch (random.nextInt(100)) {
            case 0, 1 -> node.server.cut();
            case 2 -> node.server.deafen();
            case 3, 4, 5, 6 -> node.server.heal();
            case 7 -> redis.cli("COPY", LOG, BACKUP, "REPLACE");
            case 8 -> {
                if (random.nextInt(4) == 0) {
                    redis.cli("COPY", BACKUP, LOG, "REPLACE");
                }
            }
            case 9 -> {
                if (random.nextInt(8) == 0) {
                    redis.cli("FLUSHALL");
                    redis.cli("XADD", BACKUP, "*", "e", "");
                }
            }
            case 10 -> {
                if (random.nextInt(2) == 0) {
                    startAgain(node);
                }
            }
            default -> use(random, node, step);
        }
    }

    private void startAgain(FleetNode node) {
        var terms = FleetNode.terms(NodeName.of(node.name));
        nodes.set(nodes.indexOf(node), FleetNode.startAgain(node, terms, redis));
        ended.add(node);
    }

    private void use(Random random, FleetNode node, int step) {
        if (random.nextInt(3) == 0) {
            var tag = "t" + step;
            purged.put(tag, System.nanoTime());
            node.purge(tag);
        } else if (random.nextInt(3) == 0) {
            // A response may have been fetched a while ago.
            long number = Math.max(0, node.invalidations().newest() - random.nextInt(3));
            var position = node.log.position(number);
            if (position != null) {
                written.add(new Written(node, number, position));
            }
        } else if (!written.isEmpty()) {
            int recent = Math.max(0, written.size() - 1 - random.nextInt(50));
            check(written.get(recent), node);
        } else {
            node.await(node.log::isCurrent);
        }
    }

    private void check(Written record, FleetNode reader) {
        long order = reader.log.order(record.position());
        if (order == FleetPositions.UNKNOWN) {
            return;
        }
        found++;
        var tested = new HashSet<String>();
        long purgedAll = Long.MIN_VALUE;
        for (var entry : record.writer().timed().subList(0, (int) record.number())) {
            tested.addAll(entry.tags());
            if (entry.isAll()) {
                purgedAll = entry.nanos();
            }
        }
        int number = 0;
        for (var entry : reader.timed()) {
            number++;
            for (var tag : entry.tags()) {
                boolean isTested =
                        tested.contains(tag)
                                || purged.getOrDefault(tag, Long.MAX_VALUE) < purgedAll;
                assertThat(isTested || number > order)
                        .as(
                                "%s of %s at %s, read by %s as %s: %s is %s there",
                                record.position(),
                                record.writer().name,
                                record.number(),
                                reader.name,
                                order,
                                tag,
                                number)
                        .isTrue();
            }
        }
    }

    @Test
    void checkFindsARecordThatWasNotTested() {
        try (redis) {
            nodes.add(FleetNode.start("one", redis));
            nodes.add(FleetNode.start("two", redis));
            purged.put("t", System.nanoTime());
            nodes.getFirst().purge("t");
            nodes.getLast().awaitEntries(1);
            var last = nodes.getLast();
            last.await(() -> last.position(1).number() > last.position(0).number());
            var wrong = new Written(nodes.getFirst(), 0, last.position(1));

            assertThat(catchThrowable(() -> check(wrong, nodes.getLast())))
                    .isInstanceOf(AssertionError.class);
        } finally {
            nodes.forEach(FleetNode::close);
        }
    }
}
