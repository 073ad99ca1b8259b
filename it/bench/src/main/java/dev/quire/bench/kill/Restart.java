package dev.quire.bench.kill;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.Root;
import dev.quire.bench.kill.KilledProxy.Launch;
import dev.quire.bench.kill.Visitors.Visit;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.commons.cli.Options;

/**
 * {@code bin/bench restart}: kills a proxy with a disk tier, starts it again, and measures when it
 * is ready and what it still has.
 */
public final class Restart {
    private static final String HOST = "news.example";

    /** Frame, header and meta part of a record, and what segments waste; generous. */
    private static final int OVERHEAD_BYTES = 1024;

    private static final long LEAST_SIZE_MIB = 256;
    private static final int SMALL = 100_000;
    private static final int MOST_FIRST = 100;
    private static final double READY_SMALL = 1.5;
    private static final double READY_LARGE = 3;

    private final int objects;
    private final int bytes;
    private final Visitors visitors;
    private final Limits limits;

    /**
     * The figures that the proxy must reach.
     *
     * @param readySeconds from the start of the process
     * @param hitShare of all URLs, in percent, as the next one
     */
    record Limits(double readySeconds, double hitShare, double originShare) {

        /** Whether all figures are within the limits, and no body is wrong. */
        boolean hold(Duration ready, Visit visit, long originRequests, int objects) {
            return seconds(ready) <= readySeconds
                    && percent(visit.hits(), objects) >= hitShare
                    && percent(originRequests, objects) <= originShare
                    && visit.wrong() == 0
                    && visit.failed() == 0;
        }
    }

    private Restart(int objects, int bytes, Visitors visitors, Limits limits) {
        this.objects = objects;
        this.bytes = bytes;
        this.visitors = visitors;
        this.limits = limits;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Arguments.run(
                "bin/bench restart",
                "Fills a proxy that has a disk tier, kills it with SIGKILL, starts it"
                        + " again and asks for everything once. Exit status 1 if a"
                        + " limit does not hold.",
                options(),
                arguments,
                Restart::run);
    }

    private static Options options() {
        return new Options()
                .addOption(Arguments.taking("objects", "N", "Number of URLs (default 100000)."))
                .addOption(Arguments.taking("size", "BYTES", "Length of a body (default 1024)."))
                .addOption(
                        Arguments.taking(
                                "seconds-before-kill",
                                "S",
                                "Time from the last response to the kill (default 5)."))
                .addOption(
                        Arguments.taking("connections", "N", "Connections of clients (default 8)."))
                .addOption(
                        Arguments.taking("memory", "MIB", "cache.memory, 0 for none (default 64)."))
                .addOption(Arguments.takingDirectory())
                .addOption(
                        Arguments.taking(
                                "limit-ready",
                                "SECONDS",
                                "Until /readyz is 200, from the start of the process (default 1.5"
                                        + " up to 100000 objects, else 3)."))
                .addOption(
                        Arguments.taking(
                                "limit-hits", "PERCENT", "At least so many hits (default 99)."))
                .addOption(
                        Arguments.taking(
                                "limit-origin",
                                "PERCENT",
                                "At most so many requests at the origin (default 1)."))
                .addOption(
                        null,
                        "without-disk",
                        false,
                        "Without a disk tier, to see that the limits do not hold then.");
    }

    private static int run(Arguments arguments)
            throws CannotMeasure, IOException, InterruptedException {
        int objects = arguments.number("objects", SMALL, 1, 10_000_000);
        int bytes = arguments.number("size", 1024, 1, 16 << 20);
        int memoryMib = arguments.number("memory", 64, 0, 1 << 16);
        var wait = Duration.ofSeconds(arguments.number("seconds-before-kill", 5, 0, 600));
        var limits =
                new Limits(
                        arguments.decimal(
                                "limit-ready",
                                objects <= SMALL ? READY_SMALL : READY_LARGE,
                                0,
                                600),
                        arguments.decimal("limit-hits", 99, 0, 100),
                        arguments.decimal("limit-origin", 1, 0, 100));
        try (var folder = OwnedFolder.in(arguments.directory());
                var origin = StampedOrigin.start(url -> new StampedOrigin.Resource(bytes, "all"))) {
            var configuration =
                    "cache: { memory: %s }\n".formatted(memoryMib == 0 ? "0" : memoryMib + "MiB")
                            + (arguments.has("without-disk")
                                    ? ""
                                    : disk(folder.path().resolve("disk"), objects, bytes));
            var launch = Launch.script(Root.folder());
            var visitors = new Visitors(arguments.number("connections", 8, 1, 256));
            var restart = new Restart(objects, bytes, visitors, limits);
            try (var proxy = KilledProxy.of(launch, folder.path(), origin.port(), configuration)) {
                return restart.measure(proxy, origin, wait);
            }
        }
    }

