package dev.quire.proxy.config;

import dev.quire.core.rule.TemplateParser.SyntaxError;
import dev.quire.core.text.NearestName;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * One mapping of the file, read key by key. Problems are collected and the fallback is returned, so
 * that reading continues. Keys that were never read are reported as unknown.
 */
final class Section {
    private final Problems problems;
    private final Expansion expansion;
    private final @Nullable List<Key> described;
    private final String path;
    private final Optional<Mark> start;
    private final boolean isMapping;
    private final Map<String, NodeTuple> members = new LinkedHashMap<>();
    private final Set<String> known = new LinkedHashSet<>();
    private final Set<String> nonEmpty = new LinkedHashSet<>();

    /** The values that were read, and the defaults of absent ones, as in a file. */
    private final Map<String, Object> shown = new LinkedHashMap<>();

    private Section(
            Problems problems,
            Expansion expansion,
            @Nullable List<Key> described,
            String path,
            Optional<Mark> start,
            @Nullable MappingNode node) {
        this.problems = problems;
        this.expansion = expansion;
        this.described = described;
        this.path = path;
        this.start = start;
        this.isMapping = node != null;
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
        return read(problems, expansion, node, reading, values -> {});
    }

    /**
     * Like the other, and passes all values, with the defaults of absent keys, to {@code shown}.
     */
    static <T> T read(
            Problems problems,
            Expansion expansion,
            @Nullable Node node,
            Function<Section, T> reading,
            Consumer<Map<String, Object>> shown) {
        return new Section(problems, expansion, null, "", Optional.empty(), null)
                .nested("", node, reading, shown);
    }

    /** Shows {@code value}, which an option sets, in place of that of the file. */
    void show(String key, Object value) {
        shown.put(key, value);
    }

    /**
     * Returns the keys that {@code reading} reads, without a file: every list has one member, every
     * mapping of names one {@link Key#NAME}, every value is absent. Problems are ignored.
     *
     * @throws IllegalStateException if {@code reading} asks for a key whose notation it does not
     *     state
     */
    static List<Key> describe(Function<Section, ?> reading) {
        var described = new ArrayList<Key>();
        var expansion = new Expansion(variable -> null);
        new Section(new Problems(""), expansion, described, "", Optional.empty(), null)
                .nested("", null, reading, values -> {});
        return described;
    }

    /** Whether the key is present, with any value. When keys are described all are present. */
    boolean has(String key) {
        known.add(key);
        return described != null || members.containsKey(key);
    }

    /** Returns the value of {@code key}, or {@code fallback} if it is absent or invalid. */
    <T> T value(String key, ValueParser<T> notation, T fallback) {
        describe(() ->
                Key.of(pathOf(key), Key.Kind.VALUE, notation)
                        .withFallback(notation.writing().apply(fallback)));
        var node = node(key);
        var value = node == null ? fallback : read(pathOf(key), node, notation).orElse(fallback);
        shown.put(key, EffectiveText.of(key, value, notation));
        return value;
    }

    /** Returns the value of {@code key}, or nothing if it is absent, null, empty or invalid. */
    <T> Optional<T> optional(String key, ValueParser<T> notation) {
        describe(() -> Key.of(pathOf(key), Key.Kind.VALUE, notation).nullable());
        var node = node(key);
        if (node == null || YamlNodes.isNull(node)) {
            return Optional.empty();
        }
        var text = text(pathOf(key), node, notation.expected());
        return text.isEmpty() || text.get().isEmpty()
                ? Optional.empty()
                : shown(key, read(pathOf(key), node, notation), notation);
    }

    private <T> Optional<T> shown(String key, Optional<T> value, ValueParser<T> notation) {
        value.ifPresent(present -> shown.put(key, EffectiveText.of(key, present, notation)));
        return value;
    }

    /** Returns the value of the required {@code key}, or nothing if it is absent or invalid. */
    <T> Optional<T> required(String key, ValueParser<T> notation) {
        describe(() -> Key.of(pathOf(key), Key.Kind.VALUE, notation).required());
        var node = node(key);
        if (node == null) {
            problems.inFile(start, pathOf(key), "is missing", notation.expected());
            return Optional.empty();
        }
        return shown(key, read(pathOf(key), node, notation), notation);
    }

    /** Returns the list at {@code key}, or {@code fallback} if it is absent or not a list. */
    <T> List<T> list(String key, ValueParser<T> notation, List<T> fallback) {
        describe(() -> listOf(key, notation, fallback));
        var node = node(key);
        if (node == null) {
            shown.put(key, EffectiveText.of(key, fallback, notation));
            return fallback;
        }
        return members(key, node, notation).orElse(fallback);
    }

