package dev.quire.test.memory;

import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.ClientLifetime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a page changes about its own answer, as far as it may.
 *
 * @param status 0 if the page's own stays
 * @param fields to be added, without its Cache-Control
 * @param lifetime what its own Cache-Control says, null if it has set none
 */
record Amendment(int status, List<ResponseEdits.Field> fields, @Nullable ClientLifetime lifetime) {
    static final Amendment NONE = new Amendment(0, List.of(), null);

    /** What all added fields together may come to. */
    private static final int MAX_FIELD_BYTES = 16 * 1024;

    /**
     * What may be done of it.
     *
     * @param primaryStatus of the page's primary fragment, or 0; a function's status goes before it
     */
    static Amendment of(ResponseEdits edits, int primaryStatus) {
        int primary = primaryStatus != 204 && mayAnswer(primaryStatus) ? primaryStatus : 0;
        var fields = new ArrayList<ResponseEdits.Field>();
        var cacheControl = new Fields.Builder();
        int bytes = 0;
        for (var field : edits.fields()) {
            var lower = field.name().toLowerCase(Locale.ROOT);
            bytes += field.name().length() + field.value().length();
            boolean isRefused = bytes > MAX_FIELD_BYTES || !isLine(field) || !mayBeAdded(lower);
            if (isRefused) {
                continue;
            }
            if (lower.equals("cache-control")) {
                cacheControl.add(field.name(), field.value());
            } else {
                fields.add(field);
            }
        }
        var said = cacheControl.build();
        return new Amendment(
                mayAnswer(edits.status()) ? edits.status() : primary,
                List.copyOf(fields),
                said.contains("Cache-Control") ? ClientLifetime.of(said, Duration.ZERO) : null);
    }

    /** Whether it turns the page into an error. */
    boolean isError() {
        return status >= 400;
    }

    boolean setsCookie() {
        return fields.stream().anyMatch(field -> field.name().equalsIgnoreCase("Set-Cookie"));
    }

    /** Whether the page's own field of that name, in lower case, must not stand beside ours. */
    boolean replaces(String lower) {
        return switch (lower) {
            case "content-type",
                    "content-disposition",
                    "content-location",
                    "location",
                    "refresh",
                    "retry-after" ->
                    fields.stream().anyMatch(field -> field.name().equalsIgnoreCase(lower));
            default -> false;
        };
    }

    /** Not those that only make sense as the answer to a condition or a range (RFC 9110 §15). */
    private static boolean mayAnswer(int status) {
        return switch (status) {
            case 205, 206, 304, 416 -> false;
            default -> status >= 200 && status <= 599;
        };
    }

    private static boolean mayBeAdded(String lower) {
        return switch (lower) {
            case "accept-ranges",
                    "content-digest",
                    "content-encoding",
                    "content-md5",
                    "content-range",
                    "date",
                    "digest",
                    "etag",
                    "expires",
                    "last-modified",
                    "pragma",
                    "repr-digest",
                    "via" ->
                    false;
            default -> !Heads.isOurs(lower) && !lower.startsWith("x-esi-");
        };
    }

    /** Whether it is one field line (RFC 9110 §5.1, §5.5). */
    private static boolean isLine(ResponseEdits.Field field) {
        return !field.name().isEmpty()
                && field.name().chars().allMatch(FieldNames::isOfAToken)
                && field.value()
                        .chars()
                        .allMatch(c -> c == '\t' || (c >= ' ' && c != 0x7f && c <= 0xff));
    }
}
