package dev.quire.bench.replay;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.Root;
import dev.quire.bench.kill.StampedOrigin;
import dev.quire.bench.kill.StampedOrigin.Resource;
import dev.quire.bench.kill.Visitors;
import dev.quire.bench.peers.Grounds;
import dev.quire.bench.peers.Target;
import dev.quire.bench.peers.TargetScript;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The requests of a replay over the wire, through Quire and others with the same memory. Hits are
 * the requests that do not reach the origin.
 */
final class WireReplay {
    /** In {@code it/bench/targets}. The files of nginx are in a file system in memory. */
    private static final List<String> SCRIPTS = List.of("quire", "varnish", "nginx-disk");

    /** By default it answers 503 if a response takes the room of more than 50 others. */
    private static final String VARNISH = "-p nuke_limit=100000";

    /** The Host that nginx sends. */
    private static final String HOST = "site";

    private static final int MOST_REQUESTS = 100_000_000;

    /** Requests of which the order may change: as many as until popularity drifts. */
    private static final int AT_A_TIME = 10_000;

    private static final int CONNECTIONS = 8;

    private final Workload workload;
    private final Site site;
    private final int[] asked;

    /**
     * Shares of the requests, in percent.
     *
     * @param fileBytes most bytes of its files between two parts of the requests
     */
    private record Rates(double ofAll, double late, long fileBytes) {
        @Override
        public String toString() {
            var files = fileBytes == 0 ? "" : ", files of up to %,d MiB".formatted(fileBytes >> 20);
            return "%.2f %%, second half %.2f %%%s".formatted(ofAll, late, files);
        }
    }

    WireReplay(Workload workload) throws CannotMeasure {
        if (workload.requests() > MOST_REQUESTS) {
            throw new CannotMeasure("--requests: expected %,d at most".formatted(MOST_REQUESTS));
        }
        this.workload = workload;
        this.site = workload.site();
        this.asked = new int[(int) workload.requests()];
        var sequence = workload.sequence(site);
        for (int i = 0; i < asked.length; i++) {
            asked[i] = sequence.next();
        }
    }

    /** Prints the hit rates of all servers. */
    void run() throws CannotMeasure, IOException, InterruptedException {
        System.out.printf(
                "%,d requests for %,d URLs, %,d MiB of memory%n",
                asked.length, workload.urls(), workload.memoryMib());
        var root = Root.folder();
        try (var grounds = Grounds.open(root);
                var origin = StampedOrigin.start(this::resource)) {
            for (var name : SCRIPTS) {
                var script = script(root, name);
                try (var target = start(grounds, script, origin)) {
                    var rates = rates(target, grounds.folder().resolve(name), origin);
                    System.out.printf("%-26s%s%n", script.title(), rates);
                }
            }
        }
    }

    private Resource resource(String url) {
        int number = Integer.parseInt(url.substring(url.lastIndexOf('/') + 1));
        return new Resource(site.length(number), "all");
    }

    private static TargetScript script(Path root, String name) throws CannotMeasure, IOException {
        var file = root.resolve("it/bench/targets").resolve(name + ".sh");
        var script = TargetScript.parse(name, file, Files.readString(file));
        if (!script.isInstalled()) {
            throw new CannotMeasure(
                    "%s is not installed (expected the Debian package %s)"
                            .formatted(script.title(), script.packaged().orElse(name)));
        }
        return script;
    }

    private Target start(Grounds grounds, TargetScript script, StampedOrigin origin)
            throws CannotMeasure, IOException, InterruptedException {
        var variables =
                Map.of(
                        "QUIRE_BENCH_MIB",
                        Long.toString(workload.memoryMib()),
                        "QUIRE_BENCH_DISK",
                        grounds.folder().toString(),
                        "QUIRE_BENCH_VARNISH",
                        VARNISH);
        return grounds.start(script, "replay-" + script.name(), origin.port(), variables);
    }

    /**
     * @param files its cache, if that has files
     */
    private Rates rates(Target target, Path files, StampedOrigin origin)
            throws CannotMeasure, IOException, InterruptedException {
        long begun = origin.requests();
        int middle = asked.length / 2;
        long early = ask(target, files, 0, middle);
        long half = origin.requests();
        long late = ask(target, files, middle, asked.length);
        long ended = origin.requests();
        return new Rates(
                hits(ended - begun, asked.length),
                hits(ended - half, asked.length - middle),
                Math.max(early, late));
    }

    private static double hits(long misses, long requests) {
        return 100 - 100.0 * misses / requests;
    }

    /** Returns the most bytes of {@code files}. */
    private long ask(Target target, Path files, int from, int to)
            throws CannotMeasure, IOException, InterruptedException {
        long most = 0;
        for (int first = from; first < to; first += AT_A_TIME) {
            askSome(target, first, Math.min(AT_A_TIME, to - first));
            most = Math.max(most, OwnedFolder.fileBytes(files));
        }
        return most;
    }

    private void askSome(Target target, int first, int count)
            throws CannotMeasure, IOException, InterruptedException {
        var visit =
                new Visitors(CONNECTIONS)
                        .visit(
                                target.port(),
                                HOST,
                                count,
                                number -> "/object/" + asked[first + number],
                                (url, version) -> true);
        if (visit.failed() + visit.wrong() > 0) {
            throw new CannotMeasure(
                    "%s: %s, %s"
                            .formatted(target.script().title(), visit, target.running().output()));
        }
    }
}
