package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A local Maven repository with artefacts of this build, laid out as by {@code mvn install}, and
 * links to those of the user's repository, which is not modified. Projects are built against it by
 * Maven.
 */
final class OwnRepository {
    /** The root folder of the project. */
    static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");
    private static final Pattern BOOT = Pattern.compile("<spring-boot.version>([^<]+)<");

    /** For short-lived JVMs: optimised compilation does not pay off. */
    private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    /** The path of our group in a repository. */
    private static final Path OURS = Path.of("dev", "quire");

    private final Path folder;

    private OwnRepository(Path folder) {
        this.folder = folder;
    }

    /** Creates a repository with only the parent pom of our artefacts. */
    static OwnRepository at(Path folder) throws IOException {
        linkAll(Path.of(System.getProperty("quire.test.repository")), folder, OURS);
        var repository = new OwnRepository(folder);
        repository.install("quire", ROOT.resolve("pom.xml"), null);
        return repository;
    }

    /** Adds the jar of {@code module} that contains {@code type}. */
    OwnRepository with(String artifact, String module, Class<?> type)
            throws IOException, URISyntaxException {
        install(artifact, ROOT.resolve(module).resolve("pom.xml"), jarOf(type));
        return this;
    }

    /** Returns the version of our artefacts. */
    static String version() throws IOException {
        return first(VERSION);
    }

    /** Returns the version of Spring Boot they are built for. */
    static String boot() throws IOException {
        return first(BOOT);
    }

    /** Writes files of a project, by their paths. */
    static void write(Path project, Map<String, String> files) throws IOException {
        for (var file : files.entrySet()) {
            var path = project.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
    }

    /** The result of a Maven build. */
    record Build(int exit, String log) {

        /** Asserts success. */
        void succeeded() {
            assertThat(exit).as(log).isZero();
        }
    }

    /** Runs Maven in the folder of {@code project}. */
    Build maven(Path project, String... what) throws IOException, InterruptedException {
        var log = project.resolve("build.log");
        var command =
                new ArrayList<>(
                        List.of(
                                System.getProperty("quire.test.maven") + "/bin/mvn",
                                "-B",
                                "-ntp",
                                "-q",
                                "-Dmaven.repo.local=" + folder));
        command.addAll(List.of(what));
        var builder = new ProcessBuilder(command);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("MAVEN_OPTS", SHORT_LIVED);
        builder.directory(project.toFile()).redirectErrorStream(true).redirectOutput(log.toFile());
        var build = builder.start();
        try {
            assertThat(build.waitFor(240, TimeUnit.SECONDS)).as("Maven ended in time").isTrue();
            return new Build(build.exitValue(), Files.readString(log));
        } finally {
            build.descendants().forEach(ProcessHandle::destroy);
            build.destroy();
        }
    }

    /** Links the entries of {@code from} into {@code to}, except {@code without}. */
    private static void linkAll(Path from, Path to, Path without) throws IOException {
        Files.createDirectories(to);
        if (!Files.isDirectory(from)) {
            return;
        }
        try (Stream<Path> entries = Files.list(from)) {
            for (var entry : entries.toList()) {
                var name = entry.getFileName();
                if (!name.equals(without.getName(0))) {
                    Files.createSymbolicLink(to.resolve(name), entry);
                } else if (without.getNameCount() > 1) {
                    linkAll(entry, to.resolve(name), without.subpath(1, without.getNameCount()));
                }
            }
        }
    }

    private void install(String artifact, Path pom, @Nullable Path jar) throws IOException {
        var version = version();
        var place = folder.resolve(OURS).resolve(artifact).resolve(version);
        var name = artifact + "-" + version;
        Files.createDirectories(place);
        Files.copy(pom, place.resolve(name + ".pom"));
        if (jar != null) {
            Files.copy(jar, place.resolve(name + ".jar"));
        }
    }

    /** Returns the jar of this build that contains {@code type}. */
    private static Path jarOf(Class<?> type) throws URISyntaxException {
        var place = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        assertThat(place).as("packaged, as by mvn verify").isRegularFile();
        return place;
    }

    /** Returns the first match in the project's pom.xml. */
    private static String first(Pattern wanted) throws IOException {
        var found = wanted.matcher(Files.readString(ROOT.resolve("pom.xml")));
        assertThat(found.find()).as(wanted.pattern()).isTrue();
        return Objects.requireNonNull(found.group(1));
    }
}
