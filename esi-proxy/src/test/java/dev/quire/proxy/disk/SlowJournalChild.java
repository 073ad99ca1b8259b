package dev.quire.proxy.disk;

import dev.quire.proxy.cache.Bans;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.exchange.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

/** A process with a slow disk. */
final class SlowJournalChild {
    static final Duration LONGEST_HANG = Duration.ofSeconds(1);
    private static final Duration SYNC = Duration.ofMillis(400);

    private static volatile boolean isSlow;

    private SlowJournalChild() {}

    /** Others unpark the thread, so it is not parked. */
    private static void sleep() {
        try {
            Thread.sleep(SYNC.toMillis());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Prints a line when a sync has begun, and the durability of its entry. */
    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws IOException {
        var time = Time.system();
        var invalidations = Invalidations.empty(time::now);
        var files =
                new JournalFiles(
                        Path.of(arguments[0]),
                        UUID.fromString(arguments[1]),
                        (file, metadata) -> {
                            if (isSlow) {
                                System.out.println("syncs");
                                isSlow = false;
                                sleep();
                            }
                            file.force(metadata);
                        });
        var patience = new InvalidationJournal.Patience(Duration.ofMillis(1), LONGEST_HANG);
        try (var journal =
                InvalidationJournal.begin(files, 0, invalidations, () -> 0, time, patience)) {
            isSlow = true;
            invalidations.ban(Bans.tag("tag"));
            System.out.println(journal.settled(LONGEST_HANG).toCompletableFuture().join());
        }
    }
}
