package dev.quire.bench.studies;

import dev.quire.bench.studies.UserLoad.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

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
    static final String DEFAULT = "Quire, 256 connections";
    static final String QUIRE_REDIS = "Quire + Redis";
    static final String TWO = "Quire, 2 nodes";
    static final String MEMCACHED = "Quire (Memcached)";
    static final String DISK = "Quire (disk)";

    /**
     * The application renders few pages at the same time, and further requests wait in the proxy.
     */
    private static final Map<String, String> LIMITED =
            Map.of("QUIRE_BENCH_CONNECTIONS", "16", "QUIRE_BENCH_QUEUE", "10s");

    /** Requests wait for the store, also on a busy machine. */
    private static final Map<String, String> PATIENT = and(LIMITED, "QUIRE_BENCH_TIMEOUT", "1s");

    /**
     * The passes of a run. Arms whose results are divided by each other have two in a balanced
     * order: if the application becomes faster at an even pace, it does so for all of them alike.
     * Before them each application is warm from other arms. The last one is an overload, after
     * which it has much left to do.
     */
    private static final List<String> ORDER =
            List.of(
                    TWO,
                    MEMCACHED,
                    DISK,
                    QUIRE,
                    VARNISH,
                    DEFAULT,
                    VARNISH,
                    QUIRE,
                    REDIS,
                    QUIRE_REDIS,
                    VARNISH_REDIS,
                    VARNISH_REDIS,
                    QUIRE_REDIS,
                    NONE);

    /**
     * A pass of the users.
     *
     * @param number in the run, from 1
     * @param isLast whether it is the last one of {@code arm}
     */
    record Turn(int number, BlogArm arm, boolean isLast) {}

    /** All arms, in the order of tables. */
    static List<BlogArm> all() {
        return List.of(
                application(NONE, false),
                application(REDIS, true),
                cache(VARNISH, "varnish", false, Map.of()),
                cache(VARNISH_REDIS, "varnish", true, Map.of()),
                cache(QUIRE, "quire", false, LIMITED),
                cache(DEFAULT, "quire", false, Map.of()),
                cache(QUIRE_REDIS, "quire", true, LIMITED),
                new BlogArm(TWO, "ours", false, Optional.of("studies/quire-node"), PATIENT, true),
                cache(MEMCACHED, "studies/quire-memcached", false, PATIENT),
                cache(DISK, "quire-tiers", false, and(LIMITED, "QUIRE_BENCH_MIB", "16")));
    }

    private static Map<String, String> and(Map<String, String> all, String name, String value) {
        var more = new HashMap<>(all);
        more.put(name, value);
        return Map.copyOf(more);
    }

    /** The passes of a run. */
    static List<Turn> turns() {
        return IntStream.range(0, ORDER.size())
                .mapToObj(index -> {
                    var name = ORDER.get(index);
                    return new Turn(index + 1, named(name), ORDER.lastIndexOf(name) == index);
                })
                .toList();
    }

    private static BlogArm named(String name) {
        return all().stream().filter(arm -> arm.name().equals(name)).findFirst().orElseThrow();
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
     * A part of a pass, of a minute or less; or the same parts of several passes.
     *
     * @param requests that ended in it
     */
    record Minute(double seconds, long requests, BlogSite.Counts site) {
        Minute plus(Minute other) {
            return new Minute(
                    seconds + other.seconds, requests + other.requests, site.plus(other.site));
        }

        double statementsPerSecond() {
            return site.statements() / seconds;
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
     * The result of a pass.
     *
     * @param site the whole pass, also requests that ended later
     * @param cpu of the pass
     * @param highest of the last pass of the arm
     * @param joining pages that the application rendered while the joining node was asked for all
     */
    record Pass(
            BlogArm arm,
            Outcome outcome,
            List<Minute> minutes,
            BlogSite.Counts site,
            Cpu cpu,
            Optional<HighestRate> highest,
            OptionalInt joining) {}

    /**
     * The result of an arm: the requests of all its passes count alike.
     *
     * @param passes of this arm, at least one, in their order
     */
    record Measured(BlogArm arm, List<Pass> passes) {

        /** Those of {@code passes} that are of {@code arm}. */
        static Measured of(BlogArm arm, List<Pass> passes) {
            return new Measured(
                    arm, passes.stream().filter(pass -> pass.arm().equals(arm)).toList());
        }

        Outcome outcome() {
            return new Outcome(
                    passes.stream().flatMap(pass -> pass.outcome().replies().stream()).toList());
        }

        /** Returns the first minutes of all passes as one, and so on. */
        List<Minute> minutes() {
            var minutes = new ArrayList<Minute>();
            for (var pass : passes) {
                for (int index = 0; index < pass.minutes().size(); index++) {
                    var minute = pass.minutes().get(index);
                    if (index < minutes.size()) {
                        minutes.set(index, minutes.get(index).plus(minute));
                    } else {
                        minutes.add(minute);
                    }
                }
            }
            return minutes;
        }

        BlogSite.Counts site() {
            return passes.stream().map(Pass::site).reduce(BlogSite.Counts::plus).orElseThrow();
        }

        Cpu cpu() {
            return passes.stream().map(Pass::cpu).reduce(Cpu::plus).orElseThrow();
        }

        HighestRate highest() {
            return passes.getLast().highest().orElseThrow();
        }

        OptionalInt joining() {
            return passes.getLast().joining();
        }

        double statementsPerSecond() {
            return site().statements()
                    / passes.stream().mapToDouble(pass -> pass.outcome().seconds()).sum();
        }

        double hitPercent() {
            return 100 * (1 - (double) site().pages() / outcome().replies().size());
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

        Cpu plus(Cpu other) {
            return new Cpu(front + other.front, site + other.site);
        }
    }
}
