package dev.quire.proxy.cache;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Interns values that many stored responses have in common. Keeps the first {@value #MAX_VALUES}
 * forever; other values are not shared. Thread-safe.
 */
final class Shared<T> {
    static final int MAX_VALUES = 1_024;

    private final ConcurrentMap<T, T> values = new ConcurrentHashMap<>();

    /** Returns a value equal to {@code value}. */
    T shared(T value) {
        var known = values.get(value);
        if (known != null) {
            return known;
        }
        // Concurrent calls may slightly exceed the limit.
        if (values.size() >= MAX_VALUES) {
            return value;
        }
        var first = values.putIfAbsent(value, value);
        return first == null ? value : first;
    }
}
