package dev.quire.test.sites;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The programs of other projects.
 *
 * @param tomcat its folder, with the examples
 * @param varnish null without that column
 * @param chromium null without a browser
 * @param packages null without Django and WordPress
 * @param screenshots where pictures of the browser's pages are written; null for none
 * @param resources the applications that belong to these rows
 */
record Tools(
        Path node,
        Path nginx,
        Path tomcat,
        Path resources,
        @Nullable Path varnish,
        @Nullable Path chromium,
        @Nullable Packages packages,
        @Nullable Path screenshots) {

    /**
     * Debian packages of applications.
     *
     * @param php PHP-FPM
     * @param mariadbInstall the program that creates a data directory
     * @param wordpress its folder
     * @param python with Django and Gunicorn
     */
    record Packages(Path php, Path mariadb, Path mariadbInstall, Path wordpress, Path python) {
        private static final List<String> NAMES =
                List.of("php-fpm", "mariadb", "mariadb-install", "wordpress", "python");

        private static @Nullable Packages of(Map<String, Path> paths) {
            if (NAMES.stream().noneMatch(paths::containsKey)) {
                return null;
            }
            var found = NAMES.stream().map(name -> path(paths, name)).toList();
            return new Packages(
                    found.get(0), found.get(1), found.get(2), found.get(3), found.get(4));
        }
    }

    private static final List<String> REQUIRED = List.of("node", "nginx", "tomcat", "resources");

    /** Returns the names in {@link #REQUIRED} that {@code paths} lacks, and missing modules. */
    static List<String> missing(Map<String, Path> paths) throws IOException {
        var missing = new ArrayList<String>();
        for (var name : REQUIRED) {
            var path = paths.get(name);
            if (path == null || !Files.exists(path)) {
                missing.add(name);
            } else if (name.equals("node") && !hasModules(path)) {
                missing.add("the modules express and ws");
            }
        }
        return missing;
    }

    private static boolean hasModules(Path node) throws IOException {
        try {
            return node(node, "-e", "require('express'); require('ws')")
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Runs {@code program} so that it also finds the modules in Debian's packages. */
    static ProcessBuilder node(Path program, String... arguments) {
        var command = new ArrayList<String>();
        command.add(program.toString());
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command);
        builder.environment()
                .merge("NODE_PATH", "/usr/share/nodejs", (own, debian) -> own + ":" + debian);
        return builder;
    }

    /** The tools at {@code paths}, none of which is {@link #missing}. */
    static Tools of(Map<String, Path> paths) {
        return new Tools(
                path(paths, "node"),
                path(paths, "nginx"),
                path(paths, "tomcat"),
                path(paths, "resources").toAbsolutePath(),
                paths.get("varnish"),
                paths.get("chromium"),
                Packages.of(paths),
                paths.get("screenshots"));
    }

    private static Path path(Map<String, Path> paths, String name) {
        return Objects.requireNonNull(paths.get(name), name);
    }
}
