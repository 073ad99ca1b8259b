package dev.quire.proxy.cache;

import dev.quire.proxy.exchange.Time;
import java.util.List;
import java.util.stream.Stream;

/**
 * Changes the records of one resource in a log: its only one, or its variants and their list.
 * Called by the thread that writes.
 */
final class RecordChanges {

    /** Selects variants of a resource. */
    interface Selection {
        List<RecordHash> of(RecordVariants all);

        /** Returns the variants of both. */
        default Selection and(Selection other) {
            return all ->
                    Stream.concat(of(all).stream(), other.of(all).stream()).distinct().toList();
        }
    }

    private final PageStore store;
    private final Invalidations invalidations;
    private final RecordCodec codec;
    private final Time time;

    RecordChanges(PageStore store, RecordCodec codec, Time time) {
        this.store = store;
        this.invalidations = store.invalidations();
        this.codec = codec;
        this.time = time;
    }

    /**
     * Appends the record of {@code response}, in place of that of the same variant.
     *
     * @throws OutOfMemoryError if it has no memory for that; the older record may be left
     */
    TierWrite append(StoredResponse response, RecordKey key, RecordLog to) {
        long position = response.testedUpTo();
        long expiry = time.steadyWall().plus(store.keepFor(response)).toEpochMilli();
        var record = codec.write(response, key, invalidations.position(position));
        try {
            if (record.readableBytes() > to.maxRecordBytes()) {
                return TierWrite.REFUSED;
            }
            var list = RecordVariants.in(to, key.hash());
            if (list == null && RecordVariants.Variant.isOnly(response)) {
                return written(to.append(key.hash(), position, expiry, record));
            }
            var variant = RecordVariants.Variant.of(response, key.hash(), expiry);
            to.remove(key.hash());
            boolean isWritten = to.append(variant.hash(), position, expiry, record);
            if (isWritten) {
                var known = list == null ? new RecordVariants(key.hash(), List.of()) : list;
                replace(known.with(variant), to);
            }
            return written(isWritten);
        } finally {
            record.release();
        }
    }

    private static TierWrite written(boolean isWritten) {
        return isWritten ? TierWrite.STORED : TierWrite.FAILED;
    }

    /**
     * Removes the record of a resource without variants, or those of {@code variants}. Without
     * memory for their list it removes all.
     */
    void remove(RecordKey key, Selection variants, RecordLog from) {
        var hash = key.hash();
        from.remove(hash);
        try {
            removeVariants(hash, variants, from);
        } catch (OutOfMemoryError lack) {
            // Without the list none of them is found.
            from.remove(RecordVariants.listOf(hash));
        }
    }

    private void removeVariants(RecordHash hash, Selection variants, RecordLog from) {
        var list = RecordVariants.in(from, hash);
        if (list == null) {
            // It may be unreadable now, and be back after a restart.
            from.remove(RecordVariants.listOf(hash));
        } else {
            var gone = variants.of(list);
            gone.forEach(from::remove);
            var rest = list.without(gone);
            if (!rest.equals(list)) {
                replace(rest, from);
            }
        }
    }

    private void replace(RecordVariants list, RecordLog in) {
        var id = RecordVariants.listOf(list.key());
        if (list.variants().isEmpty()) {
            in.remove(id);
            return;
        }
        var record = list.written();
        try {
            in.append(id, invalidations.newest(), list.expiryMillis(), record);
        } finally {
            record.release();
        }
    }
}
