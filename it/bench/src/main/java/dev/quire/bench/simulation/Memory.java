package dev.quire.bench.simulation;

import dev.quire.proxy.cache.FrequencySketch;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a node: the responses that were used last. A new one takes the place of the oldest
 * one only if it is requested more often, as in TinyLFU.
 */
final class Memory {
    private static final int SKETCH_BYTES_OF_OBJECT = 8;

    private final int capacity;
    private final FrequencySketch requests;
    private final Map<Integer, Copy> copies = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * @param capacity in objects
     */
    Memory(int capacity) {
        this.capacity = capacity;
        this.requests = new FrequencySketch((long) capacity * SKETCH_BYTES_OF_OBJECT);
    }

    /** Counts a request for {@code object}, and returns its copy. */
    @Nullable Copy request(int object) {
        requests.add(object);
        return copies.get(object);
    }

    /** Keeps {@code copy} if it is admitted. */
    void put(int object, Copy copy) {
        if (copies.size() >= capacity && !copies.containsKey(object)) {
            var eldest = copies.keySet().iterator();
            if (!eldest.hasNext()) {
                return;
            }
            int victim = eldest.next();
            if (requests.count(object) <= requests.count(victim)) {
                return;
            }
            eldest.remove();
        }
        copies.put(object, copy);
    }

    void remove(int object) {
        copies.remove(object);
    }

    void clear() {
        copies.clear();
    }
}