    /** Returns the list at {@code key}, or nothing if it is absent, null or not a list. */
    <T> Optional<List<T>> optionalList(String key, ValueParser<T> notation) {
        describe(() -> Key.of(pathOf(key), Key.Kind.LIST, notation).nullable());
        var node = node(key);
        return node == null || YamlNodes.isNull(node)
                ? Optional.empty()
                : members(key, node, notation);
    }

    /** Returns the non-empty list at {@code key}, or {@code fallback} if it is absent. */
    <T> List<T> nonEmptyList(String key, ValueParser<T> notation, List<T> fallback) {
        return node(key) == null ? list(key, notation, fallback) : nonEmptyList(key, notation);
    }

    /** Returns the list at {@code key}, or nothing, which has been reported, if it is not one. */
    private <T> Optional<List<T>> members(String key, Node node, ValueParser<T> notation) {
        if (!(node instanceof SequenceNode list)) {
            wrong(key, "is " + YamlNodes.kind(node), "a list, each " + notation.expected());
            return Optional.empty();
        }
        var values = new ArrayList<T>();
        for (int i = 0; i < list.getValue().size(); i++) {
            read(pathOf(key) + "[" + i + "]", list.getValue().get(i), notation)
                    .ifPresent(values::add);
        }
        shown.put(key, EffectiveText.of(key, values, notation));
        return Optional.of(List.copyOf(values));
    }

    private <T> Key listOf(String key, ValueParser<T> notation, List<T> fallback) {
        var texts = fallback.stream().map(notation.writing()).toList();
        return Key.of(pathOf(key), Key.Kind.LIST, notation).withFallback(texts);
    }

    /** Returns the value or the list of values at {@code key}; an empty list if it is absent. */
    <T> List<T> oneOrMore(String key, ValueParser<T> notation) {
        describe(() -> Key.of(pathOf(key), Key.Kind.ONE_OR_MORE, notation));
        var node = node(key);
        if (node == null) {
            return List.of();
        }
        return node instanceof SequenceNode
                ? members(key, node, notation).orElse(List.of())
                : shown(key, read(pathOf(key), node, notation), notation)
                        .map(List::of)
                        .orElse(List.of());
    }

    /** Like {@link #oneOrMore}; an empty list is a problem. */
    <T> Optional<List<T>> someOf(String key, ValueParser<T> notation) {
        requireNonEmpty(key);
        var values = oneOrMore(key, notation);
        if (node(key) instanceof SequenceNode list && list.getValue().isEmpty()) {
            wrong(key, "is empty", "at least one value");
        }
        return values.isEmpty() ? Optional.empty() : Optional.of(values);
    }

    /** Reads a mapping of values or lists of values, by names that the operator chose. */
    <T> Map<String, List<T>> valueLists(
            String key, ValueParser<String> name, ValueParser<T> notation) {
        return chosen(key, name, (section, chosen) -> section.someOf(chosen, notation));
    }

    private <T> List<T> nonEmptyList(String key, ValueParser<T> notation) {
        var node = node(key);
        if (node == null || (node instanceof SequenceNode list && list.getValue().isEmpty())) {
            var expected = "a list, each " + notation.expected();
            wrong(key, node == null ? "is missing" : "is empty", expected);
            return List.of();
        }
        return members(key, node, notation).orElse(List.of());
    }

    /**
     * Returns the required, non-empty list at {@code key}. Each member is a single value or a
     * mapping, which {@code reading} converts. If {@code reading} returns nothing, it has reported
     * the problem.
     */
    <T> List<T> requiredList(
            String key, ValueParser<T> notation, Function<Section, Optional<T>> reading) {
        describe(() -> Key.of(pathOf(key), Key.Kind.LIST, notation).required().nonEmpty());
        describeMember(key, reading);
        var node = node(key);
        if (!(node instanceof SequenceNode list) || list.getValue().isEmpty()) {
            return nonEmptyList(key, notation);
        }
        var values = new ArrayList<T>();
        var seen = new ArrayList<Object>();
        for (int i = 0; i < list.getValue().size(); i++) {
            var at = pathOf(key) + "[" + i + "]";
            var member = list.getValue().get(i);
            if (member instanceof MappingNode) {
                nested(at, member, reading, seen::add).ifPresent(values::add);
            } else {
                read(at, member, notation)
                        .ifPresent(value -> {
                            values.add(value);
                            var text = text(at, member, "").orElse("");
                            seen.add(EffectiveText.of(key, text, ValueParser.TEXT));
                        });
            }
        }
        shown.put(key, seen);
        return List.copyOf(values);
    }

