package dev.quire.test.cases;

import dev.quire.core.text.NearestName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One JSON object of a case. Reading a key marks it as known; {@link #refuseOthers} then reports
 * unknown keys, so that no requirement of a case is ignored. A value of the wrong type is reported
 * and treated as absent. One thread.
 */
final class Entry {
    private final JsonNode object;
    private final String where;
    private final String path;
    private final List<String> problems;
    private final Set<String> known = new TreeSet<>();

    /**
     * @param where the place of the object, for example {@code line 3}
     * @param path of the object's own key, empty or ending in a dot
     * @param problems is added to
     */
    Entry(JsonNode object, String where, String path, List<String> problems) {
        this.object = object;
        this.where = where;
        this.path = path;
        this.problems = problems;
    }

    Optional<String> text(String key) {
        var value = value(key);
        if (value == null) {
            return Optional.empty();
        }
        if (!value.isString()) {
            wrong(key, "is " + kind(value), "a string");
            return Optional.empty();
        }
        return Optional.of(value.stringValue());
    }

    /** A required string that is not empty. */
    String required(String key) {
        var text = text(key).orElse("");
        if (text.isEmpty()) {
            wrong(key, object.has(key) ? "is empty or not a string" : "is missing", "a string");
        }
        return text;
    }

    OptionalInt number(String key, int least, int most) {
        var value = value(key);
        if (value == null) {
            return OptionalInt.empty();
        }
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            wrong(key, "is " + kind(value), "a whole number");
            return OptionalInt.empty();
        }
        int number = value.intValue();
        if (number < least || number > most) {
            wrong(key, "is " + number, "a number from " + least + " to " + most);
            return OptionalInt.empty();
        }
        return OptionalInt.of(number);
    }

    Optional<Boolean> truth(String key) {
        var value = value(key);
        if (value == null) {
            return Optional.empty();
        }
        if (!value.isBoolean()) {
            wrong(key, "is " + kind(value), "true or false");
            return Optional.empty();
        }
        return Optional.of(value.booleanValue());
    }

    /** The elements of an array; empty if the key is absent. */
    List<JsonNode> array(String key, String ofWhat) {
        var value = value(key);
        if (value == null) {
            return List.of();
        }
        if (!value.isArray()) {
            wrong(key, "is " + kind(value), "an array of " + ofWhat);
            return List.of();
        }
        return List.copyOf(value.values());
    }

    List<String> texts(String key) {
        var texts = new ArrayList<String>();
        for (var element : array(key, "strings")) {
            if (element.isString() && !element.stringValue().isEmpty()) {
                texts.add(element.stringValue());
            } else {
                wrong(key, "holds " + kind(element), "strings, none of them empty");
            }
        }
        return List.copyOf(texts);
    }

    /** One string, or several in an array. */
    List<String> textOrTexts(String key) {
        var value = value(key);
        if (value == null || !value.isString()) {
            return texts(key);
        }
        if (value.stringValue().isEmpty()) {
            wrong(key, "is empty", "a string that is not empty");
        }
        return List.of(value.stringValue());
    }

    /** Strings by name, in document order. */
    Map<String, String> textsByName(String key) {
        var texts = new LinkedHashMap<String, String>();
        entry(key)
                .ifPresent(members -> {
                    for (var name : members.names()) {
                        members.text(name).ifPresent(text -> texts.put(name, text));
                    }
                });
        return texts;
    }

    Optional<Entry> entry(String key) {
        var value = value(key);
        return value == null ? Optional.empty() : inside(key, value);
    }

    List<Entry> entries(String key) {
        var entries = new ArrayList<Entry>();
        var elements = array(key, "objects");
        for (int i = 0; i < elements.size(); i++) {
            inside(key + "[" + i + "]", elements.get(i)).ifPresent(entries::add);
        }
        return entries;
    }

    /** The names of all keys. */
    List<String> names() {
        return List.copyOf(object.propertyNames());
    }

    boolean isEmpty() {
        return object.isEmpty();
    }

    /** The value as JSON. */
    Optional<String> json(String key) {
        return Optional.ofNullable(value(key)).map(JsonNode::toString);
    }

    void wrong(String key, String what, String expected) {
        var name = path + key;
        problems.add("%s: %s: %s (expected %s)".formatted(where, name, what, expected));
    }

    /** Reports every key that has not been read. Must be called last. */
    void refuseOthers() {
        for (var name : object.propertyNames()) {
            if (!known.contains(name)) {
                wrong(
                        name,
                        "is not a known key",
                        "one of %s; the nearest is '%s'"
                                .formatted(String.join(", ", known), NearestName.to(name, known)));
            }
        }
    }

    private Optional<Entry> inside(String key, JsonNode value) {
        if (!value.isObject()) {
            wrong(key, "is " + kind(value), "an object");
            return Optional.empty();
        }
        return Optional.of(new Entry(value, where, path + key + ".", problems));
    }

    private @Nullable JsonNode value(String key) {
        known.add(key);
        return object.get(key);
    }

    static String kind(JsonNode value) {
        return switch (value.getNodeType()) {
            case ARRAY -> "an array";
            case OBJECT -> "an object";
            case STRING -> "the string " + value;
            case NUMBER, BOOLEAN, NULL -> value.toString();
            case BINARY, MISSING, POJO ->
                    throw new IllegalStateException("no JSON has " + value.getNodeType());
        };
    }
}
