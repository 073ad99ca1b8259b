package dev.quire.proxy.cache;

/**
 * A removal of records of one resource, which are outdated.
 *
 * @param variants selects them among those of the resource
 * @param joined how many removals it consists of
 */
record RecordRemoval(RecordKey key, RecordChanges.Selection variants, int joined) {

    /** More are joined to one of all variants, since each keeps a request in memory. */
    static final int MAX_JOINED = 8;

    RecordRemoval(RecordKey key, RecordChanges.Selection variants) {
        this(key, variants, 1);
    }

    /** Returns both as one; if there are too many, one of all variants. */
    RecordRemoval and(RecordRemoval other) {
        return joined < MAX_JOINED
                ? new RecordRemoval(key, variants.and(other.variants), joined + 1)
                : ofAll();
    }

    /** Returns a removal of all variants. */
    RecordRemoval ofAll() {
        return new RecordRemoval(key, RecordVariants::hashes, MAX_JOINED);
    }
}
