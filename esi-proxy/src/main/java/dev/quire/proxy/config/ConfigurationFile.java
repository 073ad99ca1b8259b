package dev.quire.proxy.config;

import dev.quire.core.rule.TemplateParser.SyntaxError;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Parses the YAML 1.2 files of one configuration, each into a tree of nodes with positions. Aliases
 * and merge keys ({@code <<}) are resolved: a copied value has the position of its anchor. Keys of
 * the root that begin with {@code x-} are dropped, so they can hold values for aliases.
 */
final class ConfigurationFile {
    /** The longest text. */
    static final int MAX_BYTES = 1 << 20;

    /** Begins the keys of the root that are not read. */
    static final String TEMPLATE_PREFIX = "x-";

    private final Problems problems;
    private final TreeLimits limits = new TreeLimits();

    ConfigurationFile(Problems problems) {
        this.problems = problems;
    }

    /**
     * Returns the root node of {@code text}, or null if it is empty.
     *
     * @param name of the file, or of another source
     * @throws InvalidConfiguration if it is not valid YAML; without a tree no other problem can be
     *     found
     */
    @Nullable Node parse(String name, String text) throws InvalidConfiguration {
        var settings =
                LoadSettings.builder()
                        .setLabel(name)
                        .setCodePointLimit(MAX_BYTES)
                        // The schema with merge keys.
                        .setSchema(new CoreSchema())
                        // Copies are limited by checkLimits.
                        .setMaxAliasesForCollections(Integer.MAX_VALUE)
                        .build();
        try {
            checkLimits(settings, text);
            var root = new Compose(settings).composeString(text).orElse(null);
            return root instanceof MappingNode mapping ? withoutTemplates(mapping) : root;
        } catch (MarkedYamlEngineException e) {
            var context = e.getContext() == null ? "" : e.getContext();
            throw unreadable(
                    e.getProblemMark().or(e::getContextMark).orElseGet(() -> start(name)),
                    ("is not valid YAML: " + e.getProblem() + " " + context).strip(),
                    "YAML 1.2");
        } catch (YamlEngineException e) {
            throw unreadable(start(name), "is not valid YAML: " + e.getMessage(), "YAML 1.2");
        }
    }

    /**
     * Returns the content of {@code path}, which the operator names: it may be a pipe.
     *
     * @throws InvalidConfiguration if it cannot be read
     */
    String text(Path path) throws InvalidConfiguration {
        var name = path.toString();
        try (var file = Files.newInputStream(path)) {
            var bytes = file.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw unreadable(start(name), "is too large", "at most 1MiB");
            }
            return utf8(bytes);
        } catch (CharacterCodingException e) {
            throw unreadable(start(name), "is not UTF-8", "UTF-8 text");
        } catch (NoSuchFileException e) {
            throw unreadable(start(name), "does not exist", "an existing file");
        } catch (IOException e) {
            throw unreadable(start(name), "cannot be read: " + e.getMessage(), "a readable file");
        }
    }

    /**
     * Returns the content of a file that the configuration names.
     *
     * @throws SyntaxError if it cannot be read
     */
    static String included(Path path) throws SyntaxError {
        var name = path.toString();
        try {
            return utf8(NamedFile.read(path, name, "a readable file of at most 1MiB"));
        } catch (CharacterCodingException e) {
            throw new SyntaxError(0, "'" + name + "' is not UTF-8", "UTF-8 text");
        }
    }

    private static String utf8(byte[] bytes) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    }

    /** Drops the keys {@code x-NAME} of the root, which hold values for aliases. */
    private static MappingNode withoutTemplates(MappingNode root) {
        root.setValue(
                root.getValue().stream()
                        .filter(member ->
                                !(member.getKeyNode() instanceof ScalarNode key)
                                        || !key.getValue().startsWith(TEMPLATE_PREFIX))
                        .toList());
        return root;
    }

    /** Checks the limits before a tree is built. */
    private void checkLimits(LoadSettings settings, String text) throws InvalidConfiguration {
        limits.beginFile();
        for (var event : new Parse(settings).parseString(text)) {
            var excess = limits.add(event);
            if (excess != null) {
                throw unreadable(
                        event.getStartMark().orElseThrow(), excess.what(), excess.expected());
            }
        }
    }

    private InvalidConfiguration unreadable(Mark at, String what, String expected) {
        problems.inFile(Optional.of(at), "", what, expected);
        return problems.asException();
    }

    private static Mark start(String name) {
        return new Mark(name, 0, 0, 0, new int[0], 0);
    }
}
