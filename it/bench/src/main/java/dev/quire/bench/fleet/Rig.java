package dev.quire.bench.fleet;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.Root;
import dev.quire.bench.Running;
import dev.quire.bench.kill.KilledProxy.Launch;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.cli.Options;
import org.jspecify.annotations.Nullable;

/** {@code bin/fleet}: starts a fleet to try. */
public final class Rig {
    private static final String SECRET = "QUIRE_VARIANT_SECRET";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration POLL = Duration.ofSeconds(1);

    private final Fleet fleet;
    private final @Nullable StoreGroup group;
    private final Running origin;
    private final int originPort;
    private final Path folder;
    private final boolean isNews;

    private Rig(
            Fleet fleet,
            @Nullable StoreGroup group,
            Running origin,
            int originPort,
            Path folder,
            boolean isNews) {
        this.fleet = fleet;
        this.group = group;
        this.origin = origin;
        this.originPort = originPort;
        this.folder = folder;
        this.isNews = isNews;
    }

    public static void main(String[] words) throws IOException, InterruptedException {
        Locale.setDefault(Locale.ROOT);
        try {
            var arguments =
                    Arguments.readWithOperands(
                            "bin/fleet",
                            "N",
                            "Starts N proxies with one store.",
                            options(),
                            List.of(words));
            if (arguments.isPresent()) {
                run(arguments.get());
            }
            System.exit(0);
        } catch (CannotMeasure e) {
            System.exit(e.report("bin/fleet"));
        }
    }

    private static Options options() {
        return new Options()
                .addOption(null, "redis", false, "The store is redis-server (default).")
                .addOption(Arguments.taking("valkey", "PATH", "The store is this valkey-server."))
                .addOption(null, "sentinel", false, "The store is behind sentinels.")
                .addOption(null, "cluster", false, "The store is a cluster.")
                .addOption(null, "memcached", false, "The store is two memcached servers.")
                .addOption(null, "none", false, "Without a store.")
                .addOption(null, "disk", false, "Each proxy has a disk tier.")
                .addOption(Arguments.taking("news", "JAR", "The origin is the news sample."))
                .addOption(Arguments.takingDirectory());
    }

    private static int nodes(List<String> operands) throws CannotMeasure {
        if (operands.size() == 1 && operands.getFirst().matches("[1-9]|1\\d|20")) {
            return Integer.parseInt(operands.getFirst());
        }
        throw new CannotMeasure("expected the number of proxies, from 1 to 20, found " + operands);
    }

    private static void run(Arguments arguments)
            throws CannotMeasure, IOException, InterruptedException {
        int nodes = nodes(arguments.operands());
        var news = arguments.value("news");
        var environment = new HashMap<String, String>();
        var yaml = "";
        if (news.isPresent()) {
            var secret = new byte[32];
            new SecureRandom().nextBytes(secret);
            environment.put(SECRET, HexFormat.of().formatHex(secret));
            yaml = "variants: { secret: \"${%s}\" }\n".formatted(SECRET);
        }
        var script = Launch.script(Root.folder());
        environment.putAll(script.environment());
        var launch = new Launch(script.command(), environment);
        int port = FreePort.next();
        try (var folder = OwnedFolder.in(arguments.directory());
                var group = group(arguments, folder.path());
                var fleet =
                        Fleet.start(
                                new Fleet.Terms(
                                                nodes,
                                                store(arguments, group),
                                                Optional.empty(),
                                                arguments.has("disk"),
                                                yaml)
                                        .with(group),
                                launch,
                                folder.path(),
                                port);
                var origin =
                        news.isPresent()
                                ? news(news.get(), fleet, environment, folder.path(), port)
                                : counting(folder.path(), port)) {
            origin.awaitPort("the origin", port, PATIENCE);
            var rig = new Rig(fleet, group, origin, port, folder.path(), news.isPresent());
            System.out.println(rig.description());
            rig.await();
        }
    }

