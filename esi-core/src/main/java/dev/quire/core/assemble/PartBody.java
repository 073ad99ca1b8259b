package dev.quire.core.assemble;

import org.jspecify.annotations.Nullable;

/** The complete body of a page or fragment, in memory managed by its creator. */
public interface PartBody {

    /** Returns its compiled form, or null if it is not an ESI document and is written as it is. */
    @Nullable CompiledPage compiled();

    /** Returns the size in bytes; for a document, of its text. */
    int length();

    int status();

    byte[] copy(int start, int end);

    /** Releases one reference; a no-op for a body on the heap. */
    default void release() {}
}
