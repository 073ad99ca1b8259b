package dev.quire.proxy.cache;

import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.Validation;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a stored head and body that every hit needs, computed once. There are few
 * different ones, so equal ones share one object.
 *
 * @param isShared whether other clients than the requesting one may use it
 * @param isHashed whether there is a hash of the body
 * @param hasValidator whether the origin can validate it
 * @param isCoded whether its head names a content coding
 * @param charset the charset of its {@code Content-Type}, in lower case; null if absent
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
