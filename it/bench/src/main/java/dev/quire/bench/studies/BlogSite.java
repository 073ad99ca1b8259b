package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.kill.Client;
import dev.quire.bench.peers.Target;
import dev.quire.test.wire.internal.FreePort;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectMapper;

/**
 * The blog of the sample site on Tomcat, with its counters, without an object cache or with one in
 * Redis. Not thread-safe.
 */
final class BlogSite implements AutoCloseable {
    /** CPU time of the theme, in addition to the statements and the template. */
    private static final String THEME = "22ms";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int QUIET_MILLIS = 500;

    /** CPU time of an idle application within {@link #QUIET_MILLIS}, at most. */
    private static final double QUIET_CPU_SECONDS = 0.1;

    private static final Duration LONGEST_WORK = Duration.ofMinutes(10);

    private final Target target;

    /** The site that has started the database; null if it is this one. */
    private final @Nullable BlogSite other;

    private final int metricsPort;
    private final @Nullable RedisClient client;
    private final @Nullable StatefulRedisConnection<String, String> redis;

    /**
     * Totals since the start.
     *
     * @param hits of the object cache
     * @param misses of the object cache
     */
    record Counts(long pages, long statements, long hits, long misses) {
        Counts since(Counts earlier) {
            return new Counts(
                    pages - earlier.pages,
                    statements - earlier.statements,
                    hits - earlier.hits,
                    misses - earlier.misses);
        }

        Counts plus(Counts other) {
            return new Counts(
                    pages + other.pages,
                    statements + other.statements,
                    hits + other.hits,
                    misses + other.misses);
        }
    }

    private BlogSite(
            Target target,
            @Nullable BlogSite other,
            int metricsPort,
            @Nullable RedisClient client) {
        this.target = target;
        this.other = other;
        this.metricsPort = metricsPort;
        this.client = client;
        this.redis = client == null ? null : client.connect();
    }

    /** Starts the site without an object cache, and its database. */
    static BlogSite start(Stage stage) throws CannotMeasure, IOException, InterruptedException {
        int metricsPort = FreePort.next();
        var target = start(stage, "blog", metricsPort, new HashMap<>());
        return new BlogSite(target, null, metricsPort, null);
    }

    /** Starts a second site with an object cache in Redis and the database of {@code other}. */
    static BlogSite startWithRedis(Stage stage, BlogSite other)
            throws CannotMeasure, IOException, InterruptedException {
        int metricsPort = FreePort.next();
        int redisPort = FreePort.next();
        var variables = new HashMap<String, String>();
        variables.put("QUIRE_BENCH_OBJECT_CACHE", "redis");
        variables.put("QUIRE_BENCH_STORE_PORT", Integer.toString(redisPort));
        // The port that the script got for the database.
        variables.put("QUIRE_BENCH_DATABASE_PORT", Integer.toString(other.target.tlsPort()));
        var target = start(stage, "blog-redis", metricsPort, variables);
        return new BlogSite(
                target, other, metricsPort, RedisClient.create("redis://127.0.0.1:" + redisPort));
    }

    private static Target start(
            Stage stage, String name, int metricsPort, Map<String, String> variables)
            throws CannotMeasure, IOException, InterruptedException {
        variables.put(
                "QUIRE_BENCH_NEWS",
                "--news.blog.cpu=%s --management.server.port=%d --management.server.address=127.0.0.1 --management.endpoints.web.exposure.include=health,metrics"
                        .formatted(THEME, metricsPort));
        return stage.start("studies/news", name, 0, variables);
    }

    int port() {
        return target.port();
    }

    Arm arm(String name, String look) {
        return new Arm(name, look, target.port(), "", target.running(), 1);
    }

    /** Returns the body of its response to a GET, which must have the status 200. */
    byte[] body(String host, String path) throws IOException {
        // Tomcat closes a connection after 100 requests.
        try (var http = new Client(target.port())) {
            var answer = http.get(host, path);
            if (answer.status() != 200) {
                throw new IOException(
                        "%s: status %d, expected 200".formatted(path, answer.status()));
            }
            return answer.body();
        }
    }

    /** Returns the time of the application, its object cache and its database so far. */
    double cpuSeconds() {
        // The other application is idle.
        return target.running().cpuSeconds() + (other == null ? 0 : other.cpuSeconds());
    }

    Counts counts() throws IOException {
        long hits = 0;
        long misses = 0;
        if (redis != null) {
            var stats = redis.sync().info("stats");
            hits = figure(stats, "keyspace_hits");
            misses = figure(stats, "keyspace_misses");
        }
        return new Counts(metric("news.blog.pages"), metric("news.blog.statements"), hits, misses);
    }

    private static long figure(String stats, String name) throws IOException {
        var found = Pattern.compile("^" + name + ":(\\d+)", Pattern.MULTILINE).matcher(stats);
        if (!found.find()) {
            throw new IOException("expected '" + name + "' in INFO of Redis, found: " + stats);
        }
        return Long.parseLong(found.group(1));
    }

    private long metric(String name) throws IOException {
        try (var http = new Client(metricsPort)) {
            var answer = http.get("127.0.0.1:" + metricsPort, "/actuator/metrics/" + name);
            var value = JSON.readTree(answer.body()).at("/measurements/0/value");
            if (!value.isNumber()) {
                throw new IOException(
                        "expected the metric %s of the site, found: %s"
                                .formatted(name, answer.text()));
            }
            return value.asLong();
        }
    }

    void emptyObjectCache() {
        if (redis != null) {
            redis.sync().flushall();
        }
    }

    /**
     * Waits until it has answered all requests that clients have left behind. A page is counted
     * before most of its CPU time, so the time is compared too.
     *
     * @throws CannotMeasure if it is busy for more than {@link #LONGEST_WORK}
     */
    void awaitQuiet() throws CannotMeasure, IOException, InterruptedException {
        long begin = System.nanoTime();
        boolean isQuiet = false;
        while (!isQuiet) {
            long pages = counts().pages();
            double cpu = cpuSeconds();
            TimeUnit.MILLISECONDS.sleep(QUIET_MILLIS);
            double used = cpuSeconds() - cpu;
            isQuiet = used <= QUIET_CPU_SECONDS && counts().pages() == pages;
            if (!isQuiet && System.nanoTime() - begin > LONGEST_WORK.toNanos()) {
                throw new CannotMeasure(
                        "the application without requests used %.2f s of CPU time in %d ms, after %d minutes"
                                .formatted(used, QUIET_MILLIS, LONGEST_WORK.toMinutes()));
            }
        }
    }

    @Override
    public void close() {
        if (redis != null) {
            redis.close();
        }
        if (client != null) {
            client.shutdown();
        }
        target.close();
    }
}
