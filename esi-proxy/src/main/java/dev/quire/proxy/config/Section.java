package dev.quire.proxy.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * One mapping of the file, read key by key. Problems are collected and the fallback is returned, so
 * that reading continues. Keys that were never read are reported as unknown.
 */
final class Section {
    private final Problems problems;
    private final Expansion expansion;
    private final String path;
    private final Optional<Mark> start;
    private final Map<String, NodeTuple> members = new LinkedHashMap<>();
    private final Set<String> known = new LinkedHashSet<>();

    private Section(
            Problems problems,
            Expansion expansion,
            String path,
            Optional<Mark> start,
            @Nullable MappingNode node) {
        this.problems = problems;
        this.expansion = expansion;
        this.path = path;
        this.start = start;
        if (node != null) {
            node.getValue().forEach(this::add);
        }
    }

    /** Reads the whole file; {@code node} is null if the file is empty. */
    static <T> T read(
            Problems problems,
            Expansion expansion,
            @Nullable Node node,
            Function<Section, T> reading) {
        return new Section(problems, expansion, "", Optional.empty(), null)
                .nested("", node, reading);
    }

    /** Whether the key is present, with any value. */
    boolean has(String key) {
        known.add(key);
        return members.containsKey(key);
    }

    /** Returns the value of {@code key}, or {@code fallback} if it is absent or invalid. */
    <T> T value(String key, ValueParser<T> notation, T fallback) {
        var node = node(key);
        return node == null ? fallback : read(pathOf(key), node, notation).orElse(fallback);
    }

    /** Returns the value of {@code key}, or nothing if it is absent, null, empty or invalid. */
    <T> Optional<T> optional(String key, ValueParser<T> notation) {
        var node = node(key);
        if (node == null || isNull(node)) {
            return Optional.empty();
        }
        var text = text(pathOf(key), node, notation.expected());
        return text.isEmpty() || text.get().isEmpty()
                ? Optional.empty()
                : read(pathOf(key), node, notation);
    }

    /** Returns the value of the required {@code key}, or nothing if it is absent or invalid. */
    <T> Optional<T> required(String key, ValueParser<T> notation) {
        var node = node(key);
        if (node == null) {
            problems.inFile(start, pathOf(key), "is missing", notation.expected());
            return Optional.empty();
        }
        return read(pathOf(key), node, notation);
    }

    /** Returns the list at {@code key}, or {@code fallback} if it is absent or not a list. */
    <T> List<T> list(String key, ValueParser<T> notation, List<T> fallback) {
        var node = node(key);
        if (node == null) {
            return fallback;
        }
        if (!(node instanceof SequenceNode list)) {
            problems.inFile(
                    node.getStartMark(),
                    pathOf(key),
                    "is " + kind(node),
                    "a list, each " + notation.expected());
            return fallback;
        }
        var values = new ArrayList<T>();
        for (int i = 0; i < list.getValue().size(); i++) {
            read(pathOf(key) + "[" + i + "]", list.getValue().get(i), notation)
                    .ifPresent(values::add);
        }
        return List.copyOf(values);
    }

    /** Returns the required, non-empty list at {@code key}. */
    <T> List<T> requiredList(String key, ValueParser<T> notation) {
        var node = node(key);
        if (node == null || (node instanceof SequenceNode list && list.getValue().isEmpty())) {
            problems.inFile(
                    node == null ? start : node.getStartMark(),
                    pathOf(key),
                    node == null ? "is missing" : "is empty",
                    "a list, each " + notation.expected());
            return List.of();
        }
        return list(key, notation, List.of());
    }

    /**
     * Returns the required, non-empty list at {@code key}. Each member is a single value or a
     * mapping, which {@code reading} converts. If {@code reading} returns nothing, it has reported
     * the problem.
     */
    <T> List<T> requiredList(
            String key, ValueParser<T> notation, Function<Section, Optional<T>> reading) {
        var node = node(key);
        if (!(node instanceof SequenceNode list) || list.getValue().isEmpty()) {
            return requiredList(key, notation);
        }
        var values = new ArrayList<T>();
        for (int i = 0; i < list.getValue().size(); i++) {
            var at = pathOf(key) + "[" + i + "]";
            var member = list.getValue().get(i);
            var value =
                    member instanceof MappingNode
                            ? nested(at, member, reading)
                            : read(at, member, notation);
            value.ifPresent(values::add);
        }
        return List.copyOf(values);
    }

    /** Reads the mapping at {@code key}, or an empty one if it is absent. */
    <T> T section(String key, Function<Section, T> reading) {
        return nested(pathOf(key), node(key), reading);
    }

    /** Reads the list of mappings at {@code key}. */
    <T> List<T> sections(String key, Function<Section, T> reading) {
        var node = node(key);
        if (node == null || isNull(node)) {
            return List.of();
        }
        if (!(node instanceof SequenceNode list)) {
            problems.inFile(
                    node.getStartMark(), pathOf(key), "is " + kind(node), "a list of mappings");
            return List.of();
        }
        var values = new ArrayList<T>();
        for (int i = 0; i < list.getValue().size(); i++) {
            values.add(nested(pathOf(key) + "[" + i + "]", list.getValue().get(i), reading));
        }
        return values;
    }

