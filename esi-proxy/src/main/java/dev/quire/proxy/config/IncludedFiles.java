package dev.quire.proxy.config;

import dev.quire.core.rule.TemplateParser.SyntaxError;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Joins the files that the key {@code include} of the main file names to its tree. The keys of a
 * section may be in several files. Lists are joined: first the main file's, then those of the
 * included files in the order of their names. Any other key twice remains twice, so that {@link
 * Section} reports it. Included files do not include others.
 */
final class IncludedFiles {
    static final String KEY = "include";

    private static final int MAX_FILES = 1000;
    private static final String WILDCARDS = "*?[{";

    /** A pattern of file names; wildcards are those of {@link java.nio.file.FileSystem}. */
    private static final ValueParser<String> PATTERN =
            ValueParser.scalar(
                    "pattern",
                    "a file name such as conf.d/*.yml, wildcards only after the last /",
                    ".*[^/]",
                    text -> Optional.of(text).filter(IncludedFiles::isPattern));

    private final ConfigurationText text;
    private final Path main;
    private final ConfigurationFile files;
    private final Problems problems;
    private final Expansion expansion;

    IncludedFiles(
            ConfigurationText text,
            ConfigurationFile files,
            Problems problems,
            Expansion expansion) {
        this.text = text;
        this.main = Path.of(text.isFile() ? text.name() : "");
        this.files = files;
        this.problems = problems;
        this.expansion = expansion;
    }

    /** Reads the main file and those it includes; returns null if all are empty. */
    @Nullable Node read() throws InvalidConfiguration {
        var root = files.parse(text.name(), text.text());
        if (!(root instanceof MappingNode whole)) {
            return root;
        }
        var includes = with(whole, IncludedFiles::isInclude);
        var names =
                Section.read(problems, expansion, includes, section -> included(section, includes));
        var joined = with(whole, member -> !isInclude(member));
        boolean isReadable = true;
        for (var named : names.entrySet()) {
            var name = named.getKey();
            try {
                var content = text.included(name, ConfigurationFile::included);
                joined = join(joined, files.parse(name.toString(), content));
            } catch (SyntaxError e) {
                named.getValue().wrong(problems, e);
                isReadable = false;
            } catch (InvalidConfiguration e) {
                // Its problem is one of problems; the other files may have more.
                isReadable = false;
            }
        }
        if (!isReadable) {
            throw problems.asException();
        }
        return joined;
    }

    /** A value of {@code include}, which names files. */
    private record Naming(String key, Optional<Mark> at) {
        static Naming of(MappingNode includes, int index, int count) {
            var value = includes.getValue().getFirst().getValueNode();
            // Wrong patterns, which have been reported, do not count.
            return value instanceof SequenceNode list && list.getValue().size() == count
                    ? new Naming(KEY + "[" + index + "]", list.getValue().get(index).getStartMark())
                    : new Naming(KEY, value.getStartMark());
        }

        void wrong(Problems problems, SyntaxError fault) {
            problems.inFile(at, key, String.valueOf(fault.getMessage()), fault.expected());
        }
    }

    /** Returns the included files, each with what names it. */
    private Map<Path, Naming> included(Section root, MappingNode includes) {
        var names = new LinkedHashMap<Path, Naming>();
        var patterns = patterns(root);
        if (!patterns.isEmpty() && !text.isFile()) {
            root.wrong(KEY, "is in a configuration without a file", "the text of the files");
            return Map.of();
        }
        for (int i = 0; i < patterns.size(); i++) {
            var pattern = patterns.get(i);
            var named = Naming.of(includes, i, patterns.size());
            text.matches(pattern, () -> matches(root, pattern))
                    .forEach(name -> names.putIfAbsent(name, named));
        }
        if (names.size() > MAX_FILES) {
            root.wrong(KEY, "names " + names.size() + " files", "at most " + MAX_FILES);
            return Map.of();
        }
        return names;
    }

    static List<String> patterns(Section root) {
        return root.oneOrMore(KEY, PATTERN);
    }

