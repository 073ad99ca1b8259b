package dev.quire.bench.peers;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.Running;
import dev.quire.bench.peers.Workload.Load;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs wrk, ab and h2load, one at a time.
 *
 * @param scripts the folder of wrk's scripts
 * @param wrk the program
 * @param ab the program
 * @param output file for their output
 */
public record LoadGenerators(Path scripts, Path wrk, Path ab, Path output) {
    /** More requests than ab can send: the time limit ends it. */
    private static final int MORE_THAN_ENOUGH = 10_000_000;

    private static final int STREAMS = 10;

    /** From this number of clients on, one thread of wrk cannot saturate a fast target. */
    private static final int CLIENTS_OF_A_THREAD = 128;

    private static final Duration BESIDE = Duration.ofSeconds(1);

    /** The longest that a request, and all requests of one run of ab, may take. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Finds both programs on PATH. */
    static LoadGenerators find(Path scripts, Path output) throws CannotMeasure {
        return new LoadGenerators(scripts, need("wrk", "wrk"), need("ab", "apache2-utils"), output);
    }

    private static Path need(String command, String packaged) throws CannotMeasure {
        return TargetScript.find(command)
                .orElseThrow(() ->
                        new CannotMeasure(
                                command
                                        + " is not installed (on Debian: apt-get install "
                                        + packaged
                                        + ")"));
    }

    /**
     * Runs {@code workload} against {@code target}.
     *
     * @param duration in whole seconds
     */
    Outcome run(Workload workload, Target target, int connections, Duration duration)
            throws CannotMeasure, IOException, InterruptedException {
        var url = target.base(workload);
        var path = workload.path(target.dialect());
        return switch (workload.load()) {
            case MANY ->
                    Outcome.ofWrk(
                            run(
                                    many(
                                            workload,
                                            connections,
                                            duration,
                                            url + path,
                                            Workload.MANY),
                                    duration));
            case BESIDE -> beside(workload, connections, duration, url);
            case SAME, SECURE, HANDSHAKES ->
                    Outcome.ofWrk(
                            run(
                                    wrk(
                                            workload,
                                            connections,
                                            duration,
                                            "figures.lua",
                                            List.of(url + path)),
                                    duration));
            case NEWS ->
                    Outcome.ofWrk(
                            run(
                                    wrk(
                                            workload,
                                            connections,
                                            duration,
                                            "readers.lua",
                                            List.of(url + "/", "--", path)),
                                    duration));
            case STREAMS ->
                    Outcome.ofH2load(
                            run(
                                    List.of(
                                            need("h2load", "nghttp2-client").toString(),
                                            "-c",
                                            Integer.toString(connections),
                                            "-m",
                                            Integer.toString(STREAMS),
                                            "-t",
                                            Integer.toString(threads(workload, connections)),
                                            "-D",
                                            Long.toString(duration.toSeconds()),
                                            url + path),
                                    duration),
                            duration);
            case CLOSING ->
                    Outcome.ofAb(
                            run(
                                    List.of(
                                            ab.toString(),
                                            "-q",
                                            "-r",
                                            "-s",
                                            "10",
                                            // -t sets -n to 50000, so -n must come after it.
                                            "-t",
                                            Long.toString(duration.toSeconds()),
                                            "-n",
                                            Integer.toString(MORE_THAN_ENOUGH),
                                            "-c",
                                            Integer.toString(connections),
                                            url + path),
                                    duration));
        };
    }

    /** Runs ab: {@code requests} requests of {@code url}, a connection for each. */
    public Outcome closing(String url, int requests, int clients)
            throws CannotMeasure, IOException, InterruptedException {
        var command =
                List.of(
                        ab.toString(),
                        "-q",
                        "-r",
                        "-s",
                        Long.toString(LONGEST.toSeconds()),
                        "-n",
                        Integer.toString(requests),
                        "-c",
                        Integer.toString(clients),
                        url);
        return Outcome.ofAb(run(command, LONGEST));
    }

    /** Runs wrk on persistent connections. */
    public Outcome persistent(String url, int threads, int connections, Duration duration)
            throws CannotMeasure, IOException, InterruptedException {
        return wrk(threads, connections, duration, List.of("figures.lua", url));
    }

    /** Runs wrk on the URLs {@code url/0} to {@code url/COUNT}, a connection for each request. */
    public Outcome closingMany(String url, int count, int connections, Duration duration)
            throws CannotMeasure, IOException, InterruptedException {
        return many(url, count, 1, connections, duration, List.of("-H", "Connection: close"), "/");
    }

    /** Runs wrk on the URLs {@code url/0} to {@code url/COUNT}, on persistent connections. */
    public Outcome persistentPaths(String url, int count, int connections, Duration duration)
            throws CannotMeasure, IOException, InterruptedException {
        return many(url, count, 1, connections, duration, List.of(), "/");
    }

