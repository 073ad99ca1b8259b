package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an {@link EffectiveRequest}: a view of those received, filtered on access, because
 * most requests are answered from the store after a few look-ups. Immutable.
 */
final class EffectiveFields implements Fields {
    private final Fields received;
    private final EffectiveRequest.Sender sender;
    private final Scheme scheme;
    private final String authority;
    private final Set<String> nominated;

    EffectiveFields(
            Fields received, EffectiveRequest.Sender sender, Scheme scheme, String authority) {
        this.received = received;
        this.sender = sender;
        this.scheme = scheme;
        this.authority = authority;
        this.nominated = HopByHop.nominated(received);
    }

    @Override
    public @Nullable String first(String name) {
        var set = set(name);
        if (set != null) {
            return set;
        }
        var value = received.first(name);
        if (isVia(name)) {
            return value == null || nominated.contains(name) ? Via.MEMBER : value;
        }
        return value == null || !isForwarded(name) ? null : value;
    }

    @Override
    public List<String> all(String name) {
        var set = set(name);
        if (set != null) {
            return List.of(set);
        }
        if (isVia(name)) {
            var hops = new ArrayList<String>();
            if (!nominated.contains(name)) {
                hops.addAll(received.all(name));
            }
            hops.add(Via.MEMBER);
            return hops;
        }
        var values = received.all(name);
        return values.isEmpty() || isForwarded(name) ? values : List.of();
    }

    @Override
    public boolean any(String name, Predicate<String> test) {
        if (isVia(name) || set(name) != null) {
            return Fields.super.any(name, test);
        }
        // In this order: rules test lines of many names, and most tests fail.
        return received.any(name, test) && isForwarded(name);
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        received.forEach((name, value) -> {
            if (name.equalsIgnoreCase("Host")) {
                line.accept(name, authority);
            } else if (set(name) == null && isForwarded(name)) {
                line.accept(name, value);
            }
        });
        line.accept("Via", Via.MEMBER);
        line.accept(EffectiveRequest.FORWARDED_FOR, forwardedFor());
        line.accept(EffectiveRequest.FORWARDED_PROTO, scheme.text());
        line.accept(EffectiveRequest.FORWARDED_HOST, forwardedHost());
    }

    /** Returns the value of a field that the proxy sets, or null for any other. */
    private @Nullable String set(String name) {
        return switch (name.length()) {
            case 4 -> name.equalsIgnoreCase("Host") ? authority : null;
            case 15 ->
                    name.equalsIgnoreCase(EffectiveRequest.FORWARDED_FOR) ? forwardedFor() : null;
            case 16 ->
                    name.equalsIgnoreCase(EffectiveRequest.FORWARDED_HOST) ? forwardedHost() : null;
            case 17 ->
                    name.equalsIgnoreCase(EffectiveRequest.FORWARDED_PROTO) ? scheme.text() : null;
            default -> null;
        };
    }

    private String forwardedFor() {
        var before =
                sender.isTrusted()
                        ? received.all(EffectiveRequest.FORWARDED_FOR)
                        : List.<String>of();
        return before.isEmpty()
                ? sender.address()
                : String.join(", ", before) + ", " + sender.address();
    }

    private String forwardedHost() {
        var believed =
                sender.isBelieved(EffectiveRequest.FORWARDED_HOST)
                        ? received.first(EffectiveRequest.FORWARDED_HOST)
                        : null;
        return believed == null ? authority : believed;
    }

    private boolean isForwarded(String name) {
        return RequestFields.goesUp(name)
                && (!RequestFields.isClaim(name) || sender.isBelieved(name))
                && !nominated.contains(name);
    }

    private static boolean isVia(String name) {
        return name.length() == 3 && name.equalsIgnoreCase("Via");
    }
}
