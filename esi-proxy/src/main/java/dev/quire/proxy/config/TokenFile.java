package dev.quire.proxy.config;

import dev.quire.core.rule.TemplateParser.SyntaxError;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/** Reads a token from a file, so that the configuration contains no secret. */
final class TokenFile {

    static final ValueParser<Token> NOTATION =
            ValueParser.scalar(
                    "file",
                    "a readable file that contains only a token of at least "
                            + Token.MIN_LENGTH
                            + " visible ASCII characters",
                    ".+",
                    TokenFile::read);

    private TokenFile() {}

    private static Optional<Token> read(String text) {
        try {
            var bytes = NamedFile.read(Path.of(text), text, "a readable file");
            return Optional.of(new String(bytes, StandardCharsets.UTF_8).strip())
                    .filter(Token::isUsable)
                    .map(Token::new);
        } catch (SyntaxError | InvalidPathException e) {
            return Optional.empty();
        }
    }
}
