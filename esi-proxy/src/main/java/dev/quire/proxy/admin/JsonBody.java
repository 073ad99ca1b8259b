package dev.quire.proxy.admin;

import dev.quire.core.text.NearestName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The JSON object of a request; unknown members are errors. */
record JsonBody(JsonNode root) {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    /**
     * Parses {@code body}.
     *
     * @param members the permitted members
     * @throws InvalidRequest if it is not a JSON object or has other members
     */
    static JsonBody read(byte[] body, List<String> members) {
        var expected =
                members.isEmpty()
                        ? "no body"
                        : "a JSON object with any of " + String.join(", ", members);
        JsonNode root;
        try {
            root = JSON.readTree(body);
        } catch (JacksonException e) {
            // Beyond a limit of the parser, such as its depth, there is no position.
            var at = e.getLocation();
            throw new InvalidRequest(
                    at == null
                            ? "malformed JSON, or nested or long beyond the limit"
                            : "line %d, column %d: malformed JSON"
                                    .formatted(at.getLineNr(), at.getColumnNr()),
                    expected);
        }
        if (!root.isObject()) {
            throw new InvalidRequest("the body is not an object", expected);
        }
        for (var name : root.propertyNames()) {
            if (!members.contains(name)) {
                throw new InvalidRequest(
                        "unknown member '" + name + "'",
                        members.isEmpty()
                                ? "no member"
                                : "'" + NearestName.to(name, members) + "', the nearest match");
            }
        }
        return new JsonBody(root);
    }

    /** Returns an array of strings; empty if the member is absent. */
    List<String> strings(String name) {
        var node = root.get(name);
        if (node == null) {
            return List.of();
        }
        var values = new ArrayList<String>();
        if (node.isArray()) {
            for (var item : node) {
                if (item.isString()) {
                    values.add(item.stringValue());
                }
            }
        }
        if (!node.isArray() || values.size() < node.size()) {
            throw new InvalidRequest(name + " has the wrong type", "an array of strings");
        }
        return values;
    }

    Optional<String> text(String name) {
        var node = root.get(name);
        if (node == null) {
            return Optional.empty();
        }
        if (!node.isString()) {
            throw new InvalidRequest(name + " has the wrong type", "a string");
        }
        return Optional.of(node.stringValue());
    }

    Optional<Integer> number(String name) {
        var node = root.get(name);
        if (node == null) {
            return Optional.empty();
        }
        if (!node.isInt()) {
            throw new InvalidRequest(name + " has the wrong type", "a whole number");
        }
        return Optional.of(node.intValue());
    }

    /** Returns a boolean; false if the member is absent. */
    boolean truth(String name) {
        return truth(name, false);
    }

    boolean truth(String name, boolean otherwise) {
        var node = root.get(name);
        if (node == null) {
            return otherwise;
        }
        if (!node.isBoolean()) {
            throw new InvalidRequest(name + " has the wrong type", "true or false");
        }
        return node.booleanValue();
    }
}
