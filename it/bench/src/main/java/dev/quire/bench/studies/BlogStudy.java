package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.peers.Statistics;
import dev.quire.bench.studies.BlogArm.Measured;
import dev.quire.bench.studies.BlogArm.Pass;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/** A blog in overload: without caches, with an object cache, and behind caches. */
final class BlogStudy implements Study {
    private static final int PAGES = 500;
    private static final int USERS = 10_000;
    private static final int REQUESTS_OF_A_USER = 2;

    /** Of all requests: nodes of a fleet share responses of the same host. */
    private static final String HOST = "blog.example";

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int VISITS = 2;
    private static final int WARM_VISITS = 20;
    private static final long SEED = 20_000;

    @Override
    public String name() {
        return "blog";
    }

    @Override
    public String title() {
        return "A blog in overload";
    }

    /** One: a round of all arms takes an hour or more. */
    @Override
    public int rounds(int asked) {
        return 1;
    }

    /**
     * The application alone.
     *
     * @param pagesPerSecond with eight clients
     * @param cpuMillis of the application and its database for a page
     * @param bytes of a page
     */
    record Capacity(double pagesPerSecond, double cpuMillis, double bytes) {}

    @Override
    public Findings run(Stage stage) throws CannotMeasure, IOException, InterruptedException {
        stage.version("PostgreSQL", "psql --version");
        stage.version("Redis", "redis-server --version");
        stage.version("Memcached", "memcached -V");
        try (var site = BlogSite.start(stage);
                var withRedis = BlogSite.startWithRedis(stage, site)) {
            var pages = pages(site, stage.extent().of(PAGES, 20));
            var capacity = capacity(stage, site, pages);
            capacity(stage, withRedis, pages);
            stage.say(
                    "blog: %.1f pages/s without caches, %.1f ms CPU each, %.1f KiB"
                            .formatted(
                                    capacity.pagesPerSecond(),
                                    capacity.cpuMillis(),
                                    capacity.bytes() / 1024));
            var load =
                    new UserLoad(
                            HOST,
                            stage.extent().of(USERS, 20),
                            REQUESTS_OF_A_USER,
                            BlogRun.OVERLOAD * capacity.pagesPerSecond(),
                            TIMEOUT,
                            SEED);
            var passes = new ArrayList<Pass>();
            for (var turn : BlogArm.turns()) {
                var used = turn.arm().isObjectCache() ? withRedis : site;
                try (var run = new BlogRun(stage, turn, used, pages, load)) {
                    passes.add(run.measure());
                }
            }
            var measured = BlogArm.all().stream().map(arm -> Measured.of(arm, passes)).toList();
            return new BlogReport(measured, capacity, load, pages.size()).findings(stage.faults());
        }
    }

    private static List<Step.Body> pages(BlogSite site, int count) throws IOException {
        var pages = new ArrayList<Step.Body>();
        for (int number = 1; number <= count; number++) {
            var path = "/blog/" + number + "/";
            pages.add(new Step.Body(path, site.body(HOST, path)));
        }
        return pages;
    }

    /**
     * Eight clients request each page, several times; the last times count, when the application
     * runs compiled code: else it would become faster from one arm to the next.
     */
    private static Capacity capacity(Stage stage, BlogSite site, List<Step.Body> pages)
            throws CannotMeasure, IOException, InterruptedException {
        var arm = site.arm(BlogArm.NONE, "");
        var visit = new Visit(pages.size(), pages::get);
        for (int time = 0; time < stage.extent().of(WARM_VISITS, 1); time++) {
            if (time % 2 == 0) {
                // Its misses are compiled too.
                site.emptyObjectCache();
            }
            visit.once(stage, arm);
        }
        double cpu = site.cpuSeconds();
        var rates = DoubleStream.builder();
        for (int time = 0; time < VISITS; time++) {
            rates.add(pages.size() / visit.once(stage, arm));
        }
        return new Capacity(
                Statistics.median(rates.build()),
                1000 * (site.cpuSeconds() - cpu) / (VISITS * pages.size()),
                pages.stream().mapToInt(page -> page.bytes().length).average().orElseThrow());
    }
}