    /** Reads the mapping at {@code key}, or an empty one if it is absent. */
    <T> T section(String key, Function<Section, T> reading) {
        describe(() -> Key.section(pathOf(key), Key.Kind.SECTION));
        return nested(pathOf(key), node(key), reading, values -> shown.put(key, values));
    }

    /** Reads the list of mappings at {@code key}. */
    <T> List<T> sections(String key, Function<Section, T> reading) {
        describe(() -> Key.section(pathOf(key), Key.Kind.SECTIONS));
        describeMember(key, reading);
        var node = node(key);
        if (node == null || YamlNodes.isNull(node)) {
            return List.of();
        }
        if (!(node instanceof SequenceNode list)) {
            wrong(key, "is " + YamlNodes.kind(node), "a list of mappings");
            return List.of();
        }
        var values = new ArrayList<T>();
        var seen = new ArrayList<Object>();
        for (int i = 0; i < list.getValue().size(); i++) {
            values.add(
                    nested(
                            pathOf(key) + "[" + i + "]",
                            list.getValue().get(i),
                            reading,
                            seen::add));
        }
        shown.put(key, seen);
        return values;
    }

    /** Reads a mapping of mappings at {@code key}, by names that the operator chose. */
    <T> Map<String, T> named(
            String key, ValueParser<String> name, BiFunction<String, Section, T> reading) {
        return section(
                key,
                section -> {
                    var values = new LinkedHashMap<String, T>();
                    for (var chosen : section.names(name)) {
                        values.put(
                                chosen,
                                section.section(chosen, each -> reading.apply(chosen, each)));
                    }
                    return values;
                });
    }

    /** Reads a mapping of single values at {@code key}, by names that the operator chose. */
    <T> Map<String, T> values(String key, ValueParser<String> name, ValueParser<T> notation) {
        return chosen(key, name, (section, chosen) -> section.optional(chosen, notation));
    }

    private <T> Map<String, T> chosen(
            String key,
            ValueParser<String> name,
            BiFunction<Section, String, Optional<T>> reading) {
        if (!has(key)) {
            return Map.of();
        }
        return section(
                key,
                section -> {
                    var values = new LinkedHashMap<String, T>();
                    for (var chosen : section.names(name)) {
                        reading.apply(section, chosen)
                                .ifPresent(value -> values.put(chosen, value));
                    }
                    return values;
                });
    }

    /** Returns the names of this mapping, which the operator chose, and checks them. */
    List<String> names(ValueParser<String> name) {
        if (described != null) {
            described.add(Key.of(path, Key.Kind.NAMES, name).nullable());
            return List.of(Key.NAME);
        }
        var names = List.copyOf(members.keySet());
        names.forEach(chosen -> checkName(chosen, name));
        return names;
    }

    /** Whether the value of {@code key} is a mapping. When keys are described, it may be. */
    boolean isMapping(String key) {
        return described != null || node(key) instanceof MappingNode;
    }

    /** Whether the value of {@code key} is not a mapping. When keys are described, it may be. */
    boolean isSingle(String key) {
        return !(node(key) instanceof MappingNode);
    }

    /** Whether {@code key} is present and null. */
    boolean isNull(String key) {
        var node = node(key);
        return node != null && YamlNodes.isNull(node);
    }

    /** Reports {@code key}, if it is present, as one that does not exist here. */
    void refuse(String key, String what, String expected) {
        var member = members.get(key);
        if (member != null) {
            known.add(key);
            problems.inFile(member.getKeyNode().getStartMark(), pathOf(key), what, expected);
        }
    }

    /** Reports {@code key} if it is present without a value: null, no text, or no keys. */
    void refuseEmpty(String key, String expected) {
        requireNonEmpty(key);
        var member = members.get(key);
        if (member != null && YamlNodes.isEmpty(member.getValueNode(), expansion)) {
            wrong(key, "is empty", expected);
        }
    }

    /** Notes, for the description of {@code key}, that the caller reports it if it is empty. */
    void requireNonEmpty(String key) {
        nonEmpty.add(key);
    }

    /** Whether a key other than {@code keys} is present. */
    boolean hasOther(Collection<String> keys) {
        return !keys.containsAll(members.keySet());
    }

    /** Whether the file has this mapping; if not, this may have been reported. */
    boolean isMapping() {
        return isMapping;
    }

    /** Whether one of {@code keys} is present; unlike {@link #has}, it does not count as read. */
    boolean hasAny(Collection<String> keys) {
        return keys.stream().anyMatch(members::containsKey);
    }

