package dev.quire.bench.studies;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.Root;
import dev.quire.bench.peers.Grounds;
import dev.quire.bench.peers.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;

/**
 * {@code bin/bench studies}. The exit status is 0, 1 if a response or a count was wrong, or 2 for
 * errors the user can fix. A figure that misses its bound is reported, it does not fail the run.
 */
final class Studies {
    private static final int ROUNDS = 5;
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);
    private static final List<Study> ALL =
            List.of(
                    new Images(),
                    new DjangoSite(),
                    new ObjectCacheStudy(),
                    new Election(),
                    new BlogStudy());

    private Studies() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Locale.setDefault(Locale.ROOT);
        int status;
        try {
            status = run(List.of(arguments));
        } catch (CannotMeasure e) {
            status = e.report("bin/bench studies");
        }
        System.exit(status);
    }

    /** The titles of all chapters, in the order of the document. */
    static List<String> titles() {
        return ALL.stream().map(Study::title).toList();
    }

    private static Map<String, Study> byName() {
        var studies = new LinkedHashMap<String, Study>();
        ALL.forEach(study -> studies.put(study.name(), study));
        return studies;
    }

    private static int run(List<String> words)
            throws CannotMeasure, IOException, InterruptedException {
        var options =
                new Options()
                        .addOption(
                                Option.builder()
                                        .longOpt("short")
                                        .desc("Small counts and one round: checks responses only.")
                                        .get())
                        .addOption(
                                Arguments.taking(
                                        "rounds",
                                        "N",
                                        "Rounds for each arm (default " + ROUNDS + ")."));
        var read =
                Arguments.readWithOperands(
                        "bin/bench studies",
                        "CASE",
                        "Replays published cases ("
                                + String.join(", ", byName().keySet())
                                + "; default: all) and writes docs/case-studies.md with a picture"
                                + " for each; with --short to it/bench/target/report.",
                        options,
                        words);
        if (read.isEmpty()) {
            return 0;
        }
        var arguments = read.get();
        boolean isShort = arguments.has("short");
        var extent =
                new Stage.Extent(isShort, arguments.number("rounds", isShort ? 1 : ROUNDS, 1, 100));
        boolean isSound = true;
        for (var study : Arguments.chosen("CASE", arguments.operands(), byName())) {
            isSound &= run(study, extent, words);
        }
        return isSound ? 0 : 1;
    }

    private static boolean run(Study study, Stage.Extent extent, List<String> words)
            throws CannotMeasure, IOException, InterruptedException {
        var root = Root.folder();
        var report = Files.createDirectories(root.resolve("it/bench/target/report"));
        System.err.println(study.name() + " ...");
        long begin = System.nanoTime();
        var date = DATE.format(Instant.now());
        Findings findings;
        Map<String, String> versions;
        try (var grounds = Grounds.open(root)) {
            var stage = new Stage(root, grounds, extent, System.err);
            findings = study.run(stage);
            versions = stage.versions();
        }
        boolean isPublished = !extent.isShort() && findings.isSound();
        var document =
                new Document(
                        root.resolve("it/bench/studies"),
                        (isPublished ? root.resolve("docs") : report).resolve("case-studies.md"),
                        isPublished ? root.resolve("docs/images") : report);
        var made =
                new Document.Made(
                        System.getProperty("quire.revision", "unknown"),
                        date,
                        Math.ceilDiv((System.nanoTime() - begin) / 1_000_000_000, 60),
                        ("bin/bench studies " + String.join(" ", words)).strip(),
                        study.rounds(extent.rounds()),
                        Machine.here(),
                        limits(),
                        versions);
        Path json = report.resolve("study-" + study.name() + ".json");
        document.write(study, findings, made, json);
        if (!extent.isShort()) {
            System.out.println(Tables.claims(findings.claims()));
        }
        System.err.printf(
                "%s: %d s; %s and %s written%n",
                study.name(), (System.nanoTime() - begin) / 1_000_000_000, document.file(), json);
        findings.faults().forEach(fault -> System.err.println("WRONG: " + fault));
        return findings.isSound();
    }

    private static String limits() throws IOException {
        var files =
                Files.readString(Path.of("/proc/self/limits"))
                        .lines()
                        .filter(line -> line.startsWith("Max open files"))
                        .map(line -> line.split("\\s{2,}", -1)[1])
                        .findFirst()
                        .orElse("unknown");
        // In one read: the kernel does not continue such a file.
        var queue = Files.readAllLines(Path.of("/proc/sys/net/core/somaxconn")).getFirst();
        return "ulimit -n %s, net.core.somaxconn %s".formatted(files, queue);
    }
}
