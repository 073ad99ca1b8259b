package dev.quire.proxy.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON schema (draft 2020-12) of configuration files, for editors. It accepts every valid file.
 * It rejects unknown keys and values of a wrong form; {@code quire check} also finds values that do
 * not fit together.
 */
public final class ConfigurationSchema {
    private static final String DRAFT = "https://json-schema.org/draft/2020-12/schema";
    private static final String TYPE = "type";
    private static final String OBJECT = "object";
    private static final String ANY_OF = "anyOf";
    private static final String DESCRIPTION = "description";
    private static final String OTHER_KEYS = "additionalProperties";

    private static final Map<String, Object> NULL = Map.of(TYPE, "null");

    /** A value with an environment variable, which replaces a part of any value. */
    private static final String VARIABLE = "variable";

    private final List<Key> keys = ConfigurationReader.keys();
    private final Map<String, KeyNote> notes = KeyNote.all();

    private ConfigurationSchema() {}

    /** Returns the schema as JSON. */
    public static String text() {
        return JsonMapper.builder()
                        .enable(
                                SerializationFeature.INDENT_OUTPUT,
                                SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                        .build()
                        .writeValueAsString(new ConfigurationSchema().root())
                + "\n";
    }

    private Map<String, Object> root() {
        var root = new HashMap<>(object(""));
        root.put("$schema", DRAFT);
        root.put("title", "Configuration of Quire");
        root.put(
                "patternProperties",
                Map.of(
                        "^" + ConfigurationFile.TEMPLATE_PREFIX,
                        Map.of(DESCRIPTION, "Not read: a value for aliases.")));
        root.put(
                "$defs",
                Map.of(
                        VARIABLE,
                        Map.of(
                                DESCRIPTION,
                                "Text with an environment variable.",
                                TYPE,
                                "string",
                                "pattern",
                                "\\$\\{[A-Za-z_][A-Za-z0-9_]*(:[^}]*)?\\}")));
        return root;
    }

    /** A mapping with the keys below {@code path}. */
    private Map<String, Object> object(String path) {
        var properties = new HashMap<String, Object>();
        var required = new ArrayList<String>();
        for (var key : keys) {
            if (key.parent().equals(path) && !key.name().equals(Key.NAME)) {
                properties.computeIfAbsent(key.name(), name -> property(key.path()));
                if (key.isRequired()) {
                    required.add(key.name());
                }
            }
        }
        return Map.of(
                TYPE, OBJECT, "properties", properties, "required", required, OTHER_KEYS, false);
    }

    /** The value at {@code path}, which may have one of several structures. */
    private Map<String, Object> property(String path) {
        var structures = new ArrayList<Map<String, Object>>();
        var details = new HashMap<String, Object>();
        for (var key : keys) {
            if (key.path().equals(path)) {
                key.fallback().ifPresent(text -> details.put("default", value(text)));
                structures(key).stream()
                        .filter(structure -> !structures.contains(structure))
                        .forEach(structures::add);
            }
        }
        var property =
                new HashMap<>(
                        anyOf(
                                isNonEmpty(path)
                                        ? structures.stream()
                                                .map(ConfigurationSchema::nonEmpty)
                                                .toList()
                                        : structures));
        property.putAll(details);
        var note = notes.get(path);
        if (note != null) {
            property.put(DESCRIPTION, note.text());
        }
        return property;
    }

    private List<Map<String, Object>> structures(Key key) {
        return switch (key.kind()) {
            case VALUE -> key.isNullable() ? with(NULL, values(key)) : values(key);
            case LIST -> List.of(orNull(key, list(members(key))));
            case ONE_OR_MORE -> with(list(values(key)), values(key));
            case SECTION ->
                    hasNames(key.path()) ? List.of() : List.of(orNull(key, object(key.path())));
            case SECTIONS -> List.of(orNull(key, list(List.of(object(key.path() + Key.MEMBER)))));
            case NAMES ->
                    List.of(
                            orNull(
                                    key,
                                    Map.of(
                                            TYPE,
                                            OBJECT,
                                            "propertyNames",
                                            key.form().schema(),
                                            OTHER_KEYS,
                                            property(key.path() + "." + Key.NAME))));
        };
    }

    private boolean isNonEmpty(String path) {
        return keys.stream().anyMatch(key -> key.path().equals(path) && key.isNonEmpty());
    }

    private static Map<String, Object> nonEmpty(Map<String, Object> structure) {
        var type = structure.get(TYPE);
        var types = type instanceof List<?> several ? several : List.of(type == null ? "" : type);
        var limited = new HashMap<>(structure);
        if (types.contains(OBJECT)) {
            limited.put(TYPE, OBJECT);
            limited.put("minProperties", 1);
        } else if (types.contains("array")) {
            limited.put(TYPE, "array");
            limited.put("minItems", 1);
        }
        return limited;
    }

    /** Editors show the faults of every alternative, so null is not another one here. */
    private static Map<String, Object> orNull(Key key, Map<String, Object> structure) {
        if (!key.isNullable()) {
            return structure;
        }
        var nullable = new HashMap<>(structure);
        nullable.computeIfPresent(TYPE, (name, type) -> List.of(type, "null"));
        return nullable;
    }

    private List<Map<String, Object>> values(Key key) {
        return List.of(key.form().schema(), Map.of("$ref", "#/$defs/" + VARIABLE));
    }

    /** A list of values may have sections among them. */
    private List<Map<String, Object>> members(Key key) {
        var members = new ArrayList<>(values(key));
        var path = key.path() + Key.MEMBER;
        if (keys.stream().anyMatch(below -> below.parent().equals(path))) {
            members.add(object(path));
        }
        return members;
    }

    private boolean hasNames(String path) {
        return keys.stream()
                .anyMatch(key -> key.path().equals(path) && key.kind() == Key.Kind.NAMES);
    }

    private static Map<String, Object> list(List<Map<String, Object>> members) {
        return Map.of(TYPE, "array", "items", anyOf(members));
    }

    private static Map<String, Object> anyOf(List<Map<String, Object>> structures) {
        return structures.size() == 1 ? structures.getFirst() : Map.of(ANY_OF, structures);
    }

    private static List<Map<String, Object>> with(
            Map<String, Object> structure, List<Map<String, Object>> others) {
        return Stream.concat(others.stream(), Stream.of(structure)).toList();
    }

    private static Object value(String text) {
        var settings = LoadSettings.builder().setSchema(new CoreSchema()).build();
        return new Load(settings).loadFromString(text);
    }
}
