package dev.quire.proxy.fetch;

import dev.quire.core.http.Fields;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The header fields of a decoded response as {@link Fields}. */
record HeaderFields(HttpHeaders headers) implements Fields {

    @Override
    public @Nullable String first(String name) {
        return headers.get(name);
    }

    @Override
    public List<String> all(String name) {
        return headers.getAll(name);
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        var lines = headers.iteratorCharSequence();
        while (lines.hasNext()) {
            var next = lines.next();
            line.accept(next.getKey().toString(), next.getValue().toString());
        }
    }

    @Override
    public boolean contains(String name) {
        return headers.contains(name);
    }
}
