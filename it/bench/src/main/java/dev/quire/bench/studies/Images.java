package dev.quire.bench.studies;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.Running;
import dev.quire.bench.peers.BarChart;
import dev.quire.bench.peers.Outcome;
import dev.quire.bench.peers.Results.Case;
import dev.quire.bench.peers.Site;
import dev.quire.bench.peers.Statistics;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Images from memory and from the disk, a connection for each request. */
final class Images implements Study {
    private static final String STATIC = "nginx (static)";
    private static final String NGINX = "nginx (disk)";
    private static final String VARNISH = "Varnish";
    private static final String VARNISH_FILE = "Varnish (file)";
    private static final String QUIRE = "Quire";
    private static final String QUIRE_DISK = "Quire (disk)";
    private static final Map<String, String> LOOKS =
            Map.of(
                    STATIC, "bound",
                    NGINX, "peer-2",
                    VARNISH, "peer-1",
                    VARNISH_FILE, "peer-3",
                    QUIRE, "ours",
                    QUIRE_DISK, "ours");

    /** Scripts in {@code it/bench/targets} by arm. */
    private static final Map<String, String> SCRIPTS =
            Map.of(
                    STATIC, "studies/nginx-static",
                    NGINX, "nginx-disk",
                    VARNISH, "varnish",
                    VARNISH_FILE, "varnish",
                    QUIRE, "quire",
                    QUIRE_DISK, "quire-disk");

    /** The folder of the images for a server without a cache. */
    private static final String FILES = "files";

    /** The limit of the case for its caches. */
    private static final String SMALL_MIB = "16";

    private static final String LARGE_MIB = "1024";
    private static final int BEACH_BYTES = 100 << 10;
    private static final int MANY = 2000;
    private static final int MANY_CLIENTS = 64;

    /** Each load sends about as many requests in a round. */
    private static final int REQUESTS = 10_000;

    /** A load of ab: a number of requests by a number of clients. */
    private record Shape(int requests, int clients) {
        String title(String image) {
            return "%s, %,d/%d".formatted(image, requests, clients);
        }
    }

    private static final List<Shape> SHAPES =
            List.of(
                    new Shape(500, 5),
                    new Shape(1000, 50),
                    new Shape(10_000, 150),
                    new Shape(10_000, 300));

    @Override
    public String name() {
        return "images";
    }

    @Override
    public String title() {
        return "Images in memory and on disk";
    }

    @Override
    public Findings run(Stage stage) throws CannotMeasure, IOException, InterruptedException {
        var cases = new ArrayList<Case>();
        small(stage, cases);
        var few = List.copyOf(cases);
        var cold = large(stage, cases);
        var many = cases.getLast();
        var groups = new ArrayList<BarChart.Group>();
        few.forEach(one -> groups.add(Tables.group(one, VARNISH, LOOKS)));
        groups.add(Tables.group(many, NGINX, LOOKS));
        var tables =
                Map.of(
                        "beach", Tables.rates(few.subList(0, SHAPES.size()), VARNISH),
                        "thumb", Tables.rates(few.subList(SHAPES.size(), few.size()), VARNISH),
                        "many", Tables.rates(List.of(many), NGINX),
                        "cold", cold);
        return new Findings(tables, claims(few, many), groups, cases, stage.faults());
    }

    /** The images of the case, in all its loads. */
    private static void small(Stage stage, List<Case> cases)
            throws CannotMeasure, IOException, InterruptedException {
        var origin = stage.grounds().origin();
        var files = Files.createDirectories(stage.grounds().disk().resolve(FILES).resolve("img"));
        for (var image : List.of("beach.jpg", "thumb.jpg")) {
            Files.write(files.resolve(image), Site.assembled("/img/" + image, ""));
        }
        var arms = new ArrayList<Arm>();
        try {
            for (var title : List.of(STATIC, NGINX, VARNISH, VARNISH_FILE, QUIRE, QUIRE_DISK)) {
                arms.add(start(stage, title, SMALL_MIB));
            }
            for (var image : List.of("beach.jpg", "thumb.jpg")) {
                var body = new Step.Body("/img/" + image, Site.assembled("/img/" + image, ""));
                for (var arm : arms.subList(1, arms.size())) {
                    new Visit(1, number -> body).untilStored(stage, arm, origin::requests);
                }
                int begin = cases.size();
                // Those with few clients last: by then the code of Quire is compiled.
                for (var shape : SHAPES.reversed()) {
                    cases.add(
                            begin,
                            stage.measure(
                                    step(stage, image, body, shape),
                                    arms,
                                    origin::requests,
                                    List.of(origin.running())));
                }
            }
        } finally {
            arms.forEach(Arm::close);
        }
    }

