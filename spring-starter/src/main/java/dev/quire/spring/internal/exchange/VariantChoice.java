package dev.quire.spring.internal.exchange;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The variant of a response, for a handler that declares variants.
 *
 * @param values the client's values of the declared variants, by name
 * @param demotion why the response must be private, if the cache in front would serve it to other
 *     clients
 */
public record VariantChoice(SortedMap<String, String> values, Optional<Demotion> demotion) {

    public VariantChoice {
        values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
    }

    /** Returns a choice of {@code values} without demotion. */
    public static VariantChoice known(Map<String, String> values) {
        return new VariantChoice(new TreeMap<>(values), Optional.empty());
    }

    /** Returns names and values as in the signed cookie. */
    public String text() {
        return values.entrySet().stream()
                .map(one -> one.getKey() + ":" + one.getValue())
                .collect(Collectors.joining("_"));
    }

    /** Returns the union, for a response of two handlers. */
    public VariantChoice and(VariantChoice other) {
        var all = new TreeMap<>(values);
        all.putAll(other.values);
        return new VariantChoice(all, demotion.or(other::demotion));
    }
}
