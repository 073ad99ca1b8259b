package dev.quire.test.wire;

import dev.quire.core.assemble.AssemblyObserver;
import dev.quire.proxy.Proxy;
import dev.quire.proxy.StoredEntry;
import dev.quire.proxy.admin.PurgeRequest;
import dev.quire.proxy.cli.CannotStart;
import dev.quire.proxy.cli.ListenAddresses;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.InvalidConfiguration;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.exchange.OriginClient;
import dev.quire.proxy.exchange.Time;
import dev.quire.test.wire.internal.ClientProtocol;
import dev.quire.test.wire.internal.StorageTier;
import dev.quire.test.wire.internal.TestCertificate;
import dev.quire.test.wire.internal.Watch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The real proxy, in this JVM, on free ports of the loopback. Thread-safe. */
public final class RunningProxy implements ProxyHandle {
    private static final Duration POLL = Duration.ofMillis(1);

    private final Proxy proxy;
    private final InetSocketAddress http;
    private final ListenAddresses addresses;
    private final String scheme;

    /** In front of the proxy if the clients of the test speak another protocol. */
    private final @Nullable Http2Bridge bridge;

    private final AtomicBoolean stopped = new AtomicBoolean();

    private final Runnable atItsEnd;

    private RunningProxy(Proxy proxy, ClientProtocol clients, Runnable atItsEnd)
            throws CannotStart {
        this.proxy = proxy;
        this.atItsEnd = atItsEnd;
        addresses = proxy.start();
        bridge =
                switch (clients) {
                    case HTTP1 -> null;
                    case H2C -> Http2Bridge.to(addresses.http(), null);
                    case H2 ->
                            Http2Bridge.to(addresses.https(), TestCertificate.shared().trusting());
                };
        http = bridge == null ? addresses.http() : bridge.address();
        scheme = clients == ClientProtocol.H2 ? "https" : "http";
    }

    public static Setup inFrontOf(Origin origin) {
        return inFrontOf(origin.url());
    }

    /** A proxy, not yet started, whose only origin is the server at {@code origin}. */
    public static Setup inFrontOf(URI origin) {
        return new Setup(origin);
    }

    /**
     * The configuration of a proxy: the product's defaults, but on free ports, without an access
     * log and with a cache of 64 MiB. One thread.
     */
    public static final class Setup {
        private final Map<String, String> sections = new LinkedHashMap<>();
        private final URI origin;
        private Time time = Time.system();
        private Consumer<RunningProxy> whenStarted = running -> {};
        private AssemblyObserver observer = AssemblyObserver.NONE;

        private Setup(URI origin) {
            this.origin = origin;
            sections.put("listen", "{ http: \"127.0.0.1:0\" }");
            sections.put("admin", "{ address: \"127.0.0.1:0\" }");
            sections.put("log", "{ access: off }");
            sections.put("cache", "{ memory: 64MiB }");
            sections.put("routes", "[ { host: \"*\", path: \"/**\", origin: tested } ]");
            origin("");
        }

        public Setup clock(Time clock) {
            if (clock instanceof TestClock shared) {
                shared.connect(this);
            }
            time = clock;
            return this;
        }

        /** Reports the parts of readers' pages to {@code observer}, on its own threads. */
        public Setup observedBy(AssemblyObserver who) {
            observer = who;
            return this;
        }

        /**
         * Passes the running proxy to {@code who}, for example to find its admin address if other
         * code starts it.
         */
        public Setup whenStarted(Consumer<RunningProxy> who) {
            whenStarted = whenStarted.andThen(who);
            return this;
        }

        /**
         * With one section of the configuration as YAML, for example {@code with("cache", "{ grace:
         * 0s }")}. The origin is called {@code tested}.
         */
        public Setup with(String section, String yaml) {
            sections.put(section, yaml);
            return this;
        }

        /**
         * With more keys for the origin, for example {@code connect-timeout: 200ms, retries: 0}.
         */
        public Setup origin(String keys) {
            var more = keys.isEmpty() ? "" : ", " + keys;
            return with("origins", "{ tested: { urls: [\"%s\"]%s } }".formatted(origin, more));
        }

        /**
         * Starts it.
         *
         * @throws AssertionError with every problem, if its configuration is invalid or it cannot
         *     start
         */
        public RunningProxy start() {
            var clients = ClientProtocol.selected();
            listenFor(clients);
            var directory = StorageTier.selected() == StorageTier.DISK ? storeOnDisk() : null;
            try {
                var running =
                        new RunningProxy(
                                new Proxy(configuration(), time, observer),
                                clients,
                                () -> {
                                    leaveClock();
                                    delete(directory);
                                });
                whenStarted.accept(running);
                return running;
            } catch (CannotStart e) {
                throw new AssertionError("the proxy did not start: " + e.getMessage(), e);
            }
        }

        /**
         * Starts it without sockets.
         *
         * @param origin creates its client of the origin, given the longest wait for a response
         */
        public ProxyHandle startWithoutSockets(Function<Duration, OriginClient> origin) {
            return new LocalProxy(configuration(), time, observer, origin, this::leaveClock);
        }

