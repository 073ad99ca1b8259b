package dev.quire.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Any sequence of calls, against a map. */
class SegmentLogPropertyTest {
    private static final int IDS = 40;
    private static final int STEPS = 120;

    /** Less than a segment each, so nothing is evicted. */
    private static final int MAX_LENGTH = 20_000;

    /** Enough for several segments, and evictions. */
    private static final int LONG = 400_000;

    @Property(tries = 60)
    void theLogIsAMapThatSurvivesRestarts(@ForAll long seed) throws IOException {
        check(new Random(seed), MAX_LENGTH, true);
    }

    /** A record may be evicted; an older version or a removed record is never found. */
    @Property(tries = 25)
    void noOlderRecordIsEverFound(@ForAll long seed) throws IOException {
        check(new Random(seed), LONG, false);
    }

    private static void check(Random random, int maxLength, boolean isComplete) throws IOException {
        try (var temporary = TemporaryDirectory.create()) {
            check(temporary.path(), random, maxLength, isComplete);
        }
    }

    private static void check(Path temporary, Random random, int maxLength, boolean isComplete)
            throws IOException {
        int crashes = 0;
        var house = new LogHouse(temporary.resolve("0"));
        try {
            var model = new HashMap<Long, Integer>();
            for (int step = 1; step <= STEPS; step++) {
                long number = random.nextInt(IDS);
                switch (random.nextInt(12)) {
                    case 0, 1 -> {
                        house.log.remove(LogHouse.id(number));
                        model.remove(number);
                    }
                    case 2 -> house.log.seal();
                    case 3 -> house.reopen();
                    case 4 -> {
                        var copy = temporary.resolve(String.valueOf(++crashes));
                        house.crash(copy);
                        house.close();
                        house = new LogHouse(copy);
                    }
                    case 5 -> {
                        if (random.nextInt(20) == 0) {
                            house.log.drop();
                            model.clear();
                        }
                    }
                    case 6 -> {
                        // Too long for a segment.
                        assertThat(house.put(number, step, 2 << 20)).isFalse();
                        model.remove(number);
                    }
                    case 7 -> house.log.flush();
                    default -> {
                        assertThat(house.append(number, step, random.nextInt(maxLength))).isTrue();
                        model.put(number, step);
                    }
                }
                if (random.nextInt(4) == 0) {
                    // Reads what was not written yet.
                    compare(house, model, isComplete, random);
                }
            }
            compare(house, model, isComplete, random);
        } finally {
            house.close();
        }
    }

    private static void compare(
            LogHouse house, Map<Long, Integer> model, boolean isComplete, Random random) {
        for (long number = 0; number < IDS; number++) {
            var expected = model.get(number);
            if (isComplete) {
                assertThat(house.version(number)).isEqualTo(expected);
            } else if (random.nextBoolean()) {
                assertThat(house.version(number)).isIn(null, expected);
            }
        }
        if (isComplete) {
            assertThat(house.log.stats().objects()).isEqualTo(model.size());
        }
        assertThat(house.log.stats().bytes()).isLessThanOrEqualTo(LogHouse.SIZE);
        assertThat(house.log.stats().damaged()).isZero();
    }
}
