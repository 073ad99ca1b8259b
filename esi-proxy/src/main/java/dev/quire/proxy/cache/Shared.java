package dev.quire.proxy.cache;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Values of which many stored responses have the same: they then share one. Remembers the first
 * {@value #MAX_VALUES} and never forgets them; any other value stays by itself. Safe for all
 * threads.
 */
final class Shared<T> {
    static final int MAX_VALUES = 1_024;

    private final ConcurrentMap<T, T> values = new ConcurrentHashMap<>();

    /** One that equals {@code value}. */
    T shared(T value) {
        var known = values.get(value);
        if (known != null) {
            return known;
        }
        // Threads that come here at the same time may remember one more each.
        if (values.size() >= MAX_VALUES) {
            return value;
        }
        var first = values.putIfAbsent(value, value);
        return first == null ? value : first;
    }
}
