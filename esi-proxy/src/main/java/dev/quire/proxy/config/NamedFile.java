package dev.quire.proxy.config;

import dev.quire.core.rule.TemplateParser.SyntaxError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads a file that a configuration names. Only regular files are opened: opening a pipe waits for
 * a writer, perhaps forever.
 */
final class NamedFile {
    /** The size of the largest file. */
    static final int MAX_BYTES = 1 << 20;

    private NamedFile() {}

    /**
     * Returns the content of {@code file}.
     *
     * @param name of the file in messages; if it is empty, they do not name the file
     * @param expected for messages
     * @throws SyntaxError if it cannot be read
     */
    static byte[] read(Path file, String name, String expected) throws SyntaxError {
        var subject = name.isEmpty() ? "" : "'" + name + "' ";
        if (!Files.isRegularFile(file)) {
            var what = Files.exists(file) ? "is not a file" : "cannot be read";
            throw new SyntaxError(
                    0, subject + (Files.notExists(file) ? "does not exist" : what), expected);
        }
        try (var stream = Files.newInputStream(file)) {
            var bytes = stream.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new SyntaxError(0, subject + "is a file of more than 1MiB", expected);
            }
            return bytes;
        } catch (IOException e) {
            throw new SyntaxError(0, subject + "cannot be read: " + e.getMessage(), expected);
        }
    }
}
