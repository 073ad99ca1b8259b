package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SentRequest;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Heads of records whose bodies are sent from their files, without a read: those that were read and
 * checked in the last minute, and used in the last seconds. So their bytes are in the memory of the
 * kernel. Thread-safe.
 */
final class FileHeads {

    /** Bytes that were not sent for so long may have to be read from the device again. */
    private static final Duration IDLE = Duration.ofSeconds(10);

    /** Then the record is read and checked again: its file may have been changed from outside. */
    private static final Duration CHECKED = Duration.ofMinutes(1);

    /** Of a head, beside its response. */
    private static final int ENTRY_BYTES = 300;

    /**
     * A resource, under the settings of its route.
     *
     * @param storage the {@link StorageFingerprint} of the route
     */
    private record Id(CacheKey resource, RecordHash storage) {}

    /**
     * The head of a record.
     *
     * @param response without its body
     * @param key of its resource
     * @param place of the record
     * @param bodyAt the place of the body in it
     */
    private record Head(
            StoredResponse response, RecordHash key, RecordPlace place, int bodyAt, int bodyBytes) {

        int weightBytes() {
            return (int) (response.weightBytes() + ENTRY_BYTES);
        }

        /** Returns the response, whose body is in the file; null if the record is gone. */
        @Nullable StoredResponse opened() {
            var record = place.open();
            return record == null ? null : response.with(new FileBody(record, bodyAt, bodyBytes));
        }
    }

    private final Cache<Id, Head> heads;
    private final Predicate<StoredResponse> isUsable;
    private final Predicate<RecordHash> isRemoving;

    /**
     * @param isUsable whether a response is fresh, and no invalidation covers it
     * @param isRemoving whether records of a resource are about to be removed
     * @param ticks the time in nanoseconds
     */
    FileHeads(
            Predicate<StoredResponse> isUsable,
            Predicate<RecordHash> isRemoving,
            LongSupplier ticks) {
        this.heads =
                Caffeine.newBuilder()
                        .maximumWeight(0)
                        .weigher((Id id, Head head) -> head.weightBytes())
                        .expireAfterAccess(IDLE)
                        .expireAfterWrite(CHECKED)
                        .ticker(ticks::getAsLong)
                        .executor(Runnable::run)
                        .build();
        this.isUsable = isUsable;
        this.isRemoving = isRemoving;
    }

    /** Changes the limit of the memory for all heads. */
    void limit(long bytes) {
        heads.policy().eviction().ifPresent(eviction -> eviction.setMaximum(bytes));
    }

    /**
     * Keeps a head; returns its response, whose body is in the file, or null if the record is gone.
     *
     * @param read from the record, without its body; takes over the reference
     */
    @Nullable StoredResponse add(
            RecordHash storage, RecordKey key, RecordCodec.Found read, RecordPlace place) {
        var head = new Head(read.response(), key.hash(), place, read.bodyAt(), read.bodyBytes());
        heads.put(new Id(key.resource(), storage), head);
        return head.opened();
    }

    /**
     * Returns the response to {@code request}, whose body is in a file, or null. The caller owns a
     * reference.
     *
     * @param storage the {@link StorageFingerprint} of the route
     */
    @Nullable StoredResponse find(CacheKey resource, RecordHash storage, SentRequest request) {
        var id = new Id(resource, storage);
        var head = heads.getIfPresent(id);
        if (head == null || !request.isSelectedBy(head.response().selecting())) {
            return null;
        }
        boolean isCurrent = isUsable.test(head.response()) && !isRemoving.test(head.key());
        var opened = isCurrent ? head.opened() : null;
        if (opened == null) {
            heads.asMap().remove(id, head);
        }
        return opened;
    }

    /** Another response to {@code resource} may be the one to use. */
    void forget(CacheKey resource, RecordHash storage) {
        heads.invalidate(new Id(resource, storage));
    }

    void clear() {
        heads.invalidateAll();
    }
}
