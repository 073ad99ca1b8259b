package dev.quire.proxy.disk;

import dev.quire.proxy.cache.InvalidationState;
import java.io.IOException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The state of the directory of a {@link DiskTier} when it was opened.
 *
 * @param state of the invalidations in the former journal, or null
 * @param generation of the former journal; 0 if there is not one
 * @param floor no record in the files has an older position
 * @param emptied why the files are not used; null if there are none, or they are
 */
record Beginning(
        UUID tier,
        @Nullable InvalidationState state,
        long generation,
        long floor,
        @Nullable String emptied) {

    static Beginning empty(@Nullable String emptied) {
        return new Beginning(UUID.randomUUID(), null, 0, 0, emptied);
    }

    /** Deletes segments that are not used, or leave a full disk no room for {@code journal}. */
    void makeSpace(LogDirectory directory, JournalFiles journal) throws IOException {
        if (state == null) {
            directory.deleteAll();
        } else {
            directory.makeSpace(journal.nextBytes());
        }
    }
}
