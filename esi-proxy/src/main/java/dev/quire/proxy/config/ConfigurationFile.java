package dev.quire.proxy.config;

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
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/** Parses a YAML 1.2 file into a tree of nodes with positions. */
final class ConfigurationFile {
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_DEPTH = 16;

    private ConfigurationFile() {}

    /**
     * Returns the root node of {@code path}, or null if the file is empty.
     *
     * @throws InvalidConfiguration if it is not valid YAML; without a tree no other problem can be
     *     found
     */
    static @Nullable Node read(Path path, Problems problems) throws InvalidConfiguration {
        var text = text(path, problems);
        var settings =
                LoadSettings.builder()
                        .setLabel(path.toString())
                        .setCodePointLimit(MAX_BYTES)
                        .build();
        try {
            if (!isPlain(settings, text, problems)) {
                throw problems.asException();
            }
            return new Compose(settings).composeString(text).orElse(null);
        } catch (MarkedYamlEngineException e) {
            var context = e.getContext() == null ? "" : " " + e.getContext();
            throw unreadable(
                    problems,
                    e.getProblemMark().or(e::getContextMark),
                    "is not valid YAML: " + e.getProblem() + context,
                    "YAML 1.2");
        } catch (YamlEngineException e) {
            throw unreadable(
                    problems, Optional.empty(), "is not valid YAML: " + e.getMessage(), "YAML 1.2");
        }
    }

    private static String text(Path path, Problems problems) throws InvalidConfiguration {
        try (var file = Files.newInputStream(path)) {
            var bytes = file.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw unreadable(problems, Optional.empty(), "is too large", "at most 1MiB");
            }
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw unreadable(problems, Optional.empty(), "is not UTF-8", "UTF-8 text");
        } catch (NoSuchFileException e) {
            throw unreadable(problems, Optional.empty(), "does not exist", "an existing file");
        } catch (IOException e) {
            throw unreadable(
                    problems,
                    Optional.empty(),
                    "cannot be read: " + e.getMessage(),
                    "a readable file");
        }
    }

    /**
     * Checks the parser events before a tree is built: composing is recursive, and aliases can turn
     * a small file into a large or infinite tree.
     */
    private static boolean isPlain(LoadSettings settings, String text, Problems problems) {
        int depth = 0;
        for (var event : new Parse(settings).parseString(text)) {
            if (event instanceof AliasEvent
                    || (event instanceof NodeEvent node && node.getAnchor().isPresent())) {
                problems.inFile(
                        event.getStartMark(),
                        "",
                        "anchors and aliases are not supported",
                        "the value itself");
                return false;
            }
            if (event instanceof CollectionStartEvent && ++depth > MAX_DEPTH) {
                problems.inFile(
                        event.getStartMark(),
                        "",
                        "is nested too deeply",
                        "at most " + MAX_DEPTH + " levels");
                return false;
            }
            if (event instanceof CollectionEndEvent) {
                depth--;
            }
        }
        return true;
    }

    private static InvalidConfiguration unreadable(
            Problems problems, Optional<Mark> at, String what, String expected) {
        problems.inFile(at, "", what, expected);
        return problems.asException();
    }
}