    private List<Path> matches(Section root, String pattern) {
        var path = main.resolveSibling(pattern);
        if (!hasWildcard(pattern)) {
            return List.of(path);
        }
        var directory = main.resolveSibling(pattern.substring(0, pattern.lastIndexOf('/') + 1));
        var name = pattern.substring(pattern.lastIndexOf('/') + 1);
        var found = new ArrayList<Path>();
        try (var members = Files.newDirectoryStream(directory, matching(name))) {
            members.forEach(found::add);
        } catch (IOException | DirectoryIteratorException e) {
            root.wrong(KEY, "'" + directory + "' cannot be listed", "a readable directory");
            return List.of();
        }
        if (found.isEmpty()) {
            root.warn(KEY, "'" + pattern + "' matches no file", "the name of a file");
        }
        // The same order on every machine.
        found.sort(Comparator.comparing(Path::toString));
        return found;
    }

    /** Accepts no directories, no hidden files (of editors, say) and not the main file. */
    private DirectoryStream.Filter<Path> matching(String name) {
        var matcher = FileSystems.getDefault().getPathMatcher("glob:" + name);
        return path ->
                matcher.matches(path.getFileName())
                        && !path.getFileName().toString().startsWith(".")
                        && !Files.isDirectory(path)
                        && !(Files.exists(path) && Files.isSameFile(path, main));
    }

    private MappingNode join(MappingNode whole, @Nullable Node included) {
        if (included == null || included.getTag().equals(Tag.NULL)) {
            return whole;
        }
        if (!(included instanceof MappingNode mapping)) {
            problems.inFile(included.getStartMark(), "", "is not a mapping", "keys and values");
            return whole;
        }
        for (var member : with(mapping, IncludedFiles::isInclude).getValue()) {
            problems.inFile(
                    member.getKeyNode().getStartMark(),
                    KEY,
                    "is a key of an included file",
                    KEY + " in " + main + " only");
        }
        return join(whole, with(mapping, member -> !isInclude(member)), true);
    }

    private static MappingNode join(MappingNode first, MappingNode second, boolean isRoot) {
        var members = new ArrayList<>(first.getValue());
        var places = new HashMap<String, Integer>();
        for (int i = 0; i < members.size(); i++) {
            places.put(key(members.get(i)), i);
        }
        for (var member : second.getValue()) {
            // A key of the first is joined once; twice in the second is a fault.
            var place = places.remove(key(member));
            var value =
                    place == null
                            ? null
                            : join(
                                    members.get(place).getValueNode(),
                                    member.getValueNode(),
                                    isRoot);
            if (place == null || value == null) {
                members.add(member);
            } else {
                members.set(place, new NodeTuple(members.get(place).getKeyNode(), value));
            }
        }
        return copy(first, members);
    }

    /** Returns null if the values cannot be joined. */
    private static @Nullable Node join(Node first, Node second, boolean isRoot) {
        if (first instanceof SequenceNode list && second instanceof SequenceNode more) {
            var values = new ArrayList<>(list.getValue());
            values.addAll(more.getValue());
            return new SequenceNode(
                    list.getTag(),
                    true,
                    values,
                    list.getFlowStyle(),
                    list.getStartMark(),
                    list.getEndMark());
        }
        return isRoot && first instanceof MappingNode section && second instanceof MappingNode more
                ? join(section, more, false)
                : null;
    }

    private static MappingNode with(MappingNode node, Predicate<NodeTuple> filter) {
        return copy(node, node.getValue().stream().filter(filter).toList());
    }

    private static MappingNode copy(MappingNode node, List<NodeTuple> members) {
        return new MappingNode(
                node.getTag(),
                true,
                members,
                node.getFlowStyle(),
                node.getStartMark(),
                node.getEndMark());
    }

    private static boolean isInclude(NodeTuple member) {
        return key(member).equals(KEY);
    }

    private static String key(NodeTuple member) {
        return member.getKeyNode() instanceof ScalarNode key ? key.getValue() : "";
    }

    private static boolean isPattern(String text) {
        try {
            var name = text.substring(text.lastIndexOf('/') + 1);
            FileSystems.getDefault().getPathMatcher("glob:" + name);
            var directory = Path.of(text).getParent();
            return !name.isEmpty() && (directory == null || !hasWildcard(directory.toString()));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean hasWildcard(String text) {
        return text.chars().anyMatch(c -> WILDCARDS.indexOf(c) >= 0);
    }
}
