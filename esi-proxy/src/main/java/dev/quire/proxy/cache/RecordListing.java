package dev.quire.proxy.cache;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lists the responses to one resource that only a log has. Runs once, on a thread that may wait.
 */
final class RecordListing {
    private final RecordKey key;
    private final ParseFingerprint parsing;
    private final RecordLog log;
    private final RecordCodec codec;
    private final PageStore store;

    // Guarded by this object.
    private boolean isOver;

    RecordListing(
            RecordKey key,
            ParseFingerprint parsing,
            RecordLog log,
            RecordCodec codec,
            PageStore store) {
        this.key = key;
        this.parsing = parsing;
        this.log = log;
        this.codec = codec;
        this.store = store;
    }

    /** Passes each response to {@code each}, which does not keep it. */
    void run(Consumer<StoredResponse> each) {
        var inMemory = inMemory();
        for (var id : ids()) {
            var response = inMemory.contains(id) ? null : read(id);
            if (response != null) {
                pass(response, each);
            }
        }
    }

    private synchronized void pass(StoredResponse response, Consumer<StoredResponse> each) {
        try {
            if (!isOver) {
                each.accept(response);
            }
        } finally {
            response.release();
        }
    }

    /** Passes no response from now on. */
    synchronized void end() {
        isOver = true;
    }

    private Set<RecordHash> inMemory() {
        var ids = new HashSet<RecordHash>();
        store.forEachVariant(
                key.resource(), response -> ids.addAll(RecordVariants.ids(response, key.hash())));
        return ids;
    }

    private List<RecordHash> ids() {
        var list = RecordVariants.in(log, key.hash());
        return list == null ? List.of(key.hash()) : list.hashes();
    }

    /** Returns the response, of which the caller owns a reference, unless it is of no use. */
    private @Nullable StoredResponse read(RecordHash id) {
        var record = log.read(id);
        if (record == null) {
            return null;
        }
        try {
            return codec.read(record, RecordCodec.Wanted.any(key, parsing))
                            instanceof RecordCodec.Found(var response, var bodyAt, var bytes)
                    ? store.useful(response)
                    : null;
        } finally {
            record.release();
        }
    }
}
