package dev.quire.test.wire.internal;

/**
 * Where a proxy keeps responses. A test selects it for the proxies that its thread starts, so that
 * the same test runs with several tiers.
 */
public enum StorageTier {
    /** As the test configures it. */
    CONFIGURED,
    /** On disk alone, from the first second of their lifetime on. */
    DISK;

    private static final ThreadLocal<StorageTier> SELECTED =
            ThreadLocal.withInitial(() -> CONFIGURED);

    /** The tier of a proxy that this thread starts now. */
    public static StorageTier selected() {
        return SELECTED.get();
    }

    /** For this thread. */
    public void select() {
        SELECTED.set(this);
    }

    /** For this thread, {@link #CONFIGURED}. */
    public static void unselect() {
        SELECTED.remove();
    }
}
