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
     * Returns the source of the most confidential part of it. Of a collection, that of its
     * structure: which items it has. Each item has its own source.
     */
    Source source();

    /**
     * Returns {@code value}, at least as confidential as {@code least}. The existence of a secret
     * counts as the client's. A collection is changed itself.
     */
    static Value atLeast(Value value, Source least) {
        var source = value.source().and(least == Source.SECRET ? Source.CLIENT : least);
        if (source == value.source()) {
            return value;
        }
        return switch (value) {
            case Text text -> new Text(text.text(), source, text.isMarkup(), text.isAuthored());
            case Int number -> new Int(number.value(), source);
            case Decimal number -> new Decimal(number.text(), source);
            case Bool truth -> Bool.of(truth.value(), source);
            case Null ignored -> source == Source.ADDRESS ? Null.OF_ADDRESS : Null.OF_CLIENT;
            case Items list -> {
                list.source = source;
                yield list;
            }
            case Dictionary dictionary -> {
                dictionary.source = source;
                yield dictionary;
            }
        };
    }

    /**
     * A string.
     *
     * @param isMarkup whether its angle brackets stay: parts from the request are already escaped,
     *     or were requested unescaped ({@code RAW_})
     * @param isAuthored whether all of it was written by the author, although data of the request
     *     may have selected it
     */
    record Text(String text, Source source, boolean isMarkup, boolean isAuthored) implements Value {

        public static final Text EMPTY = new Text("", Source.AUTHOR);

        /** Creates a string that the author wrote, unless it has another source. */
        public Text(String text, Source source, boolean isMarkup) {
            this(text, source, isMarkup, source == Source.AUTHOR);
        }

        /** Creates a string that is markup only if the author wrote it. */
        public Text(String text, Source source) {
            this(text, source, source == Source.AUTHOR);
        }
    }

    /** A 64-bit integer. */
    record Int(long value, Source source) implements Value {}

    /** A decimal number as written; it can only be compared and written. */
    record Decimal(String text, Source source) implements Value {}

    /** A truth value. */
    record Bool(boolean value, Source source) implements Value {
        public static final Bool TRUE = new Bool(true, Source.AUTHOR);
        public static final Bool FALSE = new Bool(false, Source.AUTHOR);

        private static final Bool TRUE_OF_ADDRESS = new Bool(true, Source.ADDRESS);
        private static final Bool FALSE_OF_ADDRESS = new Bool(false, Source.ADDRESS);
        private static final Bool TRUE_OF_CLIENT = new Bool(true, Source.CLIENT);
        private static final Bool FALSE_OF_CLIENT = new Bool(false, Source.CLIENT);

        static Bool of(boolean value, Source source) {
            return switch (source) {
                case AUTHOR -> value ? TRUE : FALSE;
                case ADDRESS -> value ? TRUE_OF_ADDRESS : FALSE_OF_ADDRESS;
                case CLIENT, SECRET -> value ? TRUE_OF_CLIENT : FALSE_OF_CLIENT;
            };
        }
    }

    /** No value: an unknown variable, a missing key, an error; by what that depends on. */
    enum Null implements Value {
        NULL(Source.AUTHOR),
        OF_ADDRESS(Source.ADDRESS),
        OF_CLIENT(Source.CLIENT);

        private final Source source;

        Null(Source source) {
            this.source = source;
        }

        @Override
        public Source source() {
            return source;
        }
    }

    /** A list; assigned by reference. */
    final class Items implements Value {
        final List<Value> items;
        private Source source;

        Items(List<Value> items) {
            this(items, Source.AUTHOR);
        }

        Items(List<Value> items, Source source) {
            this.items = new ArrayList<>(items);
            this.source = source;
        }

        @Override
        public Source source() {
            return source;
        }
    }

    /** A dictionary in insertion order; assigned by reference. */
    final class Dictionary implements Value {
        final Map<String, Entry> entries = new LinkedHashMap<>();
        private Source source;

        /** Keys are written too, so they keep their source. */
        record Entry(Text key, Value value) {}

        Dictionary(Source source) {
            this.source = source;
        }

        void put(Text key, Value value) {
            source = source.and(key.source());
            entries.put(key.text(), new Entry(key, value));
        }

        @Override
        public Source source() {
            return source;
        }
    }
}
