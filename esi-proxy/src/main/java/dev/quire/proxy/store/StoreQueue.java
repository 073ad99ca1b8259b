package dev.quire.proxy.store;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The calls that wait for a store, or for one server of several, and the records among them: their
 * number and their bytes are limited. Thread-safe.
 */
public final class StoreQueue {
    private final int maxCalls;
    private final long maxRecordBytes;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong recordBytes = new AtomicLong();

    StoreQueue(CallLimits limits) {
        this.maxCalls = limits.queue();
        this.maxRecordBytes = limits.writingBytes();
    }

    /** Whether one more call may wait; if so, {@link #leave} is to be called. */
    public boolean isAdmitted() {
        if (waiting.incrementAndGet() <= maxCalls) {
            return true;
        }
        leave();
        return false;
    }

    public void leave() {
        waiting.decrementAndGet();
    }

    /** Whether one more record may be written; if so, {@link #written} is to be called. */
    public boolean isAdmitted(long bytes) {
        if (recordBytes.addAndGet(bytes) <= maxRecordBytes) {
            return true;
        }
        written(bytes);
        return false;
    }

    public void written(long bytes) {
        recordBytes.addAndGet(-bytes);
    }

    /** The number of calls that wait. */
    public int waiting() {
        return waiting.get();
    }
}
