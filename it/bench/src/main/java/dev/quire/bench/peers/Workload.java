package dev.quire.bench.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The requests to a target and the expected results.
 *
 * @param name as on the command line and in target scripts
 * @param title for reports
 * @param path of the page or object; {@code {dialect}} is replaced by the target's
 * @param fields sent with each request
 * @param load the load generator and its mode
 * @param clients number of clients
 * @param originRequests expected requests at the origin per client request
 * @param packed whether the response must be in gzip
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

    /** The number of objects of a workload with many. */
    static final int MANY = 200;

    /** The objects that are requested beside those that are measured, and their number. */
    static final String BULK_PATH = "/many/102400";

    static final int BULK = 1000;

    /** A load generator and its mode. */
    enum Load {
        /** wrk, always the same request, on persistent connections. */
        SAME,
        /** wrk, the mix of requests of an election night, on persistent connections. */
        NEWS,
        /** wrk, many objects in turn, on persistent connections. */
        MANY,
        /**
         * wrk, always the same request, while another wrk requests many objects; only the first is
         * measured.
         */
        BESIDE,
        /** ab, a connection for each request. */
        CLOSING,
        /** wrk over TLS, on persistent connections. */
        SECURE,
        /** wrk over TLS, a connection and a full handshake for each request. */
        HANDSHAKES,
        /** h2load, HTTP/2 over TLS, ten streams on each connection. */
        STREAMS;

        boolean isSecure() {
            return this == SECURE || this == HANDSHAKES || this == STREAMS;
        }
    }

    /**
     * The number of concurrent clients.
     *
     * @param usual the default
     * @param fixed whether the default cannot be changed
     */
    record Clients(int usual, boolean fixed) {
        static final Clients USUAL = new Clients(64, false);

        /** Returns the numbers to measure; {@code asked} is empty for the default. */
        List<Integer> of(List<Integer> asked) {
            return fixed || asked.isEmpty() ? List.of(usual) : asked;
        }
    }

    /** The workloads of {@code bin/bench peers}, in execution order. */
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
                            "/object/102400"),
                    many("many-1k", "200 objects of 1 KiB", "/many/1024"),
                    many(
                            "many-page",
                            "200 pages of 16 KiB, 10 cached fragments each",
                            "/pages/{dialect}"),
                    many("many-16k", "200 objects of 16 KiB", "/many/16384"),
                    many("many-100k", "200 objects of 100 KiB", "/many/102400"),
                    many("many-1m", "200 objects of 1 MiB", "/many/1048576"),
                    new Workload(
                            "beside",
                            "object of 1 KiB, beside load of 1,000 objects of 100 KiB",
                            "/object/1024",
                            Map.of(),
                            Load.BESIDE,
                            new Clients(8, true),
                            0,
                            false),
                    secure("tls-1k", "object of 1 KiB over TLS", "/object/1024"),
                    secure(
                            "tls-page",
                            "page of 16 KiB, 10 cached fragments, over TLS",
                            "/page/{dialect}/10"),
                    new Workload(
                            "tls-handshake",
                            "object of 1 KiB, one full TLS handshake per request",
                            "/object/1024",
                            Map.of("Connection", "close"),
                            Load.HANDSHAKES,
                            Clients.USUAL,
                            0,
                            false),
                    streams("h2-1k", "object of 1 KiB over HTTP/2 and TLS", "/object/1024"),
                    streams(
                            "h2-page",
                            "page of 16 KiB, 10 cached fragments, over HTTP/2 and TLS",
                            "/page/{dialect}/10"));

    /** A page of {@code count} cached fragments; runs on targets that support {@code page}. */
    static Workload ofFragments(int count) {
        return same(
                "page", "page of 16 KiB, cached fragments: " + count, "/page/{dialect}/" + count);
    }

    private static Workload same(String name, String title, String path) {
        return new Workload(name, title, path, Map.of(), Load.SAME, Clients.USUAL, 0, false);
    }

    private static Workload many(String name, String title, String path) {
        return new Workload(name, title, path, Map.of(), Load.MANY, Clients.USUAL, 0, false);
    }

    private static Workload secure(String name, String title, String path) {
        return new Workload(name, title, path, Map.of(), Load.SECURE, Clients.USUAL, 0, false);
    }

    private static Workload streams(String name, String title, String path) {
        return new Workload(
                name, title, path, Map.of(), Load.STREAMS, new Clients(16, false), 0, false);
    }

    private static Workload closing(String name, String title, String path) {
        return new Workload(
                name, title, path, Map.of(), Load.CLOSING, new Clients(150, false), 0, false);
    }

    /** Returns the path for targets of {@code dialect}. */
    String path(Dialect dialect) {
        return path.replace("{dialect}", dialect.word());
    }

    /** Whether a target of {@code dialect} can serve it. */
    boolean isFor(Dialect dialect) {
        return dialect != Dialect.NONE || !path.contains("{dialect}");
    }

    /** Returns the paths whose responses are compared byte by byte. */
    List<String> samples(Dialect dialect) {
        return switch (load) {
            case SAME, BESIDE, CLOSING, SECURE, HANDSHAKES, STREAMS -> List.of(path(dialect));
            case MANY -> List.of(path(dialect) + "/0", path(dialect) + "/" + (MANY - 1));
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

    /** Returns the paths to request once before the rounds, in addition to the samples. */
    List<String> toWarm(Dialect dialect) {
        return switch (load) {
            case SAME, CLOSING, SECURE, HANDSHAKES, STREAMS -> List.of();
            case MANY -> numbered(path(dialect), MANY);
            case BESIDE -> numbered(BULK_PATH, BULK);
            case NEWS -> {
                var articles = new ArrayList<String>(Site.ARTICLES);
                for (int i = 0; i < Site.ARTICLES; i++) {
                    articles.add(path(dialect) + "/article/" + i);
                }
                yield articles;
            }
        };
    }

    private static List<String> numbered(String path, int count) {
        return IntStream.range(0, count).mapToObj(number -> path + "/" + number).toList();
    }

    /** Returns the expected mean body size, uncompressed. */
    double bodyBytes(Dialect dialect) {
        return switch (load) {
            case SAME, BESIDE, CLOSING, SECURE, HANDSHAKES, STREAMS ->
                    Site.assembled(path(dialect), cookie()).length;
            case MANY -> Site.assembled(path(dialect) + "/0", cookie()).length;
            case NEWS ->
                    Site.SHARED_FRAGMENTS * Site.FRAGMENT_BYTES
                            + 0.60 * Site.ARTICLE_BYTES
                            + 0.37 * Site.LIVE_BYTES
                            + 0.03 * Site.FRONT_BYTES;
        };
    }

    /** Returns the value of Cookie, or an empty string. */
    String cookie() {
        return fields.getOrDefault("Cookie", "");
    }
}
