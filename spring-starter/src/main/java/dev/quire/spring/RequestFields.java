package dev.quire.spring;

import dev.quire.core.http.Fields;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The field lines of a servlet request as a page may know them: without those that surrogates tell
 * one another, which the client has no business to send.
 */
record RequestFields(HttpServletRequest request) implements Fields {

    @Override
    public @Nullable String first(String name) {
        return isOfSurrogates(name) ? null : request.getHeader(name);
    }

    @Override
    public List<String> all(String name) {
        return isOfSurrogates(name) ? List.of() : Collections.list(request.getHeaders(name));
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        for (var name : Collections.list(request.getHeaderNames())) {
            all(name).forEach(value -> line.accept(name, value));
        }
    }

    /** Whether {@code name} is a field between surrogates, in any case. */
    static boolean isOfSurrogates(String name) {
        var field = name.toLowerCase(Locale.ROOT);
        return field.startsWith("surrogate-")
                || field.equals("x-esi-level")
                || field.equals("x-esi-parent");
    }
}