    private static Step step(Stage stage, String image, Step.Body body, Shape shape) {
        int clients = shape.clients();
        int each = stage.extent().of(shape.requests(), 2 * clients);
        int times = stage.extent().of(REQUESTS / shape.requests(), 1);
        return new Step(
                shape.title(image),
                clients,
                1,
                body.bytes().length,
                List.of(body),
                arm -> {
                    var runs = new ArrayList<Outcome>();
                    for (int time = 0; time < times; time++) {
                        runs.add(stage.load().closing(arm.url(body.path()), each, clients));
                    }
                    return Outcome.sum(runs);
                });
    }

    /** The further images, from the disk; returns the table of the cold page cache. */
    private static String large(Stage stage, List<Case> cases)
            throws CannotMeasure, IOException, InterruptedException {
        var origin = stage.grounds().origin();
        int count = stage.extent().of(MANY, 40);
        var path = "/many/" + BEACH_BYTES;
        var visit = new Visit(count, number -> body(path + "/" + number));
        var arms = new ArrayList<Arm>();
        try {
            for (var title : List.of(NGINX, VARNISH_FILE, QUIRE_DISK)) {
                arms.add(start(stage, title, LARGE_MIB));
            }
            for (var arm : arms) {
                visit.untilStored(stage, arm, origin::requests);
            }
            var duration = Duration.ofSeconds(stage.extent().of(4, 1));
            var step =
                    new Step(
                            "2,000 images of 100 KiB, %d clients".formatted(MANY_CLIENTS),
                            MANY_CLIENTS,
                            1,
                            BEACH_BYTES,
                            List.of(body(path + "/0"), body(path + "/" + (count - 1))),
                            arm ->
                                    stage.load()
                                            .closingMany(
                                                    arm.url(path), count, MANY_CLIENTS, duration));
            cases.add(stage.measure(step, arms, origin::requests, List.of(origin.running())));
            return cold(stage, visit, List.of(arms.getFirst(), arms.getLast()));
        } finally {
            arms.forEach(Arm::close);
        }
    }

    private static Step.Body body(String path) {
        return new Step.Body(path, Site.assembled(path, ""));
    }

    /** Reads all images once from files that the kernel has in memory, and once from the disk. */
    private static String cold(Stage stage, Visit visit, List<Arm> arms)
            throws CannotMeasure, IOException, InterruptedException {
        var warm = new HashMap<Arm, List<Double>>();
        var cold = new HashMap<Arm, List<Double>>();
        var read = new HashMap<Arm, List<Double>>();
        for (int round = 0; round < stage.extent().rounds(); round++) {
            for (var arm : arms) {
                warm.computeIfAbsent(arm, one -> new ArrayList<>()).add(visit.once(stage, arm));
                dropPages(stage);
                long before = arm.running().readBytes();
                cold.computeIfAbsent(arm, one -> new ArrayList<>()).add(visit.once(stage, arm));
                read.computeIfAbsent(arm, one -> new ArrayList<>())
                        .add((arm.running().readBytes() - before) / (double) (1 << 20));
            }
        }
        var text =
                new StringBuilder(
                        "| | page cache warm | page cache cold | read from the disk then |\n| --- | --: | --: | --: |\n");
        for (var arm : arms) {
            text.append(
                    "| %s | %.2f s | %.2f s | %.0f MiB |%n"
                            .formatted(
                                    arm.name(),
                                    median(warm.getOrDefault(arm, List.of())),
                                    median(cold.getOrDefault(arm, List.of())),
                                    median(read.getOrDefault(arm, List.of()))));
        }
        return text.toString();
    }

    private static double median(List<Double> values) {
        return Statistics.median(values.stream().mapToDouble(Double::doubleValue));
    }

