package dev.quire.proxy.exchange;

/** The limit for the memory of in-flight bodies, over all loops. Thread-safe. */
public interface TransitBudget {

    /** Without a limit. */
    TransitBudget UNLIMITED =
            new TransitBudget() {
                @Override
                public void charge(long bytes) {
                    // Not counted.
                }

                @Override
                public void give(long bytes) {
                    // Not counted.
                }

                @Override
                public boolean isFull() {
                    return false;
                }
            };

    /** Reserves {@code bytes} already in use, regardless of the limit. */
    void charge(long bytes);

    /** Releases reserved bytes. */
    void give(long bytes);

    /** Whether no more bytes should be taken. */
    boolean isFull();
}