    /** Reads a mapping of mappings at {@code key}, by names that the operator chose. */
    <T> Map<String, T> named(
            String key, ValueParser<String> name, BiFunction<String, Section, T> reading) {
        return section(
                key,
                section -> {
                    var values = new LinkedHashMap<String, T>();
                    section.members.forEach((chosen, member) -> {
                        section.checkName(chosen, name);
                        values.put(
                                chosen,
                                section.nested(
                                        section.pathOf(chosen),
                                        member.getValueNode(),
                                        each -> reading.apply(chosen, each)));
                    });
                    return values;
                });
    }

    /** Reads a mapping of single values at {@code key}, by names that the operator chose. */
    <T> Map<String, T> values(String key, ValueParser<String> name, ValueParser<T> notation) {
        return section(
                key,
                section -> {
                    var values = new LinkedHashMap<String, T>();
                    for (var chosen : section.names(name)) {
                        section.optional(chosen, notation)
                                .ifPresent(value -> values.put(chosen, value));
                    }
                    return values;
                });
    }

    /** Returns the names of this mapping, which the operator chose, and checks them. */
    List<String> names(ValueParser<String> name) {
        var names = List.copyOf(members.keySet());
        names.forEach(chosen -> checkName(chosen, name));
        return names;
    }

    /** Whether the value of {@code key} is a mapping. */
    boolean isMapping(String key) {
        return node(key) instanceof MappingNode;
    }

    /** Whether {@code key} is present and null. */
    boolean isNull(String key) {
        var node = node(key);
        return node != null && isNull(node);
    }

    /** Reports a problem of the value of {@code key}, at its position or that of the section. */
    void wrong(String key, String what, String expected) {
        var member = members.get(key);
        problems.inFile(
                member == null ? start : member.getValueNode().getStartMark(),
                pathOf(key),
                what,
                expected);
    }

    /** Reports a problem of this mapping that does not make the configuration invalid. */
    void warn(String what, String expected) {
        problems.warn(start, path, what, expected);
    }

    private <T> T nested(String at, @Nullable Node node, Function<Section, T> reading) {
        MappingNode mapping = null;
        if (node instanceof MappingNode found) {
            mapping = found;
        } else if (node != null && !isNull(node)) {
            problems.inFile(node.getStartMark(), at, "is " + kind(node), "a mapping");
        }
        var section =
                new Section(
                        problems,
                        expansion,
                        at,
                        node == null ? start : node.getStartMark(),
                        mapping);
        var value = reading.apply(section);
        // If the node is not a mapping this has been reported; its missing keys are not reported.
        section.reportUnknown();
        return value;
    }

    /** Marks a name that the operator chose as known, and checks it. */
    private void checkName(String chosen, ValueParser<String> name) {
        known.add(chosen);
        var member = members.get(chosen);
        if (member != null && name.reading().apply(chosen).isEmpty()) {
            problems.inFile(
                    member.getKeyNode().getStartMark(),
                    pathOf(chosen),
                    "'" + chosen + "' is not a valid name",
                    name.expected());
        }
    }

    private void add(NodeTuple member) {
        var keyNode = member.getKeyNode();
        if (!(keyNode instanceof ScalarNode key)) {
            problems.inFile(keyNode.getStartMark(), path, "a key is " + kind(keyNode), "a name");
        } else if (members.putIfAbsent(key.getValue(), member) != null) {
            problems.inFile(
                    keyNode.getStartMark(),
                    pathOf(key.getValue()),
                    "is a duplicate key",
                    "the key once");
        }
    }

    private void reportUnknown() {
        members.forEach((key, member) -> {
            if (!known.contains(key)) {
                var feature = AbsentFeature.of(key);
                problems.inFile(
                        member.getKeyNode().getStartMark(),
                        pathOf(key),
                        "is an unknown key"
                                + feature.map(absent -> ": " + absent.what()).orElse(""),
                        feature.map(AbsentFeature::instead)
                                .orElseGet(() ->
                                        "'" + NearestName.to(key, known) + "', the nearest match"));
            }
        });
    }

    private @Nullable Node node(String key) {
        known.add(key);
        var member = members.get(key);
        return member == null ? null : member.getValueNode();
    }

    private <T> Optional<T> read(String at, Node node, ValueParser<T> notation) {
        return text(at, node, notation.expected())
                .flatMap(text -> {
                    var value = notation.reading().apply(text);
                    if (value.isEmpty()) {
                        problems.inFile(
                                node.getStartMark(),
                                at,
                                text.isEmpty() ? "is empty" : "invalid value '" + text + "'",
                                notation.expected());
                    }
                    return value;
                });
    }

    private Optional<String> text(String at, Node node, String expected) {
        if (!(node instanceof ScalarNode scalar) || isNull(node)) {
            problems.inFile(node.getStartMark(), at, "is " + kind(node), expected);
            return Optional.empty();
        }
        return switch (expansion.expand(scalar.getValue())) {
            case Expansion.Text(var text) -> Optional.of(text);
            case Expansion.Unset(var variable) -> {
                problems.inFile(
                        node.getStartMark(),
                        at,
                        "environment variable " + variable + " is not set",
                        "a value for it, or ${" + variable + ":default}");
                yield Optional.empty();
            }
            case Expansion.Malformed(var what) -> {
                problems.inFile(node.getStartMark(), at, what, "${NAME} or ${NAME:default}");
                yield Optional.empty();
            }
        };
    }

    private String pathOf(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    private static boolean isNull(Node node) {
        return node.getTag().equals(Tag.NULL);
    }

    private static String kind(Node node) {
        return switch (node) {
            case MappingNode mapping -> "a mapping";
            case SequenceNode list -> "a list";
            default -> isNull(node) ? "empty" : "a single value";
        };
    }
}
