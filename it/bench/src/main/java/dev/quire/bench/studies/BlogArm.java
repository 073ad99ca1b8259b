package dev.quire.bench.studies;

import dev.quire.bench.studies.UserLoad.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A server, or several, that answer the users of the blog.
 *
 * @param look its class in pictures
 * @param isObjectCache whether the application has its object cache in Redis
 * @param script of the cache in front, if there is one
 * @param isJoined whether a second node of the cache joins during the run
 */
record BlogArm(
        String name,
        String look,
        boolean isObjectCache,
        Optional<String> script,
        Map<String, String> variables,
        boolean isJoined) {
    static final String NONE = "none";
    static final String REDIS = "Redis";
    static final String VARNISH = "Varnish";
    static final String VARNISH_REDIS = "Varnish + Redis";
    static final String QUIRE = "Quire";
    static final String QUIRE_REDIS = "Quire + Redis";
    static final String TWO = "Quire, 2 nodes";
    static final String MEMCACHED = "Quire (Memcached)";
    static final String DISK = "Quire (disk)";

    /** Requests wait for the store, also on a busy machine. */
    private static final Map<String, String> PATIENT = Map.of("QUIRE_BENCH_TIMEOUT", "1s");

    /** All arms, in the order of tables. */
    static List<BlogArm> all() {
        return List.of(
                application(NONE, false),
                application(REDIS, true),
                cache(VARNISH, "varnish", false, Map.of()),
                cache(VARNISH_REDIS, "varnish", true, Map.of()),
                cache(QUIRE, "quire", false, Map.of()),
                cache(QUIRE_REDIS, "quire", true, Map.of()),
                new BlogArm(TWO, "ours", false, Optional.of("studies/quire-node"), PATIENT, true),
                cache(MEMCACHED, "studies/quire-memcached", false, PATIENT),
                cache(DISK, "quire-tiers", false, Map.of("QUIRE_BENCH_MIB", "16")));
    }

    private static BlogArm application(String name, boolean isObjectCache) {
        return new BlogArm(
                name,
                isObjectCache ? "peer-2" : "bound",
                isObjectCache,
                Optional.empty(),
                Map.of(),
                false);
    }

    private static BlogArm cache(
            String name, String script, boolean isObjectCache, Map<String, String> variables) {
        return new BlogArm(
                name,
                script.equals("varnish") ? "peer-1" : "ours",
                isObjectCache,
                Optional.of(script),
                variables,
                false);
    }

    boolean isQuire() {
        return look.equals("ours");
    }

    /**
     * A part of a run, of a minute or less.
     *
     * @param begin in seconds since the begin of the run
     * @param requests that ended in it
     */
    record Minute(double begin, double end, long requests, BlogSite.Counts site) {
        double statementsPerSecond() {
            return site.statements() / (end - begin);
        }

        /** The share of requests that did not reach the application. */
        double hitPercent() {
            return requests == 0 ? Double.NaN : 100 * (1 - (double) site.pages() / requests);
        }

        double objectHitPercent() {
            return 100.0 * site.hits() / (site.hits() + site.misses());
        }
    }

    /**
     * The result of a run.
     *
     * @param site the whole run, also requests that ended later
     * @param cpu of the run
     * @param joining pages that the application rendered while the joining node was asked for all
     */
    record Measured(
            BlogArm arm,
            Outcome outcome,
            List<Minute> minutes,
            BlogSite.Counts site,
            Cpu cpu,
            HighestRate highest,
            OptionalInt joining) {
        double statementsPerSecond() {
            return site.statements() / outcome.seconds();
        }

        double hitPercent() {
            return 100 * (1 - (double) site.pages() / outcome.replies().size());
        }
    }

    /**
     * User and system time in seconds.
     *
     * @param front of the cache in front, with its nodes and their store
     * @param site of the application and its database
     */
    record Cpu(double front, double site) {
        Cpu since(Cpu earlier) {
            return new Cpu(front - earlier.front, site - earlier.site);
        }
    }
}
