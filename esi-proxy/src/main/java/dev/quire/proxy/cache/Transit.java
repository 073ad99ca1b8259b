package dev.quire.proxy.cache;

import java.util.concurrent.atomic.AtomicLong;

/** The bound of what bodies on their way may hold together, over all loops. */
public final class Transit {
    private final long maxBytes;
    private final AtomicLong heldBytes = new AtomicLong();

    public Transit(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Takes room for {@code bytes}; false, and nothing is taken, if there is none. */
    public boolean tryTake(long bytes) {
        if (heldBytes.addAndGet(bytes) <= maxBytes) {
            return true;
        }
        heldBytes.addAndGet(-bytes);
        return false;
    }

    /** Takes room for {@code bytes} that are there already, whatever the bound. */
    public void charge(long bytes) {
        heldBytes.addAndGet(bytes);
    }

    /** Gives back what was taken. */
    public void give(long bytes) {
        heldBytes.addAndGet(-bytes);
    }

    public long heldBytes() {
        return heldBytes.get();
    }
}
