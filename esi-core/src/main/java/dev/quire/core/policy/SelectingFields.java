package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The request fields that selected a stored response, and their values (RFC 9111 §4.1). Two equal
 * ones under one key are the same variant, in whatever order {@code Vary} names them.
 *
 * <p>{@code Surrogate-Capability} is included only as a keyed field, if it has members of a
 * surrogate in front: requests to the origin always have Quire's own.
 *
 * @param fields by name
 */
public record SelectingFields(List<Named> fields) {

    /** For a response without {@code Vary}: every request matches. */
    public static final SelectingFields EMPTY = new SelectingFields(List.of());

    /** Represents {@code Vary: *}; no request matches it. */
    private static final String ANY = "*";

    private static final String ACCEPT_LANGUAGE = "accept-language";
    private static final String CONSTANT = "surrogate-capability";

    /**
     * One field.
     *
     * @param name in lower case
     * @param value all lines, normalised; null if the request had none
     */
    public record Named(String name, @Nullable String value) {}

    public SelectingFields {
        fields = List.copyOf(fields);
    }

    /**
     * Returns the keyed fields of {@code request} and those that the {@code Vary} of {@code
     * response} names, with their values in {@code request}.
     */
    public static SelectingFields of(Fields response, SentRequest request) {
        var names = names(response);
        if (!request.keyedFields().isEmpty() && !isAny(names)) {
            names = new TreeSet<>(names);
            names.addAll(request.keyedFields());
        }
        return of(names, request.fields());
    }

    /**
     * Returns the fields called {@code names}, with their values in {@code request}.
     *
     * @param names in lower case
     */
    public static SelectingFields of(Collection<String> names, Fields request) {
        if (names.isEmpty()) {
            return EMPTY;
        }
        var fields = new ArrayList<Named>(names.size());
        for (var name : names) {
            fields.add(new Named(name, normalised(name, request)));
        }
        return new SelectingFields(fields);
    }

    /** Returns these without the one called {@code name}, which is in lower case. */
    public SelectingFields without(String name) {
        var others = fields.stream().filter(field -> !field.name().equals(name)).toList();
        if (others.isEmpty()) {
            return EMPTY;
        }
        return others.size() == fields.size() ? this : new SelectingFields(others);
    }

    /**
     * Returns those that the {@code Vary} of {@code response} does not name: they are the keyed
     * fields of a request, and no request without them selects it.
     */
    public List<Named> keyed(Fields response) {
        var named = names(response);
        return fields.stream().filter(field -> !named.contains(field.name())).toList();
    }

    /** Returns their names, in lower case. */
    public List<String> names() {
        return fields.stream().map(Named::name).toList();
    }

    /** Whether there are none: every request matches. */
    public boolean isEmpty() {
        return fields.isEmpty();
    }

    /** Whether all {@code names}, which are in lower case, are among them. */
    public boolean contains(List<String> names) {
        for (var name : names) {
            if (fields.stream().noneMatch(field -> field.name().equals(name))) {
                return false;
            }
        }
        return true;
    }

    /** Whether the values of these fields are those in {@code request}. */
    public boolean matches(Fields request) {
        for (int i = 0; i < fields.size(); i++) {
            if (!matches(fields.get(i), request)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the selecting names in {@code Vary}, sorted in lower case; only {@code *} if present.
     */
    static Set<String> names(Fields response) {
        if (!response.contains("Vary")) {
            return Set.of();
        }
        var names = new TreeSet<String>();
        for (var member : FieldList.members(response.all("Vary"))) {
            names.add(member.toLowerCase(Locale.ROOT));
        }
        names.remove(CONSTANT);
        return names.contains(ANY) ? Set.of(ANY) : names;
    }

    /** Whether {@code names} represents {@code Vary: *}. */
    static boolean isAny(Set<String> names) {
        return names.contains(ANY);
    }

    private static boolean matches(Named field, Fields request) {
        if (field.name().equals(ANY)) {
            return false;
        }
        var value = normalised(field.name(), request);
        return value == null ? field.value() == null : value.equals(field.value());
    }

    /** Joins all lines to one value, without white space around it and around its commas. */
    private static @Nullable String normalised(String name, Fields request) {
        if (!request.contains(name)) {
            return null;
        }
        var lines = request.all(name);
        var joined = lines.size() == 1 ? lines.get(0) : String.join(",", lines);
        var tight = withoutSpaceRoundCommas(joined);
        return name.equals(ACCEPT_LANGUAGE) ? tight.toLowerCase(Locale.ROOT) : tight;
    }

    private static String withoutSpaceRoundCommas(String value) {
        if (value.indexOf(' ') < 0 && value.indexOf('\t') < 0) {
            return value;
        }
        var tight = new StringBuilder(value.length());
        // Length of the text so far that a comma must not strip: the end of a quoted string.
        int kept = 0;
        boolean quotesClose = true;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' && quotesClose) {
                int close = FieldList.closingQuote(value, i);
                quotesClose = close >= 0;
                if (quotesClose) {
                    tight.append(value, i, close + 1);
                    kept = tight.length();
                    i = close;
                    continue;
                }
            }
            if (c == ',') {
                stripEnd(tight, kept);
            }
            boolean startsMember = tight.isEmpty() || endsWithBareComma(tight, kept);
            if (!(FieldList.isSpace(c) && startsMember)) {
                tight.append(c);
            }
        }
        stripEnd(tight, kept);
        return tight.toString();
    }

    private static boolean endsWithBareComma(StringBuilder text, int kept) {
        return text.length() > kept && text.charAt(text.length() - 1) == ',';
    }

    private static void stripEnd(StringBuilder text, int kept) {
        int end = text.length();
        while (end > kept && FieldList.isSpace(text.charAt(end - 1))) {
            end--;
        }
        text.setLength(end);
    }
}