    /** Writes the files of the caches to the disk and removes their pages from memory. */
    private static void dropPages(Stage stage)
            throws CannotMeasure, IOException, InterruptedException {
        var log = stage.grounds().folder().resolve("drop.log");
        var running =
                Running.start(
                        List.of(
                                "find",
                                stage.grounds().disk().toString(),
                                "-type",
                                "f",
                                "-size",
                                "+0",
                                "-exec",
                                "dd",
                                "of={}",
                                "oflag=nocache",
                                "conv=notrunc,fdatasync",
                                "count=0",
                                "status=none",
                                ";"),
                        Map.of(),
                        log);
        if (!running.awaitEnd(Duration.ofMinutes(2)) || running.exitCode() != 0) {
            throw new CannotMeasure("pages cannot be dropped: " + Files.readString(log, UTF_8));
        }
    }

    /** Starts the server {@code title} with a cache of {@code mib} MiB. */
    private static Arm start(Stage stage, String title, String mib)
            throws CannotMeasure, IOException, InterruptedException {
        var name = title.replaceAll("\\W+", " ").strip().replace(' ', '-') + "-" + mib;
        var disk = Files.createDirectories(stage.grounds().disk().resolve(name));
        var variables = new HashMap<String, String>();
        variables.put("QUIRE_BENCH_MIB", mib);
        variables.put("QUIRE_BENCH_DISK", disk.toString());
        variables.put("QUIRE_BENCH_FILES", stage.grounds().disk().resolve(FILES).toString());
        if (title.equals(VARNISH_FILE)) {
            variables.put("QUIRE_BENCH_STORAGE", "file," + disk.resolve("storage"));
        }
        var script = SCRIPTS.getOrDefault(title, title);
        var target = stage.start(script, name, stage.grounds().origin().port(), variables);
        return Arm.cache(title, LOOKS.getOrDefault(title, "bound"), target);
    }

    private static List<Claim> claims(List<Case> few, Case many) {
        var claims = new ArrayList<Claim>();
        var varnish = Lowest.of(few, QUIRE, VARNISH);
        claims.add(
                Claim.atLeast(
                        "memory: at least 1.0 × Varnish in each of the eight loads; the lowest: "
                                + varnish.load(),
                        varnish.ratio(),
                        1,
                        "×"));
        var files = Lowest.of(few, QUIRE, STATIC);
        claims.add(
                Claim.reported(
                        "memory beside nginx with files (goal 0.95); the lowest: " + files.load(),
                        files.ratio(),
                        "×"));
        var nginx = Lowest.of(few, QUIRE_DISK, NGINX);
        claims.add(
                Claim.atLeast(
                        "disk: at least 0.9 × nginx in each load; the lowest: " + nginx.load(),
                        nginx.ratio(),
                        0.9,
                        "×"));
        var file = Lowest.of(few, QUIRE_DISK, VARNISH_FILE);
        claims.add(
                Claim.atLeast(
                        "disk: at least 1.2 × Varnish with its file in each load; the lowest: "
                                + file.load(),
                        file.ratio(),
                        1.2,
                        "×"));
        claims.add(
                Claim.atLeast(
                        "2,000 images from the disk: at least 0.9 × nginx",
                        Tables.ratio(many, QUIRE_DISK, NGINX),
                        0.9,
                        "×"));
        claims.add(
                Claim.atLeast(
                        "2,000 images from the disk: at least 1.2 × Varnish with its file",
                        Tables.ratio(many, QUIRE_DISK, VARNISH_FILE),
                        1.2,
                        "×"));
        for (var arm : List.of(QUIRE, QUIRE_DISK)) {
            claims.add(
                    Claim.atLeast(
                            "%s: 300 clients at least 0.9 × of 150; the lower of both images"
                                    .formatted(arm),
                            Math.min(
                                    more(few.get(3), few.get(2), arm),
                                    more(few.get(7), few.get(6), arm)),
                            0.9,
                            "×"));
        }
        return claims;
    }

    /** The lowest ratio of two arms, and its load. */
    private record Lowest(String load, double ratio) {
        /** One that could not be measured is the lowest. */
        static Lowest of(List<Case> cases, String arm, String base) {
            return cases.stream()
                    .map(one -> new Lowest(one.title(), Tables.ratio(one, arm, base)))
                    .min(
                            Comparator.comparingDouble(
                                    each -> Double.isNaN(each.ratio) ? -1 : each.ratio))
                    .orElseThrow();
        }
    }

    /** Returns the rate of {@code arm} in one case in relation to another. */
    private static double more(Case one, Case base, String arm) {
        return one.of(arm).orElseThrow().ratioTo(base.of(arm).orElseThrow());
    }
}
