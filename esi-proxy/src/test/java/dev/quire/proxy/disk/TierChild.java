package dev.quire.proxy.disk;

import dev.quire.proxy.cache.Bans;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.exchange.Time;
import java.io.IOException;
import java.nio.file.Path;

/** A process that appends records and adds bans in turn until it is killed. */
final class TierChild {
    private TierChild() {}

    /**
     * Prints why the directory cannot be used; else the number of each record that is in the log
     * and whose ban is durable.
     *
     * @param arguments the directory, and the number of the first record
     */
    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) {
        var time = Time.system();
        var invalidations = Invalidations.empty(time::now);
        try {
            var tier =
                    DiskTier.open(
                            new DiskTier.Terms(
                                    Path.of(arguments[0]), LogHouse.SIZE, IndexTable.MIN_BYTES),
                            invalidations,
                            () -> Long.MAX_VALUE,
                            LogHouse.UNCHANGED,
                            time,
                            new DiskTier.Disk(
                                    FileAccess.SYSTEM,
                                    (file, withMetadata) -> file.force(withMetadata),
                                    TierHouse.PATIENT));
            var log = tier.load();
            for (long number = Long.parseLong(arguments[1]); !System.out.checkError(); number++) {
                log.append(
                        LogHouse.id(number),
                        invalidations.state().newest(),
                        Long.MAX_VALUE,
                        LogHouse.record(number, 1, 1_000));
                log.flush();
                invalidations.ban(Bans.tag("tag-" + number));
                if (invalidations.sync().toCompletableFuture().join() == Durability.DURABLE) {
                    System.out.println(number);
                }
            }
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
    }
}
