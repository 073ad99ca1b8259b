package dev.quire.core.assemble;

/** A fragment's body that arrives while it is written. The consumer knows its real type. */
public interface FragmentStream {

    /** Drops it and what it still holds. */
    void cancel();
}
