package dev.quire.core.assemble;

/** A fragment's body that arrives while it is written. The consumer knows its concrete type. */
public interface FragmentStream {

    /** Cancels it and releases its buffers. */
    void cancel();
}