        private void listenFor(ClientProtocol clients) {
            var more =
                    switch (clients) {
                        case HTTP1 -> "";
                        case H2C -> "h2c: true, ";
                        case H2 -> "https: \"127.0.0.1:0\", ";
                    };
            sections.computeIfPresent(
                    "listen", (key, yaml) -> yaml.replaceFirst("\\{", "{ " + more));
            if (clients == ClientProtocol.H2) {
                sections.putIfAbsent("tls", TestCertificate.shared().section());
            }
        }

        /** Returns the directory. */
        private Path storeOnDisk() {
            sections.computeIfPresent(
                    "cache",
                    (key, yaml) ->
                            yaml.replaceFirst("memory: *\\w+,?", "")
                                    .replaceFirst("\\{", "{ memory: 0, "));
            try {
                var directory = Files.createTempDirectory("quire-disk");
                sections.put(
                        "disk",
                        "{ path: \"%s\", size: 64MiB, min-lifetime: 0s, io-timeout: 10s }"
                                .formatted(directory));
                return directory;
            } catch (IOException e) {
                throw new UncheckedIOException("cannot create a directory", e);
            }
        }

        private static void delete(@Nullable Path directory) {
            if (directory == null) {
                return;
            }
            try (var files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            } catch (IOException e) {
                throw new UncheckedIOException("cannot delete " + directory, e);
            }
        }

        private void leaveClock() {
            if (time instanceof TestClock shared) {
                shared.disconnect(
                        this, "the proxy that used it is stopped (start another with it)");
            }
        }

        private Configuration configuration() {
            var yaml =
                    sections.entrySet().stream()
                            .map(section -> section.getKey() + ": " + section.getValue() + "\n")
                            .collect(Collectors.joining());
            try {
                var file = Files.createTempFile("quire", ".yml");
                try {
                    Files.writeString(file, yaml);
                    return Configuration.of(Options.NONE.withFile(file));
                } finally {
                    Files.delete(file);
                }
            } catch (InvalidConfiguration e) {
                throw new AssertionError(
                        "the proxy rejects this configuration:\n" + yaml + e.getMessage(), e);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write a configuration", e);
            }
        }
    }

    public InetSocketAddress http() {
        return http;
    }

    /**
     * The address for clients with TLS.
     *
     * @throws NoSuchElementException if {@code listen.https} is absent
     */
    public InetSocketAddress https() {
        return addresses.https();
    }

    public InetSocketAddress admin() {
        return addresses.admin();
    }

    /** The URL of {@code target} for clients and purges. */
    public String url(String target) {
        return scheme + "://" + http.getHostString() + ":" + http.getPort() + target;
    }

    @Override
    public HttpWire connect() {
        var wire = HttpWire.to(http);
        return bridge == null ? wire : wire.behind(bridge::portAtServer);
    }

    public Response get(String target, String... fields) {
        try (var client = connect()) {
            return client.get(target, fields);
        }
    }

    public Response getAdmin(String target, String... fields) {
        try (var operator = HttpWire.to(admin())) {
            return operator.get(target, fields);
        }
    }

    public void purge(String... targets) {
        purgeUrls(Arrays.stream(targets).map(this::url).toArray(String[]::new));
    }

    @Override
    public void purgeUrls(String... urls) {
        var keys = Arrays.stream(urls).map(url -> url.replaceFirst("^http:", scheme + ":"));
        purge(proxy, keys.toList(), List.of());
    }

    @Override
    public void purgeTags(String... tags) {
        purge(proxy, List.of(), List.of(tags));
    }

    static void purge(Proxy proxy, List<String> urls, List<String> tags) {
        var keys = urls.stream().map(url -> PurgeRequest.key("urls", url)).toList();
        proxy.administration().purge(PurgeRequest.of(keys, tags));
    }

    /**
     * A metric's value, summed over all its labels; 0 if absent.
     *
     * @param name as {@code /metrics} prints it
     */
    public double metric(String name) {
        return getAdmin("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    public List<StoredEntry> stored() {
        return proxy.stored();
    }

    public void awaitMetric(String name, double value) {
        await(
                () -> metric(name) >= value,
                () -> "expected %s to reach %s, found %s".formatted(name, value, metric(name)));
    }

    @Override
    public void awaitNoFetch() {
        awaitNoFetch(proxy, stopped::get);
    }

    /** Waits until {@code proxy} has no fetch in flight, or is stopped. */
    static void awaitNoFetch(Proxy proxy, BooleanSupplier isStopped) {
        await(
                () -> isStopped.getAsBoolean() || proxy.openFetches() == 0,
                () -> "expected no fetch in flight, found " + proxy.openFetches());
    }

    /** Stops it as an operator would: it accepts no new requests and finishes those in flight. */
    public void drain() {
        if (stopped.compareAndSet(false, true)) {
            proxy.drainAndStop();
            closeBridge();
            atItsEnd.run();
        }
    }

    /** Stops it immediately, unless it is already stopped. */
    @Override
    public void close() {
        if (stopped.compareAndSet(false, true)) {
            proxy.close();
            closeBridge();
            atItsEnd.run();
        }
    }

    private void closeBridge() {
        if (bridge != null) {
            bridge.close();
        }
    }

    /** Polls, because the proxy has no event to wait for from outside. */
    private static void await(BooleanSupplier reached, Supplier<String> failure) {
        long end = System.nanoTime() + Watch.PATIENCE.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(
                        failure.get() + " (waited " + Watch.PATIENCE.toSeconds() + " seconds)");
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }
}
