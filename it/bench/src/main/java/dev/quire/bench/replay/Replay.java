package dev.quire.bench.replay;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.MeasuredCache;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.config.CacheConfig.Admission;
import dev.quire.proxy.exchange.Time;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;

/**
 * Replays requests for a site that is much larger than the store, and reports hit rate and memory.
 */
final class Replay {
    private static final int MIB = 1 << 20;

    /** Work is split into tasks, so that the loop can run its own in between. */
    private static final int REQUESTS_A_TASK = 1_000;

    private static final String AUTHORITY = "www.news.example";
    private static final long SEED = 20_261_120;
    private static final Time CLOCK = Time.system();

    /** The default first. */
    private static final Map<String, Admission> ADMISSIONS = new LinkedHashMap<>();

    static {
        for (var admission : Admission.values()) {
            ADMISSIONS.put(admission.name().toLowerCase(Locale.ROOT), admission);
        }
    }

    private final int urls;
    private final long requests;
    private final long memoryMib;
    private final double skew;
    private final Site.Lengths lengths;
    private final double drift;
    private final Admission admission;
    private final HitRate rate;

    private Replay(Arguments arguments) throws CannotMeasure {
        urls = arguments.number("urls", 2_000_000, 1, 100_000_000);
        requests = arguments.longNumber("requests", 10_000_000, 1, 1_000_000_000_000L);
        memoryMib = arguments.longNumber("memory", 512, 1, 1_000_000);
        skew = arguments.decimal("skew", 0.9, 0, 10);
        boolean isHeavy = arguments.has("heavy-tail");
        lengths =
                new Site.Lengths(
                        arguments.number("median", 4096, 1, MIB),
                        isHeavy ? 2 : 1,
                        isHeavy ? 16 * MIB : MIB);
        drift = arguments.decimal("drift", 0, 0, 100) / 100;
        admission =
                Arguments.chosen("--admission", arguments.words("admission"), ADMISSIONS)
                        .getFirst();
        rate = new HitRate(requests / 2);
    }

    /** Takes options. The exit status is 2 for errors in them. */
    public static void main(String[] arguments)
            throws InterruptedException, ExecutionException, IOException {
        System.exit(execute(List.of(arguments)));
    }

    private static int execute(List<String> words)
            throws InterruptedException, ExecutionException, IOException {
        try {
            var read =
                    Arguments.read(
                            "bin/bench replay",
                            "Measures hit rate and memory of a store that is far smaller than the"
                                    + " site.",
                            options(),
                            words);
            if (read.isPresent()) {
                new Replay(read.get()).run();
            }
            return 0;
        } catch (CannotMeasure e) {
            return e.report();
        }
    }

    private static Options options() {
        return new Options()
                .addOption(Arguments.taking("urls", "N", "Number of URLs (default 2000000)."))
                .addOption(
                        Arguments.taking("requests", "N", "Number of requests (default 10000000)."))
                .addOption(
                        Arguments.taking(
                                "memory", "MIB", "Size of the store in MiB (default 512)."))
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
                                "The responses that the full store admits: size or all (default size)."));
    }

    private void run() throws InterruptedException, ExecutionException, IOException {
        var site = new Site(urls, skew, lengths, SEED);
        var body = new byte[site.longest()];
        long heapBefore = heapBytes();
        var cache = new MeasuredCache(memoryMib * MIB, admission == Admission.SIZE, CLOCK);
        var loop = new DefaultEventLoop();
        long began = System.nanoTime();
        var asked = new Requests(site, drift, SEED);
        for (long done = 0; done < requests; done += REQUESTS_A_TASK) {
            long from = done;
            long to = Math.min(requests, done + REQUESTS_A_TASK);
            loop.submit(
                            () -> {
                                for (long i = from; i < to; i++) {
                                    ask(site, asked.next(), body, cache, loop);
                                }
                            })
                    .get();
        }
        report(site, cache.store(), Duration.ofNanos(System.nanoTime() - began), heapBefore);
        cache.close();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).get();
    }

    private void ask(Site site, int url, byte[] body, MeasuredCache cache, EventLoop loop) {
        var request =
                new RequestHead(
                        "GET",
                        Scheme.HTTP,
                        AUTHORITY,
                        "/news/" + url % 37 + "/article-" + url + ".html",
                        Fields.EMPTY);
        var key = CacheKey.of(request);
        int length = site.length(url);
        cache.store().requested(key);
        var found = cache.store().find(key, SentRequest.of(request)::isSelectedBy);
        rate.count(found != null, length);
        if (found != null) {
            found.release();
            return;
        }
        cache.fetch(loop, request, head(url, length), Unpooled.wrappedBuffer(body, 0, length));
    }

    /** Returns a head as an application server sends it. */
    private static Fields head(int url, int length) {
        return Fields.of(
                "Content-Type",
                "text/html;charset=UTF-8",
                "Content-Length",
                Integer.toString(length),
                "Cache-Control",
                "max-age=86400, public",
                "Date",
                HttpDate.format(CLOCK.wall()),
                "ETag",
                "\"" + Integer.toHexString(url * 0x9e3779b9) + '-' + length + '"',
                "Last-Modified",
                "Fri, 20 Nov 2026 10:00:00 GMT",
                "Vary",
                "Accept-Encoding",
                "X-Request-Id",
                "8f14e45fceea" + (10_000_000 + url));
    }

    private void report(Site site, PageStore store, Duration took, long heapBefore)
            throws IOException {
        long objects = store.size();
        long weight = store.weightBytes();
        long heap = heapBytes() - heapBefore;
        long direct = directBytes();
        long resident = residentBytes();
        say("requests", "%,d for %,d URLs in %d s", requests, urls, took.toSeconds());
        say("hit rate", "%.2f %%", rate.ofAll());
        say("second half", "%s", rate);
        double overhead = objects == 0 ? 0 : overheadBytes(heap, objects);
        compared(site, overhead).forEach(each -> say("  " + each.name(), "%s", each.rate()));
        say("objects", "%,d", objects);
        say("evictions", "%,d", store.evictions());
        say("refused", "%,d", store.refused());
        say("weight", "%.1f MiB of %d MiB", mib(weight), memoryMib);
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
        long memory = memoryMib * MIB;
        var policies = new ArrayList<Compared>();
        policies.add(compared("LRU", Policy.lru(memory)));
        policies.add(compared("W-TinyLFU", Policy.tinyLfu(memory)));
        if (drift == 0) {
            var best = site.best(memory, overheadBytes);
            policies.add(compared("best fixed choice", Policy.fixed(best)));
        }
        var asked = new Requests(site, drift, SEED);
        for (long i = 0; i < requests; i++) {
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
        return new Compared(name, policy, new HitRate(requests / 2));
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
