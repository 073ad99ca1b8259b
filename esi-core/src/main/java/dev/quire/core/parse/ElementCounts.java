package dev.quire.core.parse;

import java.util.EnumMap;
import java.util.Map;

final class ElementCounts {

    private final Map<Element, Integer> counts = new EnumMap<>(Element.class);

    void add(Element element) {
        counts.merge(element, 1, Integer::sum);
    }

    /** Decrements the count of {@code element}; false if it is zero. */
    boolean take(Element element) {
        int count = counts.getOrDefault(element, 0);
        if (count == 0) {
            return false;
        }
        counts.put(element, count - 1);
        return true;
    }

    boolean has(Element element) {
        return counts.getOrDefault(element, 0) > 0;
    }
}