    /** The position of {@code key}, or of this mapping if it is absent. */
    Problem.Place place(String key) {
        return problems.place(position(key));
    }

    /** The position of this mapping. */
    Problem.Place place() {
        return problems.place(start);
    }

    /** The directory of the file with this mapping. */
    Path directory() {
        return Path.of(place().file()).resolveSibling("");
    }

    /** Reports a problem of the value of {@code key}, at its position or that of the section. */
    void wrong(String key, String what, String expected) {
        problems.inFile(position(key), pathOf(key), what, expected);
    }

    private Optional<Mark> position(String key) {
        var member = members.get(key);
        return member == null ? start : member.getValueNode().getStartMark();
    }

    /** Reports a problem of {@code key} that does not make the configuration invalid. */
    void warn(String key, String what, String expected) {
        problems.warn(position(key), pathOf(key), what, expected);
    }

    /** Reports a problem of this mapping that does not make the configuration invalid. */
    void warn(String what, String expected) {
        problems.warn(start, path, what, expected);
    }

    /** Returns texts of the members of a list that differ from those of other members. */
    List<String> sources(String key) {
        return NodeText.ofMembers(node(key), expansion);
    }

    private <T> T nested(
            String at,
            @Nullable Node node,
            Function<Section, T> reading,
            Consumer<Map<String, Object>> whenRead) {
        MappingNode mapping = null;
        if (node instanceof MappingNode found) {
            mapping = found;
        } else if (node != null && !YamlNodes.isNull(node)) {
            problems.inFile(node.getStartMark(), at, "is " + YamlNodes.kind(node), "a mapping");
        }
        var section =
                new Section(
                        problems,
                        expansion,
                        described,
                        at,
                        node == null ? start : node.getStartMark(),
                        mapping);
        var value = reading.apply(section);
        // If the node is not a mapping this has been reported; its missing keys are not reported.
        section.reportUnknown();
        section.requireDescribed();
        whenRead.accept(section.shown);
        return value;
    }

    private void describe(Supplier<Key> key) {
        if (described != null) {
            var added = key.get();
            described.add(nonEmpty.contains(added.name()) ? added.nonEmpty() : added);
        }
    }

    private void describeMember(String key, Function<Section, ?> reading) {
        if (described != null) {
            nested(pathOf(key) + Key.MEMBER, null, reading, values -> {});
        }
    }

    /** Marks a name that the operator chose as known, and checks it. */
    private void checkName(String chosen, ValueParser<String> name) {
        known.add(chosen);
        var member = members.get(chosen);
        if (member != null && name.reading().apply(chosen).isEmpty()) {
            problems.inFile(
                    member.getKeyNode().getStartMark(),
                    pathOf(chosen),
                    name.fault()
                            .apply(chosen)
                            .map(fault -> "'" + chosen + "' " + fault.getMessage())
                            .orElse("'" + chosen + "' is not a valid name"),
                    name.fault().apply(chosen).map(SyntaxError::expected).orElse(name.expected()));
        }
    }

    private void add(NodeTuple member) {
        var keyNode = member.getKeyNode();
        if (!(keyNode instanceof ScalarNode key)) {
            problems.inFile(
                    keyNode.getStartMark(), path, "a key is " + YamlNodes.kind(keyNode), "a name");
        } else {
            var first = members.putIfAbsent(key.getValue(), member);
            if (first != null) {
                problems.inFile(
                        keyNode.getStartMark(),
                        pathOf(key.getValue()),
                        "is a duplicate key, first at "
                                + problems.place(first.getKeyNode().getStartMark()),
                        "the key once");
            }
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

    private void requireDescribed() {
        if (described == null) {
            return;
        }
        for (var key : known) {
            if (described.stream().noneMatch(it -> it.path().equals(pathOf(key)))) {
                throw new IllegalStateException(
                        "the key " + pathOf(key) + " is read, expected a notation of its values");
            }
        }
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
                        var fault = notation.fault().apply(text);
                        problems.inFile(
                                fault.map(error -> TextMark.of(node, text, error.index()))
                                        .orElseGet(node::getStartMark),
                                at,
                                fault.map(error -> String.valueOf(error.getMessage()))
                                        .orElseGet(() ->
                                                text.isEmpty()
                                                        ? "is empty"
                                                        : "invalid value '" + text + "'"),
                                fault.map(SyntaxError::expected).orElse(notation.expected()));
                    }
                    return value;
                });
    }

    private Optional<String> text(String at, Node node, String expected) {
        if (!(node instanceof ScalarNode scalar) || YamlNodes.isNull(node)) {
            problems.inFile(node.getStartMark(), at, "is " + YamlNodes.kind(node), expected);
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
}
