package dev.quire.proxy.config;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A file as {@code quire check} reads it.
 *
 * @param tests of the configuration; {@code run} reads them too, but does not run them
 */
public record CheckedFile(Configuration configuration, List<RuleTest> tests) {

    public CheckedFile {
        tests = List.copyOf(tests);
    }

    /**
     * Reads {@code file} alone. Without origins and routes it is valid, but only usable with {@code
     * --to}.
     *
     * @param warnings receives what does not make a configuration invalid
     * @throws InvalidConfiguration with all problems
     */
    public static CheckedFile of(Path file, Consumer<Problem> warnings)
            throws InvalidConfiguration {
        return ConfigurationReader.checked(file, System::getenv, warnings);
    }
}
