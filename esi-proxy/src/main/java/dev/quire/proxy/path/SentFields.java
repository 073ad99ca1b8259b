package dev.quire.proxy.path;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.RequestFields;
import java.util.List;
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
    private static final FieldNames OWN = FieldNames.of("host", "expect", CODINGS);
    private static final FieldNames OF_PART = FieldNames.of("range", "if-range");
    private static final FieldNames CONDITIONS =
            FieldNames.of("if-match", "if-none-match", "if-modified-since", "if-unmodified-since");

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
        if (OWN.contains(name)) {
            return false;
        }
        return switch (purpose) {
            case INCLUDE -> !RequestFields.isOfPageOnly(name);
            case PART -> true;
            case FORWARD -> !OF_PART.contains(name);
            case STORE, HEAD -> !OF_PART.contains(name) && !CONDITIONS.contains(name);
        };
    }
}
