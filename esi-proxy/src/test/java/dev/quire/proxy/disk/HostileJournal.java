package dev.quire.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationState;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.LogFold;
import dev.quire.proxy.cache.LogNote;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;

/** Reads bytes that no writer has written, but with the right checksums. */
final class HostileJournal {
    private HostileJournal() {}

    static byte[] written(JournalItem item) {
        var bytes = Unpooled.buffer();
        JournalBytes.write(item, Entries.CLOCKS, bytes);
        return ByteBufUtil.getBytes(bytes);
    }

    static JournalItem read(byte[] bytes) {
        return JournalBytes.read(Unpooled.wrappedBuffer(bytes), Entries.CLOCKS);
    }

    /** Fails unless {@code bytes} are refused, or are an item without harm. */
    static void run(byte[] bytes) {
        JournalItem item;
        try {
            item = read(bytes);
        } catch (IllegalArgumentException refused) {
            return;
        }
        // An entry from the future is changed when it is read, but only once.
        assertThat(read(written(item))).isEqualTo(item);
        if (item instanceof JournalItem.Entry(var number, var entry)) {
            assertThat(entry.since()).isBeforeOrEqualTo(Entries.CLOCKS.now());
            continued(number, entry);
        }
        if (item instanceof JournalItem.Note(var note)) {
            continued(note);
        }
    }

    /** The next process can go on with it, alone or after others. */
    private static void continued(LogNote note) {
        for (var before : List.of(List.<LogNote>of(), Entries.logState().notes())) {
            var log = new LogFold();
            before.forEach(log::accept);
            log.accept(note);
            var again = new LogFold();
            log.state().notes().forEach(again::accept);
            assertThat(again.state()).isEqualTo(log.state());
        }
    }

    /** Another process can go on with it. */
    private static void continued(long number, InvalidationEntry entry) {
        var state =
                new InvalidationState(
                        1,
                        3,
                        List.of(),
                        0,
                        0,
                        List.of(new InvalidationState.Numbered(number, entry)),
                        List.of(),
                        null);
        var all = Invalidations.empty(Entries.CLOCKS::now);
        all.resume(state);
        assertThat(all.state().newest()).isEqualTo(number);
    }
}
