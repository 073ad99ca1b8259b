package dev.quire.bench.replay;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.MeasuredLimits;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.config.CacheConfig.Admission;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;

/**
 * Replays requests for a site that is much larger than the store, and reports hit rate and memory.
 */
final class Replay {
    private static final int MIB = 1 << 20;

    /** The default first. */
    private static final Map<String, Admission> ADMISSIONS = new LinkedHashMap<>();

    static {
        for (var admission : Admission.values()) {
            ADMISSIONS.put(admission.name().toLowerCase(Locale.ROOT), admission);
        }
    }

    private final Workload workload;
    private final Admission admission;

    private Replay(Arguments arguments) throws CannotMeasure {
        workload = Workload.of(arguments);
        admission =
                Arguments.chosen("--admission", arguments.words("admission"), ADMISSIONS)
                        .getFirst();
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Arguments.run(
                "bin/bench replay",
                "Measures hit rate and memory of a store that is far smaller than the site. With"
                        + " the default requests and memory the exit status is 1 if a limit does"
                        + " not hold.",
                options(),
                arguments,
                Replay::run);
    }

    private static Options options() {
        return new Options()
                .addOption(Arguments.taking("urls", "N", "Number of URLs (default 2000000)."))
                .addOption(
                        Arguments.taking("requests", "N", "Number of requests (default 10000000)."))
                .addOption(
                        Arguments.taking(
                                "memory",
                                "MIB",
                                "Size of the store in MiB (default 512, or 2048 with"
                                        + " --heavy-tail)."))
                .addOption(Arguments.taking("skew", "X", "Exponent of Zipf's law (default 0.9)."))
                .addOption(
                        Arguments.taking(
                                "median",
                                "BYTES",
                                "Median size of the bodies in bytes (default 4096)."))
                .addOption(
                        Option.builder()
                                .longOpt("heavy-tail")
                                .desc(
                                        "Bodies of up to 16 MiB with a sigma of 2, instead of 1 MiB"
                                                + " and 1.")
                                .get())
                .addOption(
                        Arguments.taking(
                                "drift",
                                "PERCENT",
                                "Share of the 1,000 most popular URLs that trade places with others"
                                        + " each 10,000 requests (default 0)."))
                .addOption(
                        Arguments.taking(
                                "admission",
                                "MODE",
                                "The responses that the full store admits: size or all (default size)."))
                .addOption(
                        null,
                        "peers",
                        false,
                        "The requests over the wire through Quire, Varnish and nginx with the same"
                                + " memory; by default 100000 URLs, 500000 requests and 25 MiB (102"
                                + " MiB with --heavy-tail).");
    }

    private static int run(Arguments arguments)
            throws CannotMeasure, IOException, InterruptedException {
        if (arguments.has("peers")) {
            if (arguments.value("admission").isPresent()) {
                throw new CannotMeasure("--admission is not possible with --peers");
            }
            new WireReplay(Workload.overTheWire(arguments)).run();
            return 0;
        }
        return new Replay(arguments).run();
    }

    private int run() throws IOException, InterruptedException {
        var site = workload.site();
        var body = new byte[site.longest()];
        var rate = measured(site, body);
        if (!workload.isUsual()) {
            say("limits", "none for this workload");
            return 0;
        }
        var allAdmitted = admission == Admission.ALL ? rate : ofAllAdmitted(site, body);
        var limits = new MeasuredLimits();
        RateLimits.check(workload.isHeavy(), rate, allAdmitted, limits);
        return limits.ended();
    }

    private HitRate measured(Site site, byte[] body) throws IOException, InterruptedException {
        long heapBefore = heapBytes();
        try (var run = new StoreRun(workload, site, body, admission)) {
            long began = System.nanoTime();
            var rate = run.run();
            var took = Duration.ofNanos(System.nanoTime() - began);
            report(site, run.store(), rate, took, heapBefore);
            return rate;
        }
    }

    private HitRate ofAllAdmitted(Site site, byte[] body) throws InterruptedException {
        try (var run = new StoreRun(workload, site, body, Admission.ALL)) {
            return run.run();
        }
    }

    private void report(Site site, PageStore store, HitRate rate, Duration took, long heapBefore)
            throws IOException {
        long objects = store.size();
        long weight = store.weightBytes();
        long heap = heapBytes() - heapBefore;
        long direct = directBytes();
        long resident = residentBytes();
        say(
                "requests",
                "%,d for %,d URLs in %d s",
                workload.requests(),
                workload.urls(),
                took.toSeconds());
        say("hit rate", "%.2f %%", rate.ofAll());
        say("second half", "%s", rate);
        double overhead = objects == 0 ? 0 : overheadBytes(heap, objects);
        compared(site, overhead).forEach(each -> say("  " + each.name(), "%s", each.rate()));
        say("objects", "%,d", objects);
        say("evictions", "%,d", store.evictions());
        say("refused", "%,d", store.refused());
        say("weight", "%.1f MiB of %d MiB", mib(weight), workload.memoryMib());
        say(
                "memory used",
                "%.1f MiB: heap %.1f, direct %.1f",
                mib(heap + direct),
                mib(heap),
                mib(direct));
        say("heap per object", "%.0f bytes, including its head", overhead);
        say("resident", "%.1f MiB for the whole JVM", mib(resident));
    }

    /**
     * Replays the same requests against other policies, with the same memory.
     *
     * @param overheadBytes memory per object in addition to its body
     */
    private List<Compared> compared(Site site, double overheadBytes) {
        long memory = workload.memoryBytes();
        var policies = new ArrayList<Compared>();
        policies.add(compared("LRU", Policy.lru(memory)));
        policies.add(compared("W-TinyLFU", Policy.tinyLfu(memory)));
        if (workload.drift() == 0) {
            var best = site.best(memory, overheadBytes);
            policies.add(compared("best fixed choice", Policy.fixed(best)));
        }
        var asked = workload.sequence(site);
        for (long i = 0; i < workload.requests(); i++) {
            int url = asked.next();
            int length = site.length(url);
            int weight = (int) (length + overheadBytes);
            for (var each : policies) {
                each.rate().count(each.policy().request(url, weight), length);
            }
        }
        return policies;
    }

    private Compared compared(String name, Policy policy) {
        return new Compared(name, policy, workload.rate());
    }

    private record Compared(String name, Policy policy, HitRate rate) {}

    private static double overheadBytes(long heap, long objects) {
        return (double) heap / objects;
    }

    private static void say(String what, String how, Object... figures) {
        System.out.printf(Locale.ROOT, "%-26s" + how + "%n", prepended(what, figures));
    }

    private static Object[] prepended(String first, Object... others) {
        var all = new Object[others.length + 1];
        all[0] = first;
        System.arraycopy(others, 0, all, 1, others.length);
        return all;
    }

    private static double mib(long bytes) {
        return (double) bytes / MIB;
    }

    private static long heapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** From Netty's allocators: the JVM does not count all of their direct memory. */
    private static long directBytes() {
        return UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory()
                + PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }

    /** Returns the resident memory of this process, or 0 if unknown. */
    private static long residentBytes() throws IOException {
        var status = Path.of("/proc/self/status");
        if (!Files.isReadable(status)) {
            return 0;
        }
        try (var lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> 1_024 * Long.parseLong(line.replaceAll("\\D", "")))
                    .sum();
        }
    }
}
