package dev.quire.bench.kill;

import java.io.IOException;
import java.util.OptionalDouble;

/**
 * The bytes that a proxy has written so far, for their ratio to those of the responses that are
 * stored in them.
 *
 * @param fileBytes that it has written to files; 0 on a file system in memory
 * @param stored responses that it has written to its disk tier
 * @param requests at the origin
 * @param responseBytes of the responses to them, with their heads
 */
public record WrittenBytes(long fileBytes, long stored, long requests, long responseBytes) {
    /** Records that are written again, indexes and checksums included. */
    private static final double MOST = 1.5;

    public static WrittenBytes of(KilledProxy proxy, StampedOrigin origin) throws IOException {
        return new WrittenBytes(
                proxy.writtenBytes(),
                DiskState.of(proxy).stored(),
                origin.requests(),
                origin.responseBytes());
    }

    /**
     * Returns the bytes in files for each byte of a stored response since {@code before}; empty if
     * nothing was stored, or the bytes are not known.
     */
    public OptionalDouble ratioSince(WrittenBytes before) {
        double meanBytes =
                (double) (responseBytes - before.responseBytes) / (requests - before.requests);
        double storedBytes = meanBytes * (stored - before.stored);
        return stored > before.stored && fileBytes > before.fileBytes
                ? OptionalDouble.of((fileBytes - before.fileBytes) / storedBytes)
                : OptionalDouble.empty();
    }

    /** Whether a ratio is within its limit, or not known. */
    public static boolean isWithinLimit(OptionalDouble ratio) {
        return ratio.orElse(0) <= MOST;
    }

    /** Returns a ratio in words, with its limit. */
    public static String text(OptionalDouble ratio) {
        return ratio.isPresent()
                ? "%.2f × the bytes of the responses, limit %.2f"
                        .formatted(ratio.getAsDouble(), MOST)
                : "not known (expected a disk tier, not on a file system in memory)";
    }
}
