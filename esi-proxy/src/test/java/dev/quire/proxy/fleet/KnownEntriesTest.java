package dev.quire.proxy.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.fleet.KnownEntries.Known;
import org.junit.jupiter.api.Test;

class KnownEntriesTest {
    private final KnownEntries known = new KnownEntries();

    private Known add(long sequence, boolean isInLog) {
        var entry = new Known(new EntryName("one", sequence), new byte[8], sequence, 0);
        entry.isInLog = isInLog;
        known.add(entry);
        return entry;
    }

    /** The store may take no entries of this node for long. */
    @Test
    void entryThatIsNotInTheLogKeepsNoLaterOnes() {
        var pending = add(1, false);
        for (int sequence = 2; sequence <= 9; sequence++) {
            add(sequence, true);
        }

        known.forget(9);

        assertThat(known.all()).extracting(each -> each.name.sequence()).containsExactly(1L, 9L);
        pending.isInLog = true;
        known.forget(9);
        assertThat(known.all()).hasSize(1);
    }
}
