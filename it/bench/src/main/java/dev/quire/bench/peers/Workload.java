package dev.quire.bench.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What is asked of a target, and what must come of it.
 *
 * @param name as the command line and the heads of target scripts call it
 * @param title for reports
 * @param path of the page or object; {@code {dialect}} stands for the target's
 * @param fields sent with each request
 * @param load who asks, and how
 * @param clients how many there are
 * @param originRequests how many the origin must see for each of the clients'
 * @param packed whether the answer must be in gzip
 */
record Workload(
        String name,
        String title,
        String path,
        Map<String, String> fields,
        Load load,
        Clients clients,
        int originRequests,
        boolean packed) {

    /** Who asks, and how. */
    enum Load {
        /** wrk, always the same request, on connections that are kept. */
        SAME,
        /** wrk, the mix of requests of an election night. */
        NEWS,
        /** ab, a connection for each request. */
        CLOSING
    }

    /**
     * How many clients ask at one time.
     *
     * @param usual if the caller does not say
     * @param fixed whether it is not for the caller to say
     */
    record Clients(int usual, boolean fixed) {
        static final Clients USUAL = new Clients(64, false);

        /** Each number in turn; {@code asked} for, or none. */
        List<Integer> of(List<Integer> asked) {
            return fixed || asked.isEmpty() ? List.of(usual) : asked;
        }
    }

    /** Those of {@code bin/bench peers}, in the order in which they are run. */
    static final List<Workload> ALL =
            List.of(
                    same("object-1k", "object of 1 KiB", "/object/1024"),
                    same("object-100k", "object of 100 KiB", "/object/102400"),
                    same("page", "page of 16 KiB, 10 cached fragments", "/page/{dialect}/10"),
                    new Workload(
                            "page-gzip",
                            "the same page in gzip",
                            Site.PACKED + "/page/{dialect}/10",
                            Map.of("Accept-Encoding", "gzip"),
                            Load.SAME,
                            Clients.USUAL,
                            0,
                            true),
                    new Workload(
                            "page-private",
                            "the same page with a private fragment, 5 ms at the origin",
                            "/personal/{dialect}/10",
                            Map.of("Cookie", "user=u42"),
                            Load.SAME,
                            Clients.USUAL,
                            1,
                            false),
                    new Workload(
                            "news",
                            "election night, 20,000 articles",
                            "/news/{dialect}",
                            Map.of(),
                            Load.NEWS,
                            Clients.USUAL,
                            0,
                            false),
                    new Workload(
                            "late",
                            "page of five uncached fragments, 50 ms each",
                            "/late/{dialect}/5",
                            Map.of(),
                            Load.SAME,
                            new Clients(4, true),
                            5,
                            false),
                    closing(
                            "close-5k",
                            "object of 5 KiB, one connection per request",
                            "/object/5120"),
                    closing(
                            "close-100k",
                            "object of 100 KiB, one connection per request",
                            "/object/102400"));

    /** A page of so many cached fragments; whoever does {@code page} does it. */
    static Workload ofFragments(int count) {
        return same(
                "page", "page of 16 KiB, cached fragments: " + count, "/page/{dialect}/" + count);
    }

    private static Workload same(String name, String title, String path) {
        return new Workload(name, title, path, Map.of(), Load.SAME, Clients.USUAL, 0, false);
    }

    private static Workload closing(String name, String title, String path) {
        return new Workload(
                name, title, path, Map.of(), Load.CLOSING, new Clients(150, false), 0, false);
    }

    /** The path for targets of {@code dialect}. */
    String path(Dialect dialect) {
        return path.replace("{dialect}", dialect.word());
    }

    /** Whether {@code dialect} is enough for it. */
    boolean isFor(Dialect dialect) {
        return dialect != Dialect.NONE || !path.contains("{dialect}");
    }

    /** The targets whose answers are compared byte by byte. */
    List<String> samples(Dialect dialect) {
        return switch (load) {
            case SAME, CLOSING -> List.of(path(dialect));
            case NEWS -> {
                var base = path(dialect);
                var samples = new ArrayList<>(List.of(base + "/front"));
                for (int i = 1; i <= 4; i++) {
                    samples.add(base + "/live/" + i);
                }
                for (int i : new int[] {1, 2}) {
                    samples.add(base + "/topic/" + i);
                }
                for (int i : new int[] {0, 1, 4242, Site.ARTICLES - 1}) {
                    samples.add(base + "/article/" + i);
                }
                yield samples;
            }
        };
    }

    /** What is asked for once before the rounds, beside the samples. */
    List<String> toWarm(Dialect dialect) {
        return switch (load) {
            case SAME, CLOSING -> List.of();
            case NEWS -> {
                var articles = new ArrayList<String>(Site.ARTICLES);
                for (int i = 0; i < Site.ARTICLES; i++) {
                    articles.add(path(dialect) + "/article/" + i);
                }
                yield articles;
            }
        };
    }

    /** The mean size of the bodies as they must come uncompressed. */
    double bodyBytes(Dialect dialect) {
        return switch (load) {
            case SAME, CLOSING -> Site.assembled(path(dialect), cookie()).length;
            case NEWS ->
                    Site.SHARED_FRAGMENTS * Site.FRAGMENT_BYTES
                            + 0.60 * Site.ARTICLE_BYTES
                            + 0.37 * Site.LIVE_BYTES
                            + 0.03 * Site.FRONT_BYTES;
        };
    }

    /** The value of Cookie that is sent, or nothing. */
    String cookie() {
        return fields.getOrDefault("Cookie", "");
    }
}
