package dev.quire.proxy.path;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.RequestFields;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The fields of the client that a request to an origin contains: a view, filtered on access.
 * Immutable.
 *
 * @param client the fields of the exchange, as forwarded to the host
 * @param sendsCodings whether the client's Accept-Encoding is sent
 * @param isForOnePart whether its range is sent
 */
record SentFields(Fields client, Purpose purpose, boolean sendsCodings, boolean isForOnePart)
        implements Fields {

    @Override
    public @Nullable String first(String name) {
        var value = client.first(name);
        return value == null || !isSent(name) ? null : value;
    }

    @Override
    public List<String> all(String name) {
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
            case "host", "expect" -> false;
            case "range", "if-range" -> isForOnePart;
            // With ESI off, the origin's content codings are ordinary variants.
            case "accept-encoding" -> sendsCodings;
            case "if-match", "if-none-match", "if-modified-since", "if-unmodified-since" ->
                    purpose == Purpose.FORWARD;
            default -> true;
        };
    }
}
