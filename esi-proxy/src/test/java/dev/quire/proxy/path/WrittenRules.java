package dev.quire.proxy.path;

import dev.quire.core.rule.Rules;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.InvalidConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;

/** Rules as an operator writes them. */
final class WrittenRules {
    private WrittenRules() {}

    /**
     * Reads the members of {@code rules} in a configuration, such as {@code request: [{ unset: X-A
     * }]}.
     */
    static Rules of(String rules) {
        try {
            var file = Files.createTempFile("quire", ".yml");
            try {
                Files.writeString(
                        file,
                        "origins: { news: { urls: ['http://a'] } }\n"
                                + "routes: [{ origin: news }]\n"
                                + "rules: { "
                                + rules
                                + " }\n");
                return Configuration.check(file).rules();
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InvalidConfiguration e) {
            throw new AssertionError(e);
        }
    }
}