    /** The {@code disk} section: with room for everything, and no limit of writing in practice. */
    private static String disk(Path path, int objects, int bytes) {
        long needed = objects * ((long) bytes + OVERHEAD_BYTES) * 3 / 2;
        return "disk: { path: \"%s\", size: %dMiB, write-limit: 1GiB/s }\n"
                .formatted(path, Math.max(LEAST_SIZE_MIB, needed >> 20));
    }

    /** Asks for all URLs once; in an order of which neighbours were not stored together. */
    private Visit all(KilledProxy proxy) throws IOException, InterruptedException {
        return visitors.visit(proxy.port(), HOST, objects, Restart::target, (url, version) -> true);
    }

    private static String target(int number) {
        return "/article/" + number;
    }

    private int measure(KilledProxy proxy, StampedOrigin origin, Duration wait)
            throws CannotMeasure, IOException, InterruptedException {
        // A first start that is not measured, for the archive of classes that it may create.
        proxy.start();
        proxy.kill();
        var empty = proxy.start();
        long emptyBytes = proxy.residentBytes();
        System.out.printf("start, empty          %7.2f s%n", seconds(empty));

        var written = fill(proxy, origin, wait);
        proxy.kill();

        long before = origin.requests();
        var ready = proxy.start();
        long residentBytes = proxy.residentBytes();
        var hit = firstHit(proxy).map(after -> "%.2f s".formatted(seconds(ready.plus(after))));
        System.out.printf(
                "ready after the kill  %7.2f s, limit %.2f; first hit at %s%n",
                seconds(ready), limits.readySeconds(), hit.orElse("no time"));
        Tiers.index(proxy, objects, residentBytes - emptyBytes).forEach(System.out::println);

        long begin = System.nanoTime();
        var visit = all(proxy);
        long originRequests = origin.requests() - before;
        System.out.printf(
                "asked for all         %7.2f s%n"
                        + "hits                  %7.2f %%, limit %.2f%n"
                        + "origin requests       %7.2f %%, limit %.2f%n"
                        + "wrong bodies          %,7d, limit 0%n"
                        + "failed                %,7d, limit 0%n",
                (System.nanoTime() - begin) / 1e9,
                percent(visit.hits(), objects),
                limits.hitShare(),
                percent(originRequests, objects),
                limits.originShare(),
                visit.wrong(),
                visit.failed());
        boolean holds =
                limits.hold(ready, visit, originRequests, objects)
                        && WrittenBytes.isWithinLimit(written);
        System.out.println(holds ? "all limits hold" : "a limit does not hold");
        return holds ? 0 : 1;
    }

    /** Asks for all URLs, and waits; returns the ratio of what was written meanwhile. */
    private OptionalDouble fill(KilledProxy proxy, StampedOrigin origin, Duration wait)
            throws CannotMeasure, IOException, InterruptedException {
        var before = WrittenBytes.of(proxy, origin);
        long begin = System.nanoTime();
        var filled = all(proxy);
        System.out.printf(
                "filled                %7.2f s, %,d URLs of %,d bytes, %,d failed%n",
                (System.nanoTime() - begin) / 1e9, objects, bytes, filled.failed());
        if (filled.failed() + filled.wrong() > 0) {
            throw new CannotMeasure("not all URLs could be requested: " + proxy.output());
        }
        Thread.sleep(wait.toMillis());
        var ratio = WrittenBytes.of(proxy, origin).ratioSince(before);
        System.out.println("written to files         " + WrittenBytes.text(ratio));
        return ratio;
    }

    /**
     * Asks for one URL after the other until a response is a hit; returns the time until then, or
     * empty if none of some URLs is one.
     */
    private Optional<Duration> firstHit(KilledProxy proxy) throws IOException {
        long begin = System.nanoTime();
        try (var client = new Client(proxy.port())) {
            for (int i = 0; i < Math.min(objects, MOST_FIRST); i++) {
                if (client.get(HOST, target(i)).isHit()) {
                    return Optional.of(Duration.ofNanos(System.nanoTime() - begin));
                }
            }
        }
        return Optional.empty();
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    private static double percent(long part, long all) {
        return 100.0 * part / all;
    }
}
