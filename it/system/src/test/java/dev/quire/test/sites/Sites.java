package dev.quire.test.sites;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;

/** The command that prints the tables of sites. */
public final class Sites {
    private Sites() {}

    /**
     * Runs all rows and exits with 0 if Quire holds all, 1 if not, 2 if they cannot be run.
     *
     * @param arguments {@code NAME=PATH} for node, nginx, tomcat, resources and, optionally,
     *     varnish, chromium, all {@link Tools.Packages} and screenshots; {@code short} for short
     *     pauses and files
     */
    public static void main(String[] arguments) throws IOException {
        var paths = new HashMap<String, Path>();
        var scale = Scale.FULL;
        for (var argument : arguments) {
            int equals = argument.indexOf('=');
            if (equals > 0) {
                paths.put(argument.substring(0, equals), Path.of(argument.substring(equals + 1)));
            } else if (argument.equals("short")) {
                scale = Scale.SHORT;
            } else {
                throw new IllegalArgumentException("unknown argument " + argument);
            }
        }
        var missing = Tools.missing(paths);
        if (!missing.isEmpty()) {
            System.err.println("sites: no path given or nothing there: " + missing);
            System.exit(2);
        }
        var kinds = EnumSet.allOf(Column.Kind.class);
        if (!paths.containsKey("varnish")) {
            kinds.remove(Column.Kind.VARNISH);
        }
        var run = Run.of(Tools.of(paths), scale, kinds);
        System.out.print(run.tables(kinds));
        var failures = run.failures();
        failures.forEach(System.out::println);
        System.out.println(
                "%nquire: %d of %d rows fail".formatted(failures.size(), run.cells().size()));
        System.exit(failures.isEmpty() ? 0 : 1);
    }
}
