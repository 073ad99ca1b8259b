package dev.quire.core.assemble;

import org.jspecify.annotations.Nullable;

/** The body of a page or fragment, whole, in whatever memory its maker keeps. */
public interface PartBody {

    /** What it is made of, or null when it is not an ESI document and is written as it is. */
    @Nullable CompiledPage compiled();

    /** The size in bytes; of a document, of its text. */
    int length();

    /** The status it came with. */
    int status();

    /** A copy of its bytes from {@code start} to {@code end}. */
    byte[] copy(int start, int end);

    /** Gives back one reference; a body on the heap has nothing to do. */
    default void release() {}
}
