package dev.quire.core.expression;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What an expression yields. Strings hold one char for each byte (ISO 8859-1), so that text of any
 * charset passes unchanged and lengths count bytes.
 */
public sealed interface Value {

    /** Where the most confidential part of a value comes from, the least one first. */
    enum Source {
        /** The page's author. */
        AUTHOR,
        /** Host, path or query of the request: public, but written by whoever made the link. */
        ADDRESS,
        /**
         * Anything else of the client's request; for this client alone, and for no foreign host.
         */
        CLIENT,
        /** A denied cookie, or credentials: may be tested, never written anywhere. */
        SECRET;

        /** The more confidential of both. */
        public Source and(Source other) {
            return compareTo(other) >= 0 ? this : other;
        }
    }

    /**
     * A string.
     *
     * @param isMarkup whether its angle brackets are the author's and stay: what came of the
     *     request is escaped already, or was asked for as it is ({@code RAW_})
     */
    record Text(String text, Source source, boolean isMarkup) implements Value {

        /** An empty string of the author's. */
        public static final Text EMPTY = new Text("", Source.AUTHOR);

        /** A string that is markup only if the author wrote it. */
        public Text(String text, Source source) {
            this(text, source, source == Source.AUTHOR);
        }
    }

    /** An integer of 64 bits. */
    record Int(long value, Source source) implements Value {}

    /** A decimal number as it was written; it can only be compared, and written. */
    record Decimal(String text) implements Value {}

    /** A truth value. */
    record Bool(boolean value) implements Value {}

    /** No value: an unknown variable, a missing key, an error. */
    enum Null implements Value {
        NULL
    }

    /** A list; assigned, not copied. */
    final class Items implements Value {
        final List<Value> items;

        Items(List<Value> items) {
            this.items = new ArrayList<>(items);
        }
    }

    /** A dictionary, in the order of insertion; assigned, not copied. */
    final class Dictionary implements Value {
        final Map<String, Entry> entries = new LinkedHashMap<>();

        /** Keys are written too, so they keep where they come from. */
        record Entry(Text key, Value value) {}

        void put(Text key, Value value) {
            entries.put(key.text(), new Entry(key, value));
        }
    }
}
