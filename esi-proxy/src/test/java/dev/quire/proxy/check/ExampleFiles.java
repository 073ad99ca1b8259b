package dev.quire.proxy.check;

import dev.quire.core.rule.Rules;
import dev.quire.proxy.config.Configuration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The files of docs/examples. */
public final class ExampleFiles {
    private ExampleFiles() {}

    /** Returns the configurations in {@code directory}, sorted by name. */
    public static List<Path> in(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".yml")).sorted().toList();
        }
    }

    /** Returns {@code given} without rules: tests of an example must fail then. */
    public static Configuration withoutRules(Configuration given) {
        return new Configuration(
                given.listen(),
                given.tls(),
                given.admin(),
                given.trust(),
                given.origins(),
                given.routes(),
                given.cache(),
                given.disk(),
                given.shared(),
                given.fleet(),
                given.esi(),
                given.variants(),
                given.log(),
                given.deliver(),
                given.drain(),
                given.limits(),
                given.invalidation(),
                given.errorPages(),
                Rules.NONE);
    }
}
