package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.LogNote.OwnId;
import dev.quire.proxy.cache.LogState.Own;
import dev.quire.proxy.cache.LogState.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class LogFoldTest {
    private static final long SECOND = 1_000L << 20;

    /** Notes of a node that makes and reads entries, in several epochs. */
    private static final class History {
        private final Random random;
        private final List<Long> pending = new ArrayList<>();
        private final List<Long> logged = new ArrayList<>();
        private long newest;
        private long id = 1;
        private long epoch;

        History(long seed) {
            random = new Random(seed);
        }

        List<LogNote> notes(int count) {
            var notes = new ArrayList<LogNote>();
            while (notes.size() < count) {
                addTo(notes);
            }
            return notes;
        }

        private void addTo(List<LogNote> notes) {
            int kind = random.nextInt(20);
            if (kind == 0) {
                var forgotten = new ArrayList<OwnId>();
                while (!logged.isEmpty() && random.nextInt(3) == 0) {
                    forgotten.add(new OwnId(logged.removeFirst(), 0));
                }
                notes.add(new LogNote.Read(0, 0, 0, List.of(), forgotten));
                pending.addAll(logged);
                logged.clear();
                epoch++;
                notes.add(new LogNote.Begun(epoch, id, id));
            } else if (kind < 7) {
                newest++;
                pending.add(newest);
                notes.add(
                        new LogNote.Made(
                                new Own(
                                        newest,
                                        0,
                                        new long[] {newest},
                                        new byte[] {(byte) newest})));
            } else {
                notes.add(read());
            }
        }

        private LogNote read() {
            var places = new ArrayList<Place>();
            var own = new ArrayList<OwnId>();
            for (int rest = random.nextInt(4); rest > 0; rest--) {
                id += 1 + random.nextLong(20 * SECOND);
                if (!pending.isEmpty() && random.nextInt(3) > 0) {
                    long number = pending.removeFirst();
                    places.add(new Place(id, number));
                    own.add(new OwnId(number, id));
                    logged.add(number);
                } else {
                    places.add(new Place(id, ++newest));
                }
            }
            long floor = random.nextInt(8) == 0 ? id - random.nextLong(100 * SECOND) : 0;
            return new LogNote.Read(epoch, Math.max(0, floor), id, places, own);
        }
    }

    private static LogFold of(List<LogNote> notes) {
        var fold = new LogFold();
        notes.forEach(fold::accept);
        return fold;
    }

    @Property(tries = 500)
    void replayFromAnySnapshotEndsInTheSameState(
            @ForAll long seed,
            @ForAll @IntRange(max = 60) int mark,
            @ForAll @IntRange(max = 60) int snapshot) {
        var notes = new History(seed).notes(60);
        var replayed = LogFold.of(of(notes.subList(0, Math.max(mark, snapshot))).state());

        notes.subList(Math.min(mark, snapshot), notes.size()).forEach(replayed::accept);

        assertThat(replayed.state()).isEqualTo(of(notes).state());
    }

    @Property(tries = 300)
    void mergedPlacesNeverTestLess(@ForAll long seed) {
        var notes = new History(seed).notes(100);
        var all = new LogFold();
        var few = new LogFold(4);

        for (var note : notes) {
            all.accept(note);
            few.accept(note);

            assertThat(few.state().places()).hasSizeLessThanOrEqualTo(4);
            for (var place : all.state().places()) {
                for (long position = place.id() - 1; position <= place.id(); position++) {
                    assertThat(order(few.state(), position))
                            .isLessThanOrEqualTo(order(all.state(), position));
                }
            }
        }
    }

    private static long order(LogState state, long position) {
        return state.places().stream()
                .filter(place -> place.id() > position)
                .mapToLong(place -> place.number() - 1)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    @Test
    void entriesInTheLogAreForgottenAfterAMinuteAndOthersNever() {
        var fold = new LogFold();
        fold.accept(new LogNote.Begun(1, 0, 0));
        for (long number = 1; number <= 3; number++) {
            fold.accept(new LogNote.Made(new Own(number, 0, new long[0], new byte[0])));
        }
        fold.accept(
                new LogNote.Read(1, 0, 9, List.of(), List.of(new OwnId(1, 8), new OwnId(3, 9))));
        fold.accept(new LogNote.Read(1, 0, 9 + LogFold.MINUTE, List.of(), List.of()));

        assertThat(fold.state().own()).map(Own::number).containsExactly(2L, 3L);
        fold.accept(new LogNote.Begun(2, 0, 0));
        fold.accept(new LogNote.Read(2, 0, 1L << 60, List.of(), List.of()));
        assertThat(fold.state().own()).map(Own::number).containsExactly(2L, 3L);
        assertThat(fold.state().own()).allMatch(Own::isPending);
        fold.accept(new LogNote.Read(0, 0, 0, List.of(), List.of(new OwnId(2, 0))));
        assertThat(fold.state().own()).map(Own::number).containsExactly(3L);
    }

    @Test
    void ofTooManyEntriesInTheLogTheNewestAreKept() {
        var fold = new LogFold();
        fold.accept(new LogNote.Begun(1, 0, 0));
        int count = 3 * LogFold.MAX_LOGGED;
        for (long number = 1; number <= count; number++) {
            fold.accept(new LogNote.Made(new Own(number, 0, new long[0], new byte[0])));
            fold.accept(
                    new LogNote.Read(1, 0, number, List.of(), List.of(new OwnId(number, number))));
        }

        assertThat(fold.state().own()).hasSize(LogFold.MAX_LOGGED);
        assertThat(fold.state().own().getLast().number()).isEqualTo(count);
    }
}
