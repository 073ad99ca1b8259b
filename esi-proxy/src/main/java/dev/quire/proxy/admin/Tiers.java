package dev.quire.proxy.admin;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of the storage tiers.
 *
 * @param disk empty if none is configured
 * @param shared empty if none is configured
 */
public record Tiers(Memory memory, Optional<Disk> disk, Optional<Shared> shared) {

    /**
     * The memory.
     *
     * @param state {@code on}, or {@code off} without memory
     * @param objects stored keys
     * @param maxBytes the configured limit
     */
    public record Memory(String state, long objects, long bytes, long maxBytes) {}

    /**
     * The disk.
     *
     * @param state {@code on}; {@code loading} while its index is read; {@code off} by an operator,
     *     or before it is open; {@code stalled} while all its threads wait for the disk; {@code
     *     failed} until it can be used again, which is tried every 20 s
     * @param reason why it has failed, in plain words; null if it has not
     * @param paused whether nothing is written for some time, after a fault
     * @param lastError the last error of the file system; null if there was none
     * @param objects responses and lists of variants in the index
     * @param bytes of its files
     * @param maxBytes the configured limit
     * @param waitingBytes of the responses that wait to be written
     * @param requests searches, by outcome
     * @param writes responses that could be written, by outcome
     * @param segments files with responses
     * @param reinserted records that were written again when their file was deleted
     * @param damaged records that could not be read
     * @param startSeconds how long reading the index took; null until it is read
     * @param emptied why it began empty although there were files; null if it did not
     */
    public record Disk(
            String state,
            @Nullable String reason,
            boolean paused,
            @Nullable String lastError,
            String path,
            long objects,
            long bytes,
            long maxBytes,
            long waitingBytes,
            Map<String, Long> requests,
            Map<String, Long> writes,
            int segments,
            long indexBytes,
            long journalBytes,
            long reinserted,
            long damaged,
            @Nullable Double startSeconds,
            @Nullable String emptied) {}

    /**
     * The store that several proxies share.
     *
     * @param state {@code on}; {@code trying} while one request tries whether it works; {@code
     *     away} while it does not
     * @param reason why, or what failed last, in plain words; null if nothing has
     * @param servers their addresses
     * @param connections that are open
     * @param waiting requests that the store has not answered yet
     * @param waitingBytes of the responses that wait to be written
     * @param requests searches, by outcome
     * @param writes responses that could be written, by outcome
     */
    public record Shared(
            String state,
            @Nullable String reason,
            String servers,
            int connections,
            int waiting,
            long waitingBytes,
            Map<String, Long> requests,
            Map<String, Long> writes) {}

    /** A change of the disk tier. */
    public enum Change {
        /** Uses it again, empty. */
        ON,
        /** Empties it and uses it no more. */
        OFF,
        /** Empties it and goes on using it. */
        DROP;

        /** Returns the change with {@code name}, in lower case. */
        static Optional<Change> named(String name) {
            return Arrays.stream(values())
                    .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(name))
                    .findFirst();
        }
    }
}
