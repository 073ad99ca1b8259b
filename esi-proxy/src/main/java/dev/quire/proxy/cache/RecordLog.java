package dev.quire.proxy.cache;

import io.netty.buffer.ByteBuf;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records by their hashes, outside the memory. {@link #append} and {@link #remove} are called by
 * one thread at a time, the writer; the other methods are thread-safe. Only {@link #has} and {@link
 * #find} never block.
 */
public interface RecordLog {

    /** Whether there is a record of {@code id}, or one with nearly the same hash. */
    boolean has(RecordHash id);

    /** Whether later processes may find records that this one does not have any more. */
    boolean mayHaveOthers();

    /** Returns where the record of {@code id} is; null if it is absent. Never blocks. */
    @Nullable RecordPlace find(RecordHash id);

    /** Reads the record of {@code id} as {@link RecordPlace#read}; null also if it is absent. */
    default @Nullable ByteBuf read(RecordHash id) {
        var place = find(id);
        return place == null ? null : place.read();
    }

    /**
     * Appends {@code record}, which the caller still owns; its indexes are not changed. It replaces
     * the earlier record of {@code id}. Returns false if it cannot be written; then the earlier
     * record is removed. It is found from now on, and lost with the process before {@link #flush}.
     *
     * @param position the number of the invalidation up to which the record was tested
     * @param expiryMillis when the record has no more use, on the wall clock
     */
    boolean append(RecordHash id, long position, long expiryMillis, ByteBuf record);

    /** Removes the record of {@code id}, after {@link #flush} also for later processes. */
    void remove(RecordHash id);

    /**
     * Writes the records and removals so far, for later processes. Records that cannot be written
     * are removed.
     */
    void flush();

    /**
     * Whether older records are written again before the file that has them is deleted, which may
     * take long. Never blocks; thread-safe.
     */
    default void writeAgain(boolean isWanted) {}

    /** The longest record that it takes, in bytes. */
    long maxRecordBytes();

    /** Writes an older record again, before the file that has it is deleted. Reads no others. */
    interface Reinsertion {
        /**
         * Returns {@code record}, tested against all invalidations so far, or null if it has no
         * more use. The caller releases both: if they are the same, it is retained.
         */
        @Nullable Reinserted again(RecordHash id, ByteBuf record);

        /**
         * Passes the ids of records to {@code each} whose responses are in memory, where requests
         * find them without the log; also ids that have no record.
         *
         * @param untilMillis when the records were written at the latest, on the wall clock
         * @param isWanted while it is false no id is passed on
         */
        default void forEachInMemory(
                long untilMillis, BooleanSupplier isWanted, Consumer<RecordHash> each) {}
    }

    /**
     * A record to be written again.
     *
     * @param position as for {@link #append}
     */
    record Reinserted(long position, ByteBuf record) {}
}
