package dev.quire.spring.internal.assemble;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.HopByHop;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The field lines of a servlet request that a page may read: without fields that surrogates
 * exchange, which clients must not send.
 */
record ServletFields(HttpServletRequest request) implements Fields {

    @Override
    public @Nullable String first(String name) {
        return HopByHop.isOfSurrogates(name) ? null : request.getHeader(name);
    }

    @Override
    public List<String> all(String name) {
        return HopByHop.isOfSurrogates(name)
                ? List.of()
                : Collections.list(request.getHeaders(name));
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        for (var name : Collections.list(request.getHeaderNames())) {
            all(name).forEach(value -> line.accept(name, value));
        }
    }
}
