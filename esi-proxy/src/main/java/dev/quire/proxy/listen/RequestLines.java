package dev.quire.proxy.listen;

import dev.quire.core.http.Fields;
import io.netty.handler.codec.EmptyHeaders;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The decoded lines of a header block of HTTP/2 in the order received, pseudo-fields included.
 * Nothing in it is valid. As Netty's headers it is write-only, so that Netty checks nothing; {@link
 * RequestValidator} does.
 */
final class RequestLines extends EmptyHeaders<CharSequence, CharSequence, Http2Headers>
        implements Http2Headers {
    private final ArrayList<String> lines = new ArrayList<>(24);

    @Override
    public Http2Headers add(CharSequence name, CharSequence value) {
        lines.add(name.toString());
        lines.add(value.toString());
        return this;
    }

    @Override
    public int size() {
        return lines.size() / 2;
    }

    String name(int line) {
        return lines.get(2 * line);
    }

    String value(int line) {
        return lines.get(2 * line + 1);
    }

    /** All lines, which are trailers. */
    Fields asTrailers() {
        return lines.isEmpty() ? Fields.EMPTY : new Lines(lines);
    }

    /** Whether the method is HEAD, valid or not. */
    boolean isHead() {
        for (int i = 0; i < size(); i++) {
            if (name(i).equals(":method")) {
                return value(i).equals("HEAD");
            }
        }
        return false;
    }

    /** The lines as fields of a request. */
    static final class Lines implements Fields {
        private final String[] namesAndValues;

        Lines(List<String> namesAndValues) {
            this.namesAndValues = namesAndValues.toArray(String[]::new);
        }

        @Override
        public @Nullable String first(String name) {
            for (int i = 0; i < namesAndValues.length; i += 2) {
                if (namesAndValues[i].equalsIgnoreCase(name)) {
                    return namesAndValues[i + 1];
                }
            }
            return null;
        }

        @Override
        public List<String> all(String name) {
            List<String> values = List.of();
            for (int i = 0; i < namesAndValues.length; i += 2) {
                if (namesAndValues[i].equalsIgnoreCase(name)) {
                    if (values.isEmpty()) {
                        values = new ArrayList<>(1);
                    }
                    values.add(namesAndValues[i + 1]);
                }
            }
            return values;
        }

        @Override
        public boolean any(String name, Predicate<String> test) {
            for (int i = 0; i < namesAndValues.length; i += 2) {
                if (namesAndValues[i].equalsIgnoreCase(name) && test.test(namesAndValues[i + 1])) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public void forEach(BiConsumer<String, String> line) {
            for (int i = 0; i < namesAndValues.length; i += 2) {
                line.accept(namesAndValues[i], namesAndValues[i + 1]);
            }
        }
    }

    @Override
    public Http2Headers method(CharSequence value) {
        return this;
    }

    @Override
    public Http2Headers scheme(CharSequence value) {
        return this;
    }

    @Override
    public Http2Headers authority(CharSequence value) {
        return this;
    }

    @Override
    public Http2Headers path(CharSequence value) {
        return this;
    }

    @Override
    public Http2Headers status(CharSequence value) {
        return this;
    }

    @Override
    public @Nullable CharSequence method() {
        return null;
    }

    @Override
    public @Nullable CharSequence scheme() {
        return null;
    }

    @Override
    public @Nullable CharSequence authority() {
        return null;
    }

    @Override
    public @Nullable CharSequence path() {
        return null;
    }

    @Override
    public @Nullable CharSequence status() {
        return null;
    }

    @Override
    public boolean contains(CharSequence name, CharSequence value, boolean ignoreCase) {
        return false;
    }
}
