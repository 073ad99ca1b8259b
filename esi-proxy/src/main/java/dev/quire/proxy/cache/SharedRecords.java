package dev.quire.proxy.cache;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records in a store that several proxies share. Never blocks and never throws: a store that is
 * away, slow or full gives the answer {@link None}. Thread-safe; each answer comes once, on the
 * given loop, and not within the call.
 */
public interface SharedRecords {

    /**
     * Where a record is.
     *
     * @param resource the hash of the resource
     * @param variant the hash of the variant; null for the record of the resource itself
     */
    record Place(RecordHash resource, @Nullable RecordHash variant) {}

    /**
     * The age of a record among those of one place: the later one is of the higher position, or, if
     * these are equal, was written later.
     *
     * @param writtenAtMillis by the clock of the store
     */
    record Version(RecordPosition position, long writtenAtMillis) {}

    /**
     * A kind of lists of variants.
     *
     * @param names the hash of the names of the selecting fields
     * @param codings the hash of the content codings of the variants; null for any
     */
    record ListKind(long names, @Nullable Long codings) {}

    /** An answer of the store. */
    sealed interface Answer {}

    /** A record, not checked; the receiver owns it. */
    record Value(ByteBuf record) implements Answer {}

    /** No record; of {@link #lease}: and the caller holds the lease now. */
    record Absent() implements Answer {}

    /** No newer record; another one holds the lease. */
    record Taken() implements Answer {}

    /** No newer record; a fetch of another one has failed just now. */
    record Failed() implements Answer {}

    /** No newer record; the response to another one was not cacheable. */
    record Uncacheable() implements Answer {}

    /** The store gave no answer in time, or was not asked. */
    record None(Reason reason) implements Answer {}

    /** Why the store gave no answer. */
    enum Reason {
        /** It does not work at present, or is not known yet. */
        CLOSED,
        /** Too many requests wait for it. */
        FULL,
        TIMEOUT,
        /** It answered with an error. */
        ERROR
    }

    /** How a fetch ended whose response is not written. */
    enum Ending {
        /** Others may fetch. */
        NONE,
        /** Others need not try for a moment. */
        FAILED,
        /** Others need not wait for each other for some time: the response is not cacheable. */
        UNCACHEABLE
    }

    /** Whether it works at present: otherwise all answers would be {@link None}. Cheap. */
    boolean isUsable();

    /** Asks for the record at {@code place}: {@link Value}, {@link Absent} or {@link None}. */
    void get(Place place, EventLoop loop, Consumer<Answer> then);

    /**
     * Asks for the record at {@code place} if it is not the one with {@code seen}; otherwise for
     * the lease, which ends by itself after some seconds.
     *
     * @param seen of the record that is of no use; null for none
     */
    void lease(Place place, @Nullable Version seen, EventLoop loop, Consumer<Answer> then);

    /** Returns the lease of {@code place}, if it is held by this process. */
    void release(Place place, Ending ending);

    /**
     * Writes {@code record}, which the caller still owns, and which has the version {@code
     * version}, unless a later one is there. Returns the lease.
     *
     * @param keepMillis how long it has any use
     * @return whether the store is asked to; if not, the lease is still held
     */
    boolean put(Place place, Version version, long keepMillis, ByteBuf record);

    /**
     * Removes the record at {@code place}, unless it is later than {@code version}, or a list of
     * variants of the kind {@code kept}.
     *
     * @param kept null for none
     */
    void remove(Place place, Version version, @Nullable ListKind kept);

    /**
     * Removes the record at {@code place}, of any version. Returns false if the store is not asked.
     */
    boolean drop(Place place);

    /** The record at {@code place} was damaged, or of another place: removes it. */
    void corrupt(Place place);

    /**
     * A record of another key was found at {@code place}, and is removed. The store may mix up its
     * answers: those that are on their way are not read.
     */
    void swapped(Place place);

    /** The longest record that it takes, in bytes. */
    int maxRecordBytes();
}
