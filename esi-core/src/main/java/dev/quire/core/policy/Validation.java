package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.ResponseHead;
import java.util.HashSet;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Validation of a stored response with the origin (RFC 9111 §4.3, §3.2). */
public final class Validation {
    private static final String WEAK = "W/";

    private Validation() {}

    /** Whether {@code stored} has an ETag or a valid Last-Modified. */
    public static boolean hasValidator(Fields stored) {
        return stored.contains("ETag") || lastModified(stored) != null;
    }

    /** Returns the conditions of a validation request: the validators exactly as received. */
    public static Fields conditions(Fields stored) {
        var conditions = new Fields.Builder();
        var tag = stored.first("ETag");
        if (tag != null) {
            conditions.add("If-None-Match", tag);
        }
        var modified = lastModified(stored);
        if (modified != null) {
            conditions.add("If-Modified-Since", modified);
        }
        return conditions.build();
    }

    /** Returns the line if it is a valid date, else null. */
    private static @Nullable String lastModified(Fields stored) {
        var modified = stored.first("Last-Modified");
        return modified != null && HttpDate.parse(modified).isPresent() ? modified : null;
    }

    /**
     * Whether the 304 with {@code notModified} is about {@code stored} (RFC 9111 §4.3.4). If not,
     * it must not update anything, and the request must be repeated without conditions. A strong
     * ETag must be identical, a weak one may differ in strength; a 304 without an ETag matches.
     */
    public static boolean selects(Fields stored, Fields notModified) {
        var confirmed = notModified.first("ETag");
        if (confirmed == null) {
            return true;
        }
        var tag = stored.first("ETag");
        if (tag == null) {
            return false;
        }
        return confirmed.startsWith(WEAK)
                ? Conditions.matchWeakly(confirmed, tag)
                : confirmed.equals(tag);
    }

    /**
     * Whether the 200 to HEAD with {@code answered} matches the response with {@code stored} (RFC
     * 9111 §4.3.5): the validators and the length it gives are the same. If not, the stored
     * response is obsolete.
     *
     * @param storedBytes the length of the stored body as the origin sent it; negative if unknown
     */
    public static boolean isConfirmedByHead(Fields stored, long storedBytes, Fields answered) {
        return isSameWhereNamed("ETag", stored, answered)
                && isSameWhereNamed("Last-Modified", stored, answered)
                && isLength(storedBytes, answered.first("Content-Length"));
    }

    private static boolean isSameWhereNamed(String name, Fields stored, Fields answered) {
        var named = answered.first(name);
        return named == null || named.equals(stored.first(name));
    }

    private static boolean isLength(long bytes, @Nullable String named) {
        return named == null || bytes < 0 || named.strip().equals(Long.toString(bytes));
    }

    /**
     * Returns the head to store after a 304 (RFC 9111 §3.2): every field of the 304 replaces all
     * stored lines of that name, except Content-Length, which describes a body that was not sent.
     * Date and Age are removed if the 304 has none.
     */
    public static ResponseHead merged(ResponseHead stored, Fields notModified) {
        var update =
                ForwardedFields.forwardable(notModified)
                        .without(name -> name.equalsIgnoreCase("Content-Length"));
        var replaced = new HashSet<String>();
        replaced.add("date");
        replaced.add("age");
        update.forEach((name, value) -> replaced.add(name.toLowerCase(Locale.ROOT)));

        var merged =
                new Fields.Builder()
                        .addAll(
                                stored.fields()
                                        .without(name ->
                                                replaced.contains(name.toLowerCase(Locale.ROOT))))
                        .addAll(update)
                        .build();
        return new ResponseHead(stored.status(), stored.reason(), ForwardedFields.storable(merged));
    }
}
