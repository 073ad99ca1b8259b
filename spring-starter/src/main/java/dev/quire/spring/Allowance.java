package dev.quire.spring;

import java.util.concurrent.atomic.AtomicInteger;

/** What the fragments of one page may still hold together, in bytes. Any thread. */
final class Allowance {

    private final AtomicInteger left;

    Allowance(int bytes) {
        left = new AtomicInteger(bytes);
    }

    int left() {
        return left.get();
    }

    /** Takes {@code bytes}, or nothing if that is more than is left. */
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

    /** Gives back what has not become part of the page. */
    void giveBack(int bytes) {
        left.addAndGet(bytes);
    }
}
