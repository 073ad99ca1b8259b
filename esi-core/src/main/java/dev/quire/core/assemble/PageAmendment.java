package dev.quire.core.assemble;

import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.http.FieldSyntax;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.ClientLifetime;
import dev.quire.core.policy.ResponseFields;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The allowed changes of a page to its own response ({@link ResponseFields#mayBeSet}, {@link
 * ResponseFields#isStatusOfPage}).
 *
 * @param status 0 if the document's own stays
 * @param fields to be written after the document's, without Cache-Control
 * @param lifetime from its own Cache-Control; null if it has set none
 * @param refused what was not allowed, a message for each change
 */
public record PageAmendment(
        int status,
        List<ResponseEdits.Field> fields,
        @Nullable ClientLifetime lifetime,
        List<String> refused) {

    public static final PageAmendment NONE = new PageAmendment(0, List.of(), null, List.of());

    /**
     * Returns the allowed changes of {@code edits}.
     *
     * @param primaryStatus of the page's primary fragment, or 0; one set by a function precedes it
     */
    public static PageAmendment of(ResponseEdits edits, int primaryStatus) {
        if (edits.equals(ResponseEdits.NONE) && primaryStatus == 0) {
            return NONE;
        }
        boolean isStatus = ResponseFields.isStatusOfPage(edits.status());
        var refused = new ArrayList<String>();
        if (edits.status() != 0 && !isStatus) {
            refused.add(
                    "invalid status %d (expected 200 to 599, except 205, 206, 304 and 416)"
                            .formatted(edits.status()));
        }
        var fields = new ArrayList<ResponseEdits.Field>();
        var cacheControl = new Fields.Builder();
        int bytes = 0;
        for (var field : edits.fields()) {
            bytes += field.name().length() + field.value().length();
            var refusal = bytes > ResponseFields.MAX_ADDED_BYTES ? tooLong(field) : refusal(field);
            if (refusal != null) {
                refused.add(refusal);
            } else if (field.name().equalsIgnoreCase("Cache-Control")) {
                cacheControl.add(field.name(), field.value());
            } else {
                if (ResponseFields.isSingle(field.name())) {
                    fields.removeIf(other -> other.name().equalsIgnoreCase(field.name()));
                }
                fields.add(field);
            }
        }
        var own = cacheControl.build();
        return new PageAmendment(
                isStatus ? edits.status() : ofPrimary(primaryStatus),
                List.copyOf(fields),
                own.contains("Cache-Control") ? ClientLifetime.of(own, Duration.ZERO) : null,
                List.copyOf(refused));
    }

    /** Whether the page's head differs from its document's. */
    public boolean changesHead() {
        return status != 0 || !fields.isEmpty();
    }

    public boolean isError() {
        return status >= 400;
    }

    /** Whether it sets a cookie, so that the response is for one client only. */
    public boolean setsCookie() {
        return has("Set-Cookie");
    }

    /** Whether the document's own field of that name must be left out. */
    public boolean replaces(String name) {
        return ResponseFields.isSingle(name) && has(name);
    }

    private boolean has(String name) {
        return fields.stream().anyMatch(field -> field.name().equalsIgnoreCase(name));
    }

    /** A primary fragment without content does not make the page empty. */
    private static int ofPrimary(int status) {
        return status != 204 && ResponseFields.isStatusOfPage(status) ? status : 0;
    }

    private static String tooLong(ResponseEdits.Field field) {
        return "field '%s' exceeds %d bytes, the limit for all fields set by a page"
                .formatted(field.name(), ResponseFields.MAX_ADDED_BYTES);
    }

    /** Returns why a page must not set {@code field} (RFC 9110 §5.1, §5.5), or null if it may. */
    private static @Nullable String refusal(ResponseEdits.Field field) {
        if (!FieldSyntax.isToken(field.name())) {
            return "invalid field name '%s' (expected a token)".formatted(field.name());
        }
        if (!FieldSyntax.isValue(field.value())) {
            return "invalid value of field '%s'".formatted(field.name());
        }
        return ResponseFields.mayBeSet(field.name())
                ? null
                : "a page must not set field '%s'".formatted(field.name());
    }
}
