package dev.quire.proxy.config;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One key that is read from a configuration.
 *
 * @param path such as {@code origins.NAME.urls[].weight}: {@code NAME} is a name that the operator
 *     chooses, {@code []} one member of a list
 * @param notation of its value, its members or its names; absent for sections
 * @param fallback the default, as it is written in a file
 * @param isRequired whether its section needs the key
 * @param isNullable whether it may be null
 * @param isNonEmpty whether it must be neither null nor an empty list or mapping
 */
record Key(
        String path,
        Kind kind,
        Optional<ValueParser<?>> notation,
        Optional<String> fallback,
        boolean isRequired,
        boolean isNullable,
        boolean isNonEmpty) {

    /** A part of a path: a name that the operator chooses. */
    static final String NAME = "NAME";

    /** Follows the path of a list in that of its members. */
    static final String MEMBER = "[]";

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_./%-]*");

    /** The structure of the value. */
    enum Kind {
        VALUE,
        LIST,
        /** A value or a list of values. */
        ONE_OR_MORE,
        SECTION,
        /** A list of sections. */
        SECTIONS,
        /** A mapping from names that the operator chooses; {@code notation} is that of names. */
        NAMES
    }

    static Key section(String path, Kind kind) {
        return new Key(path, kind, Optional.empty(), Optional.empty(), false, true, false);
    }

    static Key of(String path, Kind kind, ValueParser<?> notation) {
        return new Key(path, kind, Optional.of(notation), Optional.empty(), false, false, false);
    }

    Key withFallback(String text) {
        return new Key(
                path,
                kind,
                notation,
                Optional.of(scalar(text)),
                isRequired,
                isNullable,
                isNonEmpty);
    }

    Key withFallback(List<String> texts) {
        var text = texts.stream().map(Key::scalar).collect(Collectors.joining(", ", "[", "]"));
        return new Key(path, kind, notation, Optional.of(text), isRequired, isNullable, isNonEmpty);
    }

    /** Adds quotation marks to a text that YAML might not read as one scalar. */
    private static String scalar(String text) {
        return PLAIN.matcher(text).matches() ? text : '"' + text.replace("\"", "\\\"") + '"';
    }

    Key required() {
        return new Key(path, kind, notation, fallback, true, isNullable, isNonEmpty);
    }

    Key nullable() {
        return new Key(path, kind, notation, fallback, isRequired, true, isNonEmpty);
    }

    Key nonEmpty() {
        return new Key(path, kind, notation, fallback, isRequired, false, true);
    }

    /** The form of its value, its members or its names; sections have none. */
    ValueForm form() {
        return notation.orElseThrow().form();
    }

    /**
     * The path of the section, the list member or the names that have this key; "" for the root.
     */
    String parent() {
        return path.substring(0, Math.max(0, path.lastIndexOf('.')));
    }

    /** The last part of the path. */
    String name() {
        return path.substring(path.lastIndexOf('.') + 1);
    }
}
