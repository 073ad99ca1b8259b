package dev.quire.bench.peers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A script that starts a server to be measured, in the foreground:
 *
 * <pre>SCRIPT ORIGIN_PORT LISTEN_PORT FOLDER TLS_PORT</pre>
 *
 * <p>The server listens on 127.0.0.1:LISTEN_PORT, uses the origin 127.0.0.1:ORIGIN_PORT, writes its
 * files to FOLDER and exits on SIGTERM. Comments in the first lines of the script are its
 * properties: {@code # title: NAME}, {@code # needs: COMMAND}, {@code # package: NAME}, {@code #
 * version: COMMAND LINE}, {@code # dialect: esi|ssi|none}, {@code # workloads: NAME...} (default
 * all), {@code # tls: COMMAND}, the command without which it does not listen on TLS_PORT with the
 * certificate {@code $QUIRE_BENCH_CERTIFICATE} and its key {@code $QUIRE_BENCH_KEY}.
 *
 * @param name file name without {@code .sh}
 * @param title for reports
 * @param needs the command that must be installed
 * @param packaged the Debian package to install
 * @param version prints the version
 * @param workloads the supported workloads, or empty for all
 * @param tls the command that its TLS listener needs; empty if it has none
 */
public record TargetScript(
        String name,
        Path file,
        String title,
        Optional<String> needs,
        Optional<String> packaged,
        Optional<String> version,
        Dialect dialect,
        Optional<List<String>> workloads,
        Optional<String> tls) {
    private static final Pattern FIELD =
            Pattern.compile(
                    "^# (title|needs|package|version|dialect|workloads|tls): +(\\S.*)$",
                    Pattern.MULTILINE);

    /**
     * Returns all scripts of a folder by name: files that end with {@code .sh} and do not begin
     * with a dot.
     */
    static TreeMap<String, TargetScript> in(Path folder) throws IOException {
        var scripts = new TreeMap<String, TargetScript>();
        try (var files = Files.newDirectoryStream(folder, "[!.]*.sh")) {
            for (var file : files) {
                var name = file.getFileName().toString().replaceFirst("\\.sh$", "");
                scripts.put(name, parse(name, file, Files.readString(file)));
            }
        }
        return scripts;
    }

    public static TargetScript parse(String name, Path file, String text) {
        var fields = new TreeMap<String, String>();
        FIELD.matcher(text)
                .results()
                .forEach(found -> fields.put(found.group(1), found.group(2).strip()));
        var dialect = fields.getOrDefault("dialect", "none");
        return new TargetScript(
                name,
                file,
                fields.getOrDefault("title", name),
                Optional.ofNullable(fields.get("needs")),
                Optional.ofNullable(fields.get("package")),
                Optional.ofNullable(fields.get("version")),
                Arrays.stream(Dialect.values())
                        .filter(one -> one.word().equals(dialect))
                        .findFirst()
                        .orElseThrow(() ->
                                new IllegalArgumentException(
                                        file
                                                + ": dialect '"
                                                + dialect
                                                + "' (expected esi, ssi or none)")),
                Optional.ofNullable(fields.get("workloads"))
                        .map(names -> List.of(names.split("\\s+"))),
                Optional.ofNullable(fields.get("tls")));
    }

    boolean does(Workload workload) {
        return workload.isFor(dialect)
                && (!workload.load().isSecure() || hasTls())
                && workloads.map(names -> names.contains(workload.name())).orElse(true);
    }

    boolean hasTls() {
        return tls.map(command -> find(command).isPresent()).orElse(false);
    }

    public boolean isInstalled() {
        return needs.map(command -> find(command).isPresent()).orElse(true);
    }

    /** Returns the executable {@code command} on PATH or in the folders of servers. */
    public static Optional<Path> find(String command) {
        var path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/usr/local/sbin:/sbin";
        return Arrays.stream(path.split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, command))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
