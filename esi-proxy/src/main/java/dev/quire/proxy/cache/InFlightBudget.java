package dev.quire.proxy.cache;

import dev.quire.proxy.exchange.TransitBudget;
import java.util.concurrent.atomic.AtomicLong;

/** The limit for the memory of in-flight bodies, over all loops. */
public final class InFlightBudget implements TransitBudget {
    private volatile long maxBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    public InFlightBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Changes the limit; what is reserved stays. */
    public void limit(long bytes) {
        maxBytes = bytes;
    }

    /** Reserves {@code bytes}. Returns false, without reserving any, if they exceed the limit. */
    public boolean tryTake(long bytes) {
        if (usedBytes.addAndGet(bytes) <= maxBytes) {
            return true;
        }
        usedBytes.addAndGet(-bytes);
        return false;
    }

    @Override
    public void charge(long bytes) {
        usedBytes.addAndGet(bytes);
    }

    @Override
    public void give(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    @Override
    public boolean isFull() {
        return usedBytes.get() >= maxBytes;
    }

    /** Whether {@code bytes} would fit now. */
    boolean hasRoom(long bytes) {
        return usedBytes.get() + bytes <= maxBytes;
    }

    /** A part of it, which is full at half of it: what is charged there leaves the other half. */
    public TransitBudget half() {
        var half = new InFlightBudget(Long.MAX_VALUE);
        return new TransitBudget() {
            @Override
            public void charge(long bytes) {
                half.charge(bytes);
                InFlightBudget.this.charge(bytes);
            }

            @Override
            public void give(long bytes) {
                half.give(bytes);
                InFlightBudget.this.give(bytes);
            }

            @Override
            public boolean isFull() {
                return half.usedBytes() >= maxBytes / 2 || InFlightBudget.this.isFull();
            }
        };
    }

    public long usedBytes() {
        return usedBytes.get();
    }
}
