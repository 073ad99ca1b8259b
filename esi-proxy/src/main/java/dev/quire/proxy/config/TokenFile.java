package dev.quire.proxy.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/** Reads the admin token from a file, so that the configuration contains no secret. */
final class TokenFile {

    static final ValueParser<Token> NOTATION =
            new ValueParser<>(
                    "a readable file that contains only a token of at least "
                            + Token.MIN_LENGTH
                            + " visible ASCII characters",
                    TokenFile::read);

    private TokenFile() {}

    private static Optional<Token> read(String text) {
        try (var file = Files.newInputStream(Path.of(text))) {
            var content = new String(file.readNBytes(2 * Token.MAX_LENGTH), StandardCharsets.UTF_8);
            return Optional.of(content.strip()).filter(Token::isUsable).map(Token::new);
        } catch (IOException | InvalidPathException e) {
            return Optional.empty();
        }
    }
}
