package dev.quire.bench.disk;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.MeasuredLimits;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.Root;
import dev.quire.bench.kill.KilledProxy;
import dev.quire.bench.kill.KilledProxy.Launch;
import dev.quire.bench.kill.StampedOrigin;
import dev.quire.bench.kill.StampedOrigin.Resource;
import dev.quire.bench.kill.Visitors;
import dev.quire.bench.kill.Visitors.Visit;
import dev.quire.bench.kill.WrittenBytes;
import dev.quire.bench.replay.Site;
import dev.quire.bench.replay.Site.Lengths;
import java.io.IOException;
import java.time.Duration;
import java.util.SplittableRandom;
import org.apache.commons.cli.Options;

/**
 * {@code bin/bench writes}: bytes that a proxy without memory for responses writes to a disk of 40
 * % of a site, for each byte of the responses: while there is room, and while older files are
 * deleted and their requested responses written again.
 */
public final class DiskWrites {
    private static final String HOST = "news.example";
    private static final double SKEW = 0.9;
    private static final long SEED = 18;
    private static final int SITE_BYTES = 320 << 20;
    private static final int SHARE_PERCENT = 40;

    /** Requests in a part for each URL of the site. */
    private static final int PART = 5;

    private static final int CONNECTIONS = 8;

    /** Until what waits is written. */
    private static final Duration SETTLING = Duration.ofSeconds(1);

    private final int urls;
    private final Site site;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final KilledProxy proxy;
    private final StampedOrigin origin;
    private final MeasuredLimits limits = new MeasuredLimits();

    private DiskWrites(int urls, int bytes, KilledProxy proxy, StampedOrigin origin) {
        this.urls = urls;
        this.site = new Site(urls, SKEW, new Lengths(bytes, 0, bytes), SEED);
        this.proxy = proxy;
        this.origin = origin;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Arguments.run(
                "bin/bench writes",
                "Compares the bytes that a proxy writes to its disk with those of the responses"
                        + " that it stores there. Exit status 1 if a limit does not hold.",
                options(),
                arguments,
                DiskWrites::run);
    }

    private static Options options() {
        return new Options()
                .addOption(Arguments.taking("size", "BYTES", "Length of a body (default 16384)."))
                .addOption(Arguments.takingDirectory());
    }

    private static int run(Arguments arguments)
            throws CannotMeasure, IOException, InterruptedException {
        int bytes = arguments.number("size", 16 << 10, 1 << 10, 1 << 20);
        try (var folder = OwnedFolder.in(arguments.directory());
                var origin = StampedOrigin.start(url -> new Resource(bytes, "all"))) {
            var yaml =
                    """
                    cache: { memory: 0 }
                    disk: { path: "%s", size: %dMiB, write-limit: 1GiB/s }
                    """
                            .formatted(
                                    folder.path().resolve("disk"),
                                    (SITE_BYTES >> 20) * SHARE_PERCENT / 100);
            var launch = Launch.script(Root.folder());
            try (var proxy = KilledProxy.of(launch, folder.path(), origin.port(), yaml)) {
                proxy.start();
                var writes = new DiskWrites(SITE_BYTES / bytes, bytes, proxy, origin);
                // Has fewer bytes than the disk.
                writes.measure("with room", writes.urls / 2);
                writes.ask(PART * writes.urls);
                writes.measure("evicting", PART * writes.urls);
                return writes.limits.ended();
            }
        }
    }

    private void measure(String what, int requests)
            throws CannotMeasure, IOException, InterruptedException {
        var before = WrittenBytes.of(proxy, origin);
        var visit = ask(requests);
        var ratio = WrittenBytes.of(proxy, origin).ratioSince(before);
        if (ratio.isEmpty()) {
            throw new CannotMeasure("bytes that are written are " + WrittenBytes.text(ratio));
        }
        limits.check(
                WrittenBytes.isWithinLimit(ratio),
                "%-10s %,9d requests, %5.1f %% hits, written %s"
                        .formatted(
                                what,
                                requests,
                                100.0 * visit.hits() / requests,
                                WrittenBytes.text(ratio)));
    }

    /** Makes requests, and waits until the responses are written. */
    private Visit ask(int requests) throws CannotMeasure, IOException, InterruptedException {
        var asked = new int[requests];
        for (int i = 0; i < requests; i++) {
            asked[i] = site.next(random);
        }
        var visit =
                new Visitors(CONNECTIONS)
                        .visit(
                                proxy.port(),
                                HOST,
                                requests,
                                number -> "/object/" + asked[number],
                                (url, version) -> true);
        if (visit.failed() + visit.wrong() > 0) {
            throw new CannotMeasure("requests failed: " + visit + ", " + proxy.output());
        }
        Thread.sleep(SETTLING);
        return visit;
    }
}