    /** Runs wrk on the URLs {@code url?k=0} to {@code url?k=COUNT}, on persistent connections. */
    public Outcome persistentMany(
            String url, int count, int threads, int connections, Duration duration)
            throws CannotMeasure, IOException, InterruptedException {
        return many(url, count, threads, connections, duration, List.of(), "?k=");
    }

    /**
     * Runs wrk on the mix of pages in {@code file}, as {@code it/bench/load/mix.lua} reads it, on
     * persistent connections.
     *
     * @param url of the root
     */
    public Outcome mix(String url, Path file, int connections, Duration duration)
            throws CannotMeasure, IOException, InterruptedException {
        return wrk(
                threads(connections),
                connections,
                duration,
                List.of("mix.lua", url, "--", file.toString()));
    }

    private Outcome many(
            String url,
            int count,
            int threads,
            int connections,
            Duration duration,
            List<String> options,
            String separator)
            throws CannotMeasure, IOException, InterruptedException {
        int slash = url.indexOf('/', "https://".length());
        var rest = new ArrayList<>(List.of("many.lua"));
        rest.addAll(options);
        rest.addAll(
                List.of(
                        url.substring(0, slash + 1),
                        "--",
                        url.substring(slash),
                        Integer.toString(count),
                        separator));
        return wrk(threads, connections, duration, rest);
    }

    private Outcome wrk(int threads, int connections, Duration duration, List<String> rest)
            throws CannotMeasure, IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.addAll(List.of(wrk.toString(), "-t" + threads, "-c" + connections));
        command.addAll(List.of("-d" + duration.toSeconds() + "s", "--timeout", "30s", "-s"));
        command.add(scripts.resolve(rest.getFirst()).toString());
        command.addAll(rest.subList(1, rest.size()));
        return Outcome.ofWrk(run(command, duration));
    }

    /** Returns the number of threads of the load generator. */
    static int threads(Workload workload, int connections) {
        return switch (workload.load()) {
            // One of each wrk.
            case BESIDE -> 2;
            case SAME, NEWS, MANY, SECURE, HANDSHAKES, STREAMS -> threads(connections);
            case CLOSING -> 1;
        };
    }

    /** Returns the number of threads of wrk. */
    public static int threads(int connections) {
        return connections < CLIENTS_OF_A_THREAD ? 1 : 2;
    }

    /** Runs {@code workload} while a second wrk requests many objects. */
    private Outcome beside(Workload workload, int connections, Duration duration, String url)
            throws CannotMeasure, IOException, InterruptedException {
        // It begins before the measured one and ends after it.
        var longer = duration.plus(BESIDE).plus(BESIDE);
        try (var other =
                Running.start(
                        many(
                                workload,
                                connections,
                                longer,
                                url + Workload.BULK_PATH,
                                Workload.BULK),
                        Map.of(),
                        output.resolveSibling("beside.out"))) {
            Thread.sleep(BESIDE.toMillis());
            var outcome =
                    Outcome.ofWrk(
                            run(
                                    wrk(
                                            workload,
                                            connections,
                                            duration,
                                            "figures.lua",
                                            List.of(url + workload.path(Dialect.NONE))),
                                    duration));
            if (!other.awaitEnd(PATIENCE)) {
                throw new CannotMeasure("wrk did not end: " + other.output());
            }
            var bulk = Outcome.ofWrk(other.output());
            return bulk.errors() == 0 && bulk.requests() > 0
                    ? outcome
                    : outcome.withErrors(outcome.errors() + Math.max(1, bulk.errors()));
        }
    }

    private List<String> many(
            Workload workload, int connections, Duration duration, String url, int count) {
        int slash = url.indexOf('/', "https://".length());
        return wrk(
                workload,
                connections,
                duration,
                "many.lua",
                List.of(
                        url.substring(0, slash + 1),
                        "--",
                        url.substring(slash),
                        Integer.toString(count)));
    }

    private List<String> wrk(
            Workload workload,
            int connections,
            Duration duration,
            String script,
            List<String> rest) {
        var command = new ArrayList<String>();
        command.add(wrk.toString());
        // The two of BESIDE have few clients each.
        command.add("-t" + (workload.load() == Load.BESIDE ? 1 : threads(workload, connections)));
        command.add("-c" + connections);
        command.add("-d" + duration.toSeconds() + "s");
        command.addAll(List.of("--timeout", "10s", "-s", scripts.resolve(script).toString()));
        workload.fields()
                .forEach((name, value) -> command.addAll(List.of("-H", name + ": " + value)));
        command.addAll(rest);
        return command;
    }

    private String run(List<String> command, Duration duration)
            throws CannotMeasure, IOException, InterruptedException {
        var running = Running.start(command, Map.of(), output);
        if (!running.awaitEnd(duration.plus(PATIENCE))) {
            throw new CannotMeasure(
                    command.getFirst() + " did not end: " + String.join(" ", command));
        }
        if (running.exitCode() != 0) {
            throw new CannotMeasure(
                    command.getFirst()
                            + " ended with "
                            + running.exitCode()
                            + ": "
                            + running.output());
        }
        return Files.readString(output);
    }
}
