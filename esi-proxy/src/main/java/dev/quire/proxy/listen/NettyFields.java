package dev.quire.proxy.listen;

import dev.quire.core.http.Fields;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A view of Netty's headers as fields, without copying.
 *
 * @param headers must not be modified afterwards
 */
public record NettyFields(HttpHeaders headers) implements Fields {
    private static final HashedNames NAMES = new HashedNames();

    @Override
    public @Nullable String first(String name) {
        return headers.get(NAMES.of(name));
    }

    @Override
    public List<String> all(String name) {
        return headers.getAll(NAMES.of(name));
    }

    @Override
    public boolean any(String name, Predicate<String> test) {
        var values = headers.valueStringIterator(NAMES.of(name));
        while (values.hasNext()) {
            if (test.test(values.next())) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean contains(String name) {
        return headers.contains(NAMES.of(name));
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        var lines = headers.iteratorCharSequence();
        while (lines.hasNext()) {
            var each = lines.next();
            line.accept(each.getKey().toString(), each.getValue().toString());
        }
    }

    /** Adds every line of {@code fields} to {@code headers}, in order. */
    public static void copy(Fields fields, HttpHeaders headers) {
        if (fields instanceof NettyFields netty) {
            headers.add(netty.headers());
        } else {
            fields.forEach(headers::add);
        }
    }
}
