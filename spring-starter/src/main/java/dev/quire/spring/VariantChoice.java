package dev.quire.spring;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which variant of a response is made, for a handler that declares some.
 *
 * @param values by name, those the handler declares: as they are for who asks
 * @param demotion why the response is for that reader alone, if the cache in front would give it to
 *     others
 */
record VariantChoice(SortedMap<String, String> values, Optional<Demotion> demotion) {

    VariantChoice {
        values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
    }

    /** A choice of {@code values} that any cache in front knows. */
    static VariantChoice known(Map<String, String> values) {
        return new VariantChoice(new TreeMap<>(values), Optional.empty());
    }

    /** The values with their names, as the signed cookie has them. */
    String text() {
        return values.entrySet().stream()
                .map(one -> one.getKey() + ":" + one.getValue())
                .collect(Collectors.joining("_"));
    }

    /** Both, for a response that two handlers have made. */
    VariantChoice and(VariantChoice other) {
        var all = new TreeMap<>(values);
        all.putAll(other.values);
        return new VariantChoice(all, demotion.or(other::demotion));
    }
}
