package dev.quire.proxy.disk;

import dev.quire.proxy.cache.Bans;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.LogState;
import dev.quire.proxy.exchange.Time;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.UUID;

/** A process that adds entries, with a note for each, until it is killed. */
final class JournalChild {
    private static final int BEFORE = 20;
    private static final int ALL = 10_000;

    private JournalChild() {}

    /** Prints the number of the last entry that is durable, once. */
    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws IOException {
        var time = Time.system();
        var invalidations = Invalidations.empty(time::now);
        var files =
                new JournalFiles(
                        Path.of(arguments[0]),
                        UUID.fromString(arguments[1]),
                        (file, metadata) -> file.force(metadata));
        var journal =
                InvalidationJournal.begin(
                        files, 0, invalidations, () -> 0, time, TierHouse.PATIENT);
        invalidations.notes().passTo(journal::note);
        for (int i = 1; i <= ALL; i++) {
            invalidations.ban(Bans.tag("tag-" + i));
            invalidations
                    .notes()
                    .add(new LogNote.Made(new LogState.Own(i, 0, new long[] {i}, new byte[] {1})));
            if (i == BEFORE) {
                if (journal.sync().toCompletableFuture().join() == Durability.DURABLE) {
                    System.out.println(i);
                    System.out.flush();
                }
            }
        }
        // Ends at the latest with the process that waits for it.
        System.in.transferTo(OutputStream.nullOutputStream());
    }
}
