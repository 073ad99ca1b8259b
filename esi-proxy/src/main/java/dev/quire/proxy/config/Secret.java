package dev.quire.proxy.config;

import dev.quire.core.rule.TemplateParser.SyntaxError;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A password or a key from a file, so that the configuration contains no secret. Never printed.
 *
 * @param text visible ASCII characters
 */
public record Secret(String text) {
    private static final int MOST = 4_096;

    /**
     * The path of a file, perhaps relative to {@code base}, with a secret of at least {@code least}
     * characters.
     */
    static ValueParser<Secret> inFile(Path base, int least) {
        return ValueParser.scalar(
                "file",
                "a readable file that contains only "
                        + least
                        + " to "
                        + MOST
                        + " visible ASCII characters",
                ".+",
                path -> read(base, path, least));
    }

    private static Optional<Secret> read(Path base, String path, int least) {
        try {
            var bytes = NamedFile.read(base.resolve(path), path, "a readable file");
            return Optional.of(new String(bytes, StandardCharsets.UTF_8).strip())
                    .filter(text -> text.length() >= least && text.length() <= MOST)
                    .filter(text -> text.chars().allMatch(c -> c > ' ' && c < 0x7f))
                    .map(Secret::new);
        } catch (SyntaxError | InvalidPathException e) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return "Secret[***]";
    }
}
