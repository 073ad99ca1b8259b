package dev.quire.proxy.path;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.RequestFields;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The fields of the client that a request to an origin contains: a view, filtered on access, with
 * one spelling of Accept-Encoding for all clients that accept the same. Immutable.
 *
 * @param client the fields of the exchange, as forwarded to the host
 * @param codings the value of Accept-Encoding; null for none. Not sent for includes, whose content
 *     must not be coded
 */
record SentFields(Fields client, Purpose purpose, @Nullable String codings) implements Fields {
    private static final String CODINGS = "Accept-Encoding";

    @Override
    public @Nullable String first(String name) {
        if (isOfCodings(name)) {
            return sentCodings();
        }
        var value = client.first(name);
        return value == null || !isSent(name) ? null : value;
    }

    @Override
    public List<String> all(String name) {
        if (isOfCodings(name)) {
            var sent = sentCodings();
            return sent == null ? List.of() : List.of(sent);
        }
        var values = client.all(name);
        if (values.isEmpty() || !isSent(name)) {
            return List.of();
        }
        return values.size() > 1 && name.equalsIgnoreCase("Cookie") ? List.of(cookie()) : values;
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        boolean hasManyCookies = client.all("Cookie").size() > 1;
        client.forEach((name, value) -> {
            if (isSent(name) && !(hasManyCookies && name.equalsIgnoreCase("Cookie"))) {
                line.accept(name, value);
            }
        });
        if (hasManyCookies && isSent("Cookie")) {
            line.accept("Cookie", cookie());
        }
        var sent = sentCodings();
        if (sent != null) {
            line.accept(CODINGS, sent);
        }
    }

    private @Nullable String sentCodings() {
        return purpose == Purpose.INCLUDE ? null : codings;
    }

    private static boolean isOfCodings(String name) {
        return name.length() == CODINGS.length() && name.equalsIgnoreCase(CODINGS);
    }

    /** HTTP/2 clients may send several (RFC 9113 §8.2.3); origins read only the first. */
    private String cookie() {
        return String.join("; ", client.all("Cookie"));
    }

    private boolean isSent(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        if (purpose == Purpose.INCLUDE) {
            return !lower.equals("host") && !RequestFields.isOfPageOnly(lower);
        }
        return switch (lower) {
            case "host", "expect", "accept-encoding" -> false;
            case "range", "if-range" -> purpose == Purpose.PART;
            case "if-match", "if-none-match", "if-modified-since", "if-unmodified-since" ->
                    purpose == Purpose.FORWARD || purpose == Purpose.PART;
            default -> true;
        };
    }
}
