package dev.quire.proxy.disk;

import java.nio.file.Path;
import java.time.Clock;

/** Appends records until it is killed, and reports them. */
final class AppendingProcess {
    static final long SIZE = 64L << 20;

    /** So many records are appended between two reports. */
    static final int BATCH = 50;

    private AppendingProcess() {}

    static int length(long number) {
        return 30 + (int) (number * 7919 % 1300);
    }

    /** Whether the record is removed by the process that appended it. */
    static boolean isRemoved(long number) {
        return number % 10 == 3;
    }

    /**
     * Appends records.
     *
     * @param arguments the directory, and the number of the first record
     */
    public static void main(String[] arguments) throws Exception {
        var log =
                SegmentLog.open(
                        Path.of(arguments[0]),
                        SIZE,
                        8L << 20,
                        LogHouse.TIER,
                        () -> 1,
                        LogHouse.UNCHANGED,
                        Clock.systemUTC());
        for (long number = Long.parseLong(arguments[1]); ; number++) {
            var record = LogHouse.record(number, 1, length(number));
            if (!log.append(LogHouse.id(number), 1, Long.MAX_VALUE, record)) {
                throw new IllegalStateException(log.stats().toString());
            }
            if (isRemoved(number)) {
                log.remove(LogHouse.id(number));
            }
            if (number % BATCH == 0) {
                log.flush();
                System.out.println(number);
                if (System.out.checkError()) {
                    // The test was ended before it could kill this process.
                    return;
                }
            }
        }
    }
}
