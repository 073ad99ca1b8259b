package dev.quire.proxy.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tables of docs/configuration.md. */
final class ReferenceTables {
    private static final String HEAD =
            """
            | Key | Type | Default | Range | Since | Reload | |
            | --- | --- | --- | --- | --- | --- | --- |
            """;

    private final List<Key> keys;
    private final Map<String, KeyNote> notes;

    ReferenceTables(List<Key> keys, Map<String, KeyNote> notes) {
        this.keys = keys;
        this.notes = notes;
    }

    /** The keys of the root that are not sections, then one table for each section. */
    String text() {
        var text = new StringBuilder();
        text.append("### Keys of the root\n\n").append(table(root().filter(this::isValue)));
        root().filter(path -> !isValue(path))
                .forEach(section ->
                        text.append("\n### ")
                                .append(section)
                                .append("\n\n")
                                .append(note(section).text())
                                .append("\n\n")
                                .append(table(below(section))));
        return text.toString();
    }

    private Stream<String> root() {
        return keys.stream().map(Key::path).filter(path -> path.indexOf('.') < 0).distinct();
    }

    private Stream<String> below(String section) {
        return keys.stream()
                .map(Key::path)
                .filter(path ->
                        path.startsWith(section + ".")
                                || path.startsWith(section + Key.MEMBER + "."))
                .distinct();
    }

    private boolean isValue(String path) {
        return at(path).stream().anyMatch(key -> isValue(key.kind()));
    }

    private static boolean isValue(Key.Kind kind) {
        return switch (kind) {
            case VALUE, LIST, ONE_OR_MORE -> true;
            case SECTION, SECTIONS, NAMES -> false;
        };
    }

    private String table(Stream<String> paths) {
        return HEAD + paths.map(this::row).collect(Collectors.joining());
    }

    private String row(String path) {
        var note = note(path);
        var isValue = isValue(path);
        return "| `%s` | %s | %s | %s | %s | %s | %s |%n"
                .formatted(
                        path,
                        types(path),
                        isValue ? fallback(path) : "",
                        ranges(path),
                        note.since(),
                        isValue ? (note.isReloadable() ? "yes" : "no") : "",
                        cell(note.text()))
                .replaceAll(" {2,}", " ");
    }

    private List<Key> at(String path) {
        return keys.stream().filter(key -> key.path().equals(path)).toList();
    }

    private KeyNote note(String path) {
        return Optional.ofNullable(notes.get(path)).orElseThrow();
    }

    private String types(String path) {
        return at(path).stream()
                .sorted((a, b) -> Boolean.compare(isValue(b.kind()), isValue(a.kind())))
                .map(this::type)
                .distinct()
                .collect(Collectors.joining(" or "));
    }

    private String type(Key key) {
        return switch (key.kind()) {
            case VALUE -> key.form().type();
            case LIST -> "list: " + key.form().type() + (hasMembers(key) ? " or mapping" : "");
            case ONE_OR_MORE -> key.form().type() + ", or a list";
            case SECTION, NAMES -> "mapping";
            case SECTIONS -> "list: mapping";
        };
    }

    private boolean hasMembers(Key list) {
        return keys.stream().anyMatch(key -> key.parent().equals(list.path() + Key.MEMBER));
    }

    private String fallback(String path) {
        var key = at(path).stream().filter(it -> isValue(it.kind())).findFirst().orElseThrow();
        return key.isRequired()
                ? "required"
                : key.fallback().map(text -> "`" + text.replace("|", "\\|") + "`").orElse("none");
    }

    private String ranges(String path) {
        var ranges = new ArrayList<String>();
        for (var key : at(path)) {
            if (key.notation().isPresent() && !key.form().range().equals(key.form().type())) {
                ranges.add(
                        key.kind() == Key.Kind.NAMES
                                ? "names: " + range(key.form())
                                : range(key.form()));
            }
        }
        return ranges.stream().distinct().collect(Collectors.joining("; "));
    }

    private static String range(ValueForm form) {
        return form.schema().containsKey("enum")
                ? "`" + form.range().replace(" | ", "`, `") + "`"
                : cell(form.range());
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("*", "\\*");
    }
}
