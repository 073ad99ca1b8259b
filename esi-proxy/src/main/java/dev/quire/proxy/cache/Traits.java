package dev.quire.proxy.cache;

import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.Validation;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a hit needs to know of a stored head and body, found out once. Responses have few different
 * ones, so those that are equal share one object.
 *
 * @param isShared whether it may be used for others than the client that asked
 * @param isHashed whether there is a hash of the body
 * @param hasValidator whether the origin can be asked if it still holds
 * @param isCoded whether its head names a content coding
 * @param charset that its {@code Content-Type} names, in lower case; null if it names none
 */
record Traits(
        boolean isShared,
        boolean isHashed,
        boolean hasValidator,
        boolean isCoded,
        @Nullable String charset) {

    private static final String CHARSET = "charset=";
    private static final Shared<Traits> ALL = new Shared<>();

    static Traits of(Fields fields, boolean isShared, boolean isHashed) {
        return ALL.shared(
                new Traits(
                        isShared,
                        isHashed,
                        Validation.hasValidator(fields),
                        ContentCoding.of(fields).isCoded(),
                        charset(fields.first("Content-Type"))));
    }

    private static @Nullable String charset(@Nullable String type) {
        if (type == null) {
            return null;
        }
        int name = type.toLowerCase(Locale.ROOT).indexOf(CHARSET);
        if (name < 0) {
            return null;
        }
        int start = name + CHARSET.length();
        int end = type.indexOf(';', start);
        var value = type.substring(start, end < 0 ? type.length() : end).strip();
        return value.replace("\"", "").toLowerCase(Locale.ROOT);
    }
}
