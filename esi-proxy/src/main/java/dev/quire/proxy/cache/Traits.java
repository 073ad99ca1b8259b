package dev.quire.proxy.cache;

import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.Compression;
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
 * @param coding the content coding that its head names
 * @param fixedCoding the name of that coding if it cannot or must not be removed; otherwise empty
 * @param isDecoded whether that coding is removed from the body
 * @param charset the charset of its {@code Content-Type}, in lower case; null if absent
 * @param parsing the settings under which it was parsed; null for one that is not looked up
 * @param storage the {@link StorageFingerprint} under which it has records; null if it has none
 */
record Traits(
        boolean isShared,
        boolean isHashed,
        boolean hasValidator,
        ContentCoding coding,
        String fixedCoding,
        boolean isDecoded,
        @Nullable String charset,
        @Nullable ParseFingerprint parsing,
        @Nullable RecordHash storage) {

    private static final String CHARSET = "charset=";
    private static final Shared<Traits> ALL = new Shared<>();

    static Traits of(Fields fields, boolean isShared, boolean isHashed) {
        var coding = ContentCoding.of(fields);
        boolean isFixed = coding.isCoded() && (!coding.isUndoable() || Compression.forbids(fields));
        return ALL.shared(
                new Traits(
                        isShared,
                        isHashed,
                        Validation.hasValidator(fields),
                        coding,
                        isFixed ? ContentCoding.named(fields) : "",
                        false,
                        charset(fields.first("Content-Type")),
                        null,
                        null));
    }

    /** Returns the properties after the content coding of the body is removed. */
    Traits decoded() {
        return with(true, parsing, storage);
    }

    /** Returns the properties of a response that was parsed and stored under settings. */
    Traits storedUnder(@Nullable ParseFingerprint parsed, @Nullable RecordHash recorded) {
        return with(isDecoded, parsed, recorded);
    }

    private Traits with(
            boolean decoded, @Nullable ParseFingerprint parsed, @Nullable RecordHash recorded) {
        return ALL.shared(
                new Traits(
                        isShared,
                        isHashed,
                        hasValidator,
                        coding,
                        fixedCoding,
                        decoded,
                        charset,
                        parsed,
                        recorded));
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
