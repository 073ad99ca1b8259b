package dev.quire.proxy.fleet;

import static dev.quire.proxy.fleet.FleetPositions.UNKNOWN;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.LogFold;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.LogState;
import dev.quire.proxy.cache.RecordPosition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class FleetPositionsTest {
    private static final long EPOCH = 7;
    private static final int STEPS = 200;

    private final AtomicLong newest = new AtomicLong();
    private final FleetPositions positions = new FleetPositions(newest::get);

    private void begin(long floor) {
        positions.begin(EPOCH, floor);
        positions.read();
        positions.write();
    }

    private long enter() {
        long number = newest.get() + 1;
        positions.enter(number);
        newest.set(number);
        return number;
    }

    private long order(long id) {
        return positions.order(new RecordPosition(EPOCH, id));
    }

    /** With the notes that the journal has by then; it may know fewer entries. */
    @Property(tries = 300)
    void resumedMappingTestsAsMuchAsBefore(@ForAll long seed) {
        var random = new Random(seed);
        var noted = new LogFold();
        var pending = new ArrayList<Long>();
        var numbers = new AtomicLong();
        var before = new FleetPositions(numbers::get);
        long id = 100;
        before.begin(EPOCH, id);
        before.read();
        before.write();
        noted.accept(new LogNote.Begun(EPOCH, id, id - 1));
        for (int step = 0; step < STEPS; step++) {
            long number = numbers.get() + 1;
            before.enter(number);
            numbers.set(number);
            if (random.nextInt(3) == 0) {
                pending.add(number);
                noted.accept(
                        new LogNote.Made(
                                new LogState.Own(number, 0, new long[] {number}, new byte[0])));
                continue;
            }
            id += 1 + random.nextInt(3);
            var own = new ArrayList<LogNote.OwnId>();
            var places = new ArrayList<LogState.Place>();
            if (!pending.isEmpty() && random.nextBoolean()) {
                long first = pending.removeFirst();
                before.assign(id, first);
                places.add(new LogState.Place(id, first));
                own.add(new LogNote.OwnId(first, id));
                id++;
            }
            before.assign(id, number);
            places.add(new LogState.Place(id, number));
            if (random.nextInt(20) == 0) {
                before.forget(id - random.nextInt(30));
            }
            noted.accept(new LogNote.Read(EPOCH, before.floor(), id, places, own));
        }

        var resumed = new FleetPositions(numbers::get);
        pending.forEach(resumed::enter);
        resumed.resume(noted.state());
        assertThat(resumed.order(new RecordPosition(EPOCH, id))).isEqualTo(UNKNOWN);
        resumed.read();
        resumed.write();

        var state = noted.state();
        var places = state.places().stream().map(LogState.Place::id).collect(toSet());
        places.addAll(List.of(state.floor(), state.applied()));
        for (long each = 90; each <= id + 1; each++) {
            var position = new RecordPosition(EPOCH, each);
            long expected = before.order(position);
            assertThat(resumed.order(position))
                    .isIn(expected, places.contains(each) ? expected : UNKNOWN);
        }
        assertThat(resumed.position(numbers.get())).isEqualTo(before.position(numbers.get()));
        assertThat(resumed.position(numbers.get() - 1)).isNull();
    }

    /** Entries without an effect have no places. */
    @Test
    void entriesThatAFormerProcessHasReadAreNotAllKnown() {
        var places = List.of(new LogState.Place(20, 1), new LogState.Place(30, 2));
        positions.resume(new LogState(EPOCH, 10, 40, places, List.of()));

        assertThat(LongStream.range(0, 60).filter(positions::hasRead))
                .containsExactly(10L, 20L, 30L, 40L);
        assertThat(positions.isUnread(25)).isFalse();
        assertThat(positions.isUnread(45)).isTrue();
        assertThat(positions.last(35)).isEqualTo(30);
        assertThat(positions.last(15)).isEqualTo(10);
        assertThat(positions.last(5)).isEqualTo(LogId.NONE);
    }

    @Test
    void recordIsTestedAgainstAllThatIsLaterInTheLog() {
        begin(0);
        positions.assign(10, enter());
        positions.assign(20, enter());

        assertThat(order(0)).isZero();
        assertThat(order(10)).isEqualTo(1);
        assertThat(order(20)).isEqualTo(2);
    }

    /** The log may have lost an entry that was read here, before the writer has read it. */
    @Test
    void positionOfAnEntryThatWasNotReadHereIsUnknown() {
        begin(0);
        positions.assign(10, enter());
        positions.assign(20, enter());

        assertThat(order(15)).isEqualTo(UNKNOWN);
        assertThat(order(30)).isEqualTo(UNKNOWN);
        assertThat(positions.isApplied(new RecordPosition(EPOCH, 15))).isFalse();
        assertThat(positions.isApplied(new RecordPosition(EPOCH, 20))).isTrue();
        assertThat(positions.isApplied(new RecordPosition(EPOCH + 1, 20))).isFalse();
    }

    @Test
    void lastEntryOfAQuietLogIsAPositionForGood() {
        begin(0);
        positions.assign(10, enter());
        positions.assign(20, enter());

        positions.forget(1_000);

        assertThat(positions.position(newest.get())).isEqualTo(new RecordPosition(EPOCH, 20));
        assertThat(order(20)).isEqualTo(newest.get());
        assertThat(order(10)).isEqualTo(UNKNOWN);
        positions.assign(2_000, enter());
        positions.forget(1_500);
        assertThat(order(20)).isEqualTo(newest.get() - 1);
    }

    @Test
    void entryWithoutAnIdMayBeLaterThanAnyRecord() {
        begin(0);
        long own = enter();
        long other = enter();
        positions.assign(10, other);

        assertThat(order(10)).isEqualTo(own - 1);

        positions.assign(11, own);
        assertThat(order(10)).isEqualTo(own - 1);
        assertThat(order(11)).isEqualTo(other);
    }

    @Test
    void responseHasThePositionBeforeTheFirstEntryItWasNotTestedAgainst() {
        begin(0);
        long own = enter();
        long other = enter();
        positions.assign(10, other);
        positions.assign(11, own);
        positions.assign(12, enter());

        assertThat(positions.position(own)).isEqualTo(new RecordPosition(EPOCH, 0));
        assertThat(positions.position(other)).isEqualTo(new RecordPosition(EPOCH, 11));
        assertThat(positions.position(newest.get())).isEqualTo(new RecordPosition(EPOCH, 12));
    }

    @Test
    void otherEpochsAreUnknown() {
        begin(0);

        assertThat(positions.order(new RecordPosition(EPOCH + 1, 0))).isEqualTo(UNKNOWN);
        positions.end();
        assertThat(order(0)).isEqualTo(UNKNOWN);
        assertThat(positions.position(0)).isNull();
    }

    @Test
    void whatWasTestedBeforeTheEpochHasNoPosition() {
        long before = enter();
        long again = enter();
        begin(5);

        assertThat(positions.position(before)).isNull();
        assertThat(positions.position(again)).isEqualTo(new RecordPosition(EPOCH, 5));
        assertThat(order(4)).isEqualTo(UNKNOWN);
    }

    @Test
    void fullTableForgetsTheOldest() {
        var few = new FleetPositions(newest::get, 100);
        few.begin(EPOCH, 0);
        few.read();
        few.write();
        for (int id = 1; id <= 1_000; id++) {
            newest.incrementAndGet();
            few.enter(newest.get());
            few.assign(id, newest.get());
        }

        assertThat(few.size()).isBetween(80, 100);
        assertThat(few.order(new RecordPosition(EPOCH, 800))).isEqualTo(UNKNOWN);
        assertThat(few.order(new RecordPosition(EPOCH, 950))).isEqualTo(950);
        assertThat(few.position(800)).isNull();
        assertThat(few.position(950)).isEqualTo(new RecordPosition(EPOCH, 950));
    }

    private record Known(long id, long first, long last) {}

    /** The definition, without any index. */
    private static final class Model {
        private final List<Known> known = new ArrayList<>();
        private final TreeSet<Long> pending = new TreeSet<>();
        private long floor;
        private long floorNumber;

        long order(long id, long newest) {
            if (id != floor && known.stream().noneMatch(entry -> entry.id() == id)) {
                return UNKNOWN;
            }
            long tested = newest;
            for (var entry : known) {
                if (entry.id() > id && entry.first() <= entry.last()) {
                    tested = Math.min(tested, entry.first() - 1);
                }
            }
            return pending.isEmpty() ? tested : Math.min(tested, pending.first() - 1);
        }

        long position(long order) {
            if (order < floorNumber) {
                return UNKNOWN;
            }
            long position = floor;
            for (var entry : known) {
                if (entry.last() > order) {
                    return position;
                }
                position = entry.id();
            }
            return position;
        }

        void forget(long id) {
            known.stream()
                    .mapToLong(Known::id)
                    .filter(each -> each <= id)
                    .max()
                    .ifPresent(each -> raise(each, 0));
        }

        void raise(long id, long number) {
            if (id > floor) {
                floor = id;
                floorNumber = Math.max(floorNumber, number);
                known.stream()
                        .filter(entry -> entry.id() <= id)
                        .forEach(entry -> floorNumber = Math.max(floorNumber, entry.last()));
                known.removeIf(entry -> entry.id() <= id);
            }
        }
    }

    @Property(tries = 300)
    void positionsAreThoseOfTheDefinition(@ForAll long seed) {
        var random = new Random(seed);
        var model = new Model();
        newest.set(0);
        positions.begin(EPOCH, 0);
        positions.read();
        positions.write();
        long id = 0;
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> model.pending.add(enter());
                case 3, 4, 5 -> {
                    id += 1 + random.nextInt(3);
                    assign(model, id, random);
                }
                case 6 -> {
                    id += 1 + random.nextInt(3);
                    positions.assign(id);
                    model.known.add(new Known(id, 1, 0));
                }
                default -> {
                    if (random.nextInt(5) == 0) {
                        long bound = random.nextLong(id + 2);
                        positions.forget(bound);
                        model.forget(bound);
                    } else if (random.nextInt(10) == 0) {
                        long bound = random.nextLong(id + 2);
                        positions.raise(bound);
                        model.raise(bound, newest.get());
                        id = Math.max(id, bound);
                    }
                }
            }
            check(model, id);
        }
    }

    /** A random entry without an id, and those that follow it without a gap. */
    private void assign(Model model, long id, Random random) {
        if (model.pending.isEmpty()) {
            return;
        }
        var all = new ArrayList<>(model.pending);
        Collections.shuffle(all, random);
        long first = all.getFirst();
        long last = first;
        while (random.nextBoolean() && model.pending.contains(last + 1)) {
            last++;
        }
        positions.assign(id, LongStream.rangeClosed(first, last).toArray());
        model.known.add(new Known(id, first, last));
        model.pending.subSet(first, true, last, true).clear();
    }

    private void check(Model model, long newestId) {
        for (long each = 0; each <= newestId + 1; each++) {
            assertThat(order(each))
                    .as("order of %s", each)
                    .isEqualTo(model.order(each, newest.get()));
        }
        for (long each = 0; each <= newest.get(); each++) {
            var position = positions.position(each);
            long id = position == null ? UNKNOWN : position.number();
            assertThat(id).as("position of %s", each).isEqualTo(model.position(each));
        }
    }
}
