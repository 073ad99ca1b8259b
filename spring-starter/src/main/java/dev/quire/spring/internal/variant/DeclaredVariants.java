package dev.quire.spring.internal.variant;

import dev.quire.core.policy.SignedVariant;
import dev.quire.spring.VariantResolver;
import dev.quire.spring.internal.exchange.Demotion;
import dev.quire.spring.internal.exchange.VariantChoice;
import dev.quire.spring.internal.fields.Capabilities;
import dev.quire.spring.internal.fields.FragmentMark;
import dev.quire.spring.internal.fields.TrustedProxies;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** All variants by name. Shared by all requests. */
public final class DeclaredVariants {

    private final SortedMap<String, VariantResolver> resolvers = new TreeMap<>();
    private final TrustedProxies trusted;

    /**
     * Validates the resolvers.
     *
     * @param trusted peers whose variant field is trusted
     * @throws IllegalArgumentException naming the resolver and what was expected
     */
    public DeclaredVariants(List<VariantResolver> all, TrustedProxies trusted) {
        this.trusted = trusted;
        for (var resolver : all) {
            check(resolver);
            var other = resolvers.putIfAbsent(resolver.name(), resolver);
            if (other != null) {
                throw new IllegalArgumentException(
                        "%s: the variant '%s' is already resolved by %s (expected one resolver for each name)"
                                .formatted(
                                        resolver.getClass().getName(),
                                        resolver.name(),
                                        other.getClass().getName()));
            }
        }
        if (resolvers.size() > SignedVariant.MAX_NAMES) {
            throw new IllegalArgumentException(
                    "%d variants are defined: %s (expected at most %d)"
                            .formatted(
                                    resolvers.size(), resolvers.keySet(), SignedVariant.MAX_NAMES));
        }
    }

    private static void check(VariantResolver resolver) {
        var type = resolver.getClass().getName();
        if (!SignedVariant.isWord(resolver.name())) {
            throw new IllegalArgumentException(
                    "%s: '%s' is not a variant name (expected 1 to 32 characters of a-z, 0-9 and -)"
                            .formatted(type, resolver.name()));
        }
        for (var value : resolver.values()) {
            if (!SignedVariant.isWord(value)) {
                throw new IllegalArgumentException(
                        "%s: '%s' is not a variant value (expected 1 to 32 characters of a-z, 0-9 and -)"
                                .formatted(type, value));
            }
        }
        if (!resolver.values().contains(resolver.initial())) {
            throw new IllegalArgumentException(
                    "%s: the initial value '%s' is not one of %s"
                            .formatted(type, resolver.initial(), resolver.values()));
        }
    }

    Set<String> names() {
        return resolvers.keySet();
    }

    /** Returns the values of {@code names} for the user of {@code request}. */
    SortedMap<String, String> resolved(HttpServletRequest request, Collection<String> names) {
        var values = new TreeMap<String, String>();
        for (var name : names) {
            var resolver = resolver(name);
            var value = resolver.resolve(request);
            if (!resolver.values().contains(value)) {
                throw new IllegalStateException(
                        "%s resolved to '%s', which is not one of %s"
                                .formatted(
                                        resolver.getClass().getName(), value, resolver.values()));
            }
            values.put(name, value);
        }
        return values;
    }

    /** Returns the values of {@code names} for unknown users. */
    SortedMap<String, String> initial(Collection<String> names) {
        var values = new TreeMap<String, String>();
        names.forEach(name -> values.put(name, resolver(name).initial()));
        return values;
    }

    private VariantResolver resolver(String name) {
        var resolver = resolvers.get(name);
        if (resolver == null) {
            throw new IllegalStateException("unknown variant " + name);
        }
        return resolver;
    }

    /**
     * Returns the variant that a trusted cache in front states for the client, under which it
     * stores this response; empty if it states none.
     *
     * @param names the relevant variants
     */
    Optional<SortedMap<String, String>> saidInFront(
            HttpServletRequest request, Collection<String> names) {
        var lines = request.getHeaders(SignedVariant.FIELD);
        if (!lines.hasMoreElements() || !trusted.trust(Capabilities.peer(request))) {
            return Optional.empty();
        }
        var payload = lines.nextElement();
        var known = initial(names);
        if (lines.hasMoreElements()) {
            return Optional.empty();
        }
        if (payload.equals(SignedVariant.NONE)) {
            return Optional.of(known);
        }
        return SignedVariant.values(payload)
                .map(said -> {
                    known.replaceAll((name, initial) -> said.getOrDefault(name, initial));
                    return known;
                });
    }

    /** Returns the variant of a response to {@code request} that varies by {@code names}. */
    VariantChoice choice(HttpServletRequest request, Collection<String> names) {
        var values = resolved(request, names);
        if (FragmentMark.isOn(request)) {
            // part of a page for this client, and never stored
            return VariantChoice.known(values);
        }
        var said = saidInFront(request, names);
        if (said.isEmpty()) {
            return new VariantChoice(values, Optional.of(Demotion.VARIANT_NOT_NORMALISED));
        }
        return said.get().equals(values)
                ? VariantChoice.known(values)
                : new VariantChoice(values, Optional.of(Demotion.VARIANT_DIFFERS));
    }
}