    private static @Nullable StoreGroup group(Arguments arguments, Path folder)
            throws CannotMeasure, IOException, InterruptedException {
        if (arguments.has("sentinel")) {
            return StoreGroup.sentinels(program(arguments), folder);
        }
        if (arguments.has("memcached")) {
            return StoreGroup.memcached(folder);
        }
        return arguments.has("cluster") ? StoreGroup.cluster(program(arguments), folder) : null;
    }

    private static Optional<String> store(Arguments arguments, @Nullable StoreGroup group) {
        return group != null || arguments.has("none")
                ? Optional.empty()
                : Optional.of(program(arguments));
    }

    private static String program(Arguments arguments) {
        return arguments.value("valkey").orElse("redis-server");
    }

    private static Running counting(Path folder, int port) throws IOException {
        return Running.start(
                List.of(
                        Running.java().toString(),
                        "-Xmx256m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.quire.bench.peers.Origin",
                        Integer.toString(port)),
                Map.of(),
                folder.resolve("origin.log"));
    }

    private static Running news(
            String jar, Fleet fleet, Map<String, String> environment, Path folder, int port)
            throws IOException {
        return Running.start(
                List.of(
                        Running.java().toString(),
                        "-Xmx512m",
                        "-jar",
                        jar,
                        "--server.port=" + port,
                        "--quire.surrogate.urls=" + admins(fleet, "http://")),
                environment,
                folder.resolve("site.log"));
    }

    private String description() {
        var text = new StringBuilder("\n");
        for (int i = 0; i < fleet.size(); i++) {
            var node = fleet.node(i);
            text.append(
                    "  node %-4s http://127.0.0.1:%-6d admin http://127.0.0.1:%d%n"
                            .formatted(Fleet.name(i), node.port(), node.adminPort()));
        }
        fleet.store()
                .ifPresent(store ->
                        text.append("  the store redis-cli -p %d%n".formatted(store.port())));
        if (group != null) {
            text.append("  the store  %s%n".formatted(group.description()));
        }
        var page = isNews ? "/main/home.nhn" : "/page/esi/10";
        text.append("  the origin http://127.0.0.1:%d%s%n".formatted(originPort, page));
        if (!isNews) {
            text.append(
                    "    also /news/esi/article/0 to 19999; requests so far: curl http://127.0.0.1:%d/control/requests%n"
                            .formatted(originPort));
        }
        text.append("  logs       %s%n%n".formatted(folder));
        text.append(
                "The nodes share what they store of one host, so ask all of them for the same:%n"
                        .formatted());
        text.append(
                "  curl -si -H 'Host: fleet.example' http://127.0.0.1:%d%s | grep -ai cache-status%n"
                        .formatted(fleet.node(fleet.size() - 1).port(), page));
        text.append("Purge it at all nodes:%n".formatted());
        text.append(
                hasLog()
                        ? "  curl -s http://127.0.0.1:%d/v1/purge -H 'Content-Type: application/json' -d '{\"urls\":[\"http://fleet.example%s\"],\"ack\":\"fleet\"}'%n"
                                .formatted(fleet.node(0).adminPort(), page)
                        : "  bin/quire purge --url http://fleet.example%s --admin %s%n"
                                .formatted(page, admins(fleet, "")));
        text.append("Ctrl-C stops all.");
        return text.toString();
    }

    private boolean hasLog() {
        return group == null ? fleet.store().isPresent() : group.hasLog();
    }

    private static String admins(Fleet fleet, String before) {
        return IntStream.range(0, fleet.size())
                .mapToObj(i -> before + "127.0.0.1:" + fleet.node(i).adminPort())
                .collect(Collectors.joining(","));
    }

    /** Returns when the origin has ended. */
    private void await() throws InterruptedException {
        while (origin.isAlive()) {
            Thread.sleep(POLL);
        }
        if (!Running.isStopping()) {
            System.err.println("the origin has ended: " + origin.output());
        }
    }
}
