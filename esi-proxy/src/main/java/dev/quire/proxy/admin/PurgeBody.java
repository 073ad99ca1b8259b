package dev.quire.proxy.admin;

import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.admin.PurgeRequest.InvalidPurge;
import dev.quire.proxy.config.NearestName;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the JSON of {@code POST /v1/purge}; an unknown member is a mistake, never ignored. */
final class PurgeBody {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    private static final List<String> MEMBERS =
            List.of("urls", "tags", "hosts", "paths", "soft", "dryRun");

    private PurgeBody() {}

    /**
     * The request that {@code body} asks for.
     *
     * @throws InvalidPurge if it asks for none
     */
    static PurgeRequest read(byte[] body) {
        JsonNode root;
        try {
            root = JSON.readTree(body);
        } catch (JacksonException e) {
            var at = e.getLocation();
            throw new InvalidPurge(
                    "line " + at.getLineNr() + ", column " + at.getColumnNr() + " is no JSON",
                    "an object with " + String.join(", ", MEMBERS));
        }
        if (!root.isObject()) {
            throw new InvalidPurge(
                    "the body is no object", "an object with " + String.join(", ", MEMBERS));
        }
        for (var name : root.propertyNames()) {
            if (!MEMBERS.contains(name)) {
                throw new InvalidPurge(
                        "'" + name + "' is no known member",
                        "'" + NearestName.to(name, MEMBERS) + "', the nearest");
            }
        }
        List<CacheKey> urls =
                strings(root, "urls").stream().map(url -> PurgeRequest.key("urls", url)).toList();
        return new PurgeRequest(
                urls,
                strings(root, "tags"),
                strings(root, "hosts"),
                strings(root, "paths"),
                truth(root, "soft"),
                truth(root, "dryRun"));
    }

    private static List<String> strings(JsonNode root, String name) {
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
            throw new InvalidPurge(name + " is something else", "an array of strings");
        }
        return values;
    }

    private static boolean truth(JsonNode root, String name) {
        var node = root.get(name);
        if (node == null) {
            return false;
        }
        if (!node.isBoolean()) {
            throw new InvalidPurge(name + " is something else", "true or false");
        }
        return node.booleanValue();
    }
}
