package dev.quire.spring.internal.assemble;

import java.util.concurrent.atomic.AtomicInteger;

/** The number of bytes that the fragments of one page may still hold together. Thread-safe. */
final class ByteBudget {

    private final AtomicInteger left;

    ByteBudget(int bytes) {
        left = new AtomicInteger(bytes);
    }

    int left() {
        return left.get();
    }

    /** Takes {@code bytes}, or nothing if fewer are left; returns whether it took them. */
    boolean take(int bytes) {
        while (true) {
            int now = left.get();
            if (bytes > now) {
                return false;
            }
            if (left.compareAndSet(now, now - bytes)) {
                return true;
            }
        }
    }

    /** Returns bytes that did not become part of the page. */
    void giveBack(int bytes) {
        left.addAndGet(bytes);
    }
}
