package dev.quire.spring;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which responses may be ESI documents: those of which a surrogate parses the type by default. */
final class Documents {

    private static final Set<String> TYPES =
            Set.of(
                    "text/html",
                    "application/xhtml+xml",
                    "text/xml",
                    "application/xml",
                    "text/plain");

    private Documents() {}

    static boolean mayHoldTags(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        int parameters = contentType.indexOf(';');
        var type = parameters < 0 ? contentType : contentType.substring(0, parameters);
        return TYPES.contains(type.strip().toLowerCase(Locale.ROOT));
    }
}
