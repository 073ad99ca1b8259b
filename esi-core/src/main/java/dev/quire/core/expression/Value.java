package dev.quire.core.expression;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The value of an expression. Strings hold one char for each byte (ISO 8859-1), so that text of any
 * charset passes unchanged and lengths count bytes.
 */
public sealed interface Value {

    /** The source of the most confidential part of a value, in increasing order. */
    enum Source {
        AUTHOR,
        /** Host, path or query of the request: public, but chosen by the author of the link. */
        ADDRESS,
        /**
         * Any other part of the client's request; for this client alone, never for a foreign host.
         */
        CLIENT,
        /**
         * A denied cookie, or credentials: never written anywhere. Only its existence can be
         * tested: by {@code $exists}, {@code $is_empty}, its truth, {@code == ''} and {@code !=
         * ''}. Any other operator or function gives null and a problem, because a page could
         * rebuild the secret from answers to comparisons.
         */
        SECRET;

        /** Returns the more confidential of both. */
        public Source and(Source other) {
            return compareTo(other) >= 0 ? this : other;
        }
    }

    /**
     * A string.
     *
     * @param isMarkup whether its angle brackets stay: parts from the request are already escaped,
     *     or were requested unescaped ({@code RAW_})
     */
    record Text(String text, Source source, boolean isMarkup) implements Value {

        public static final Text EMPTY = new Text("", Source.AUTHOR);

        /** Creates a string that is markup only if the author wrote it. */
        public Text(String text, Source source) {
            this(text, source, source == Source.AUTHOR);
        }
    }

    /** A 64-bit integer. */
    record Int(long value, Source source) implements Value {}

    /** A decimal number as written; it can only be compared and written. */
    record Decimal(String text) implements Value {}

    /** A truth value. */
    record Bool(boolean value) implements Value {}

    /** No value: an unknown variable, a missing key, an error. */
    enum Null implements Value {
        NULL
    }

    /** A list; assigned by reference. */
    final class Items implements Value {
        final List<Value> items;

        Items(List<Value> items) {
            this.items = new ArrayList<>(items);
        }
    }

    /** A dictionary in insertion order; assigned by reference. */
    final class Dictionary implements Value {
        final Map<String, Entry> entries = new LinkedHashMap<>();

        /** Keys are written too, so they keep their source. */
        record Entry(Text key, Value value) {}

        void put(Text key, Value value) {
            entries.put(key.text(), new Entry(key, value));
        }
    }
}
