package dev.quire.test.sites;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;

/** Folders with all that is in them. */
final class Tree {
    private Tree() {}

    /** Copies what is in {@code from}, links as what they refer to, into the folder {@code to}. */
    static void copy(Path from, Path to) throws IOException {
        try (var files = Files.walk(from, FileVisitOption.FOLLOW_LINKS)) {
            for (var file : files.toList()) {
                var copy = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else if (Files.isReadable(file)) {
                    Files.copy(file, copy);
                }
            }
        }
    }
}
