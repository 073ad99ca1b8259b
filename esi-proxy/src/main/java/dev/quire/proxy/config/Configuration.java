package dev.quire.proxy.config;

import dev.quire.core.rule.ErrorPageRules;
import dev.quire.core.rule.Rules;
import dev.quire.proxy.route.OriginSettings;
import dev.quire.proxy.tls.TlsTerms;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The complete configuration. Immutable: a request uses the one it began with.
 *
 * @param listen the addresses for clients
 * @param tls the certificates of those with TLS
 * @param admin the admin listener
 * @param trust which clients are believed, and which see diagnostics
 * @param origins by name, in the order of the file
 * @param routes the first match is used; each refers to one of {@code origins}
 * @param errorPages pages in place of error responses
 * @param rules applied to all routes; each origin that they choose is one of {@code origins}
 */
public record Configuration(
        Listen listen,
        TlsTerms tls,
        Admin admin,
        TrustConfig trust,
        Map<String, OriginSettings> origins,
        List<RouteConfig> routes,
        CacheConfig cache,
        DiskConfig disk,
        SharedConfig shared,
        FleetConfig fleet,
        EsiConfig esi,
        VariantsConfig variants,
        LogConfig log,
        DeliverConfig deliver,
        DrainConfig drain,
        LimitsConfig limits,
        InvalidationConfig invalidation,
        ErrorPageRules errorPages,
        Rules rules) {

    /** The name of the origin given by {@code --to}. */
    public static final String DEFAULT_ORIGIN = "default";

    /** The defaults, without origins and routes. */
    public static final Configuration DEFAULTS =
            new Configuration(
                    Listen.DEFAULTS,
                    TlsTerms.NONE,
                    Admin.DEFAULTS,
                    TrustConfig.DEFAULTS,
                    Map.of(),
                    List.of(),
                    CacheConfig.DEFAULTS,
                    DiskConfig.DEFAULTS,
                    SharedConfig.DEFAULTS,
                    FleetConfig.DEFAULTS,
                    EsiConfig.DEFAULTS,
                    VariantsConfig.DEFAULTS,
                    LogConfig.DEFAULTS,
                    DeliverConfig.DEFAULTS,
                    DrainConfig.DEFAULTS,
                    LimitsConfig.DEFAULTS,
                    InvalidationConfig.DEFAULTS,
                    ErrorPageRules.NONE,
                    Rules.NONE);

    public Configuration {
        origins = Collections.unmodifiableMap(new LinkedHashMap<>(origins));
        routes = List.copyOf(routes);
        for (var route : routes) {
            if (!origins.containsKey(route.origin())) {
                throw new IllegalArgumentException(
                        "a route refers to the unknown origin '"
                                + route.origin()
                                + "', expected one of "
                                + origins.keySet());
            }
        }
    }

    /** Whether a store keeps the log of a fleet. */
    public boolean hasLog() {
        return fleet.isOn() || (shared.isOn() && !shared.isWithoutLog());
    }

    /** The servers with the log of the fleet. */
    public List<HostPort> logServers() {
        return fleet.servers().isEmpty() ? shared.servers() : fleet.servers();
    }

    /** The memory limit of in-flight bodies. */
    public long transitBytes() {
        return Math.max(cache.transitBytes(), leastTransitBytes());
    }

    /** Without memory for responses, those that the lower tiers write are in flight. */
    private long leastTransitBytes() {
        return Math.max(disk.queueBytes(), shared.queueBytes());
    }

    /** Returns why {@code availableBytes} of direct memory do not suffice, or nothing. */
    public Optional<Problem> lackOfMemory(long availableBytes) {
        long tiers = disk.neededBytes() + shared.neededBytes();
        long needed = cache.memoryBytes() + transitBytes() + tiers;
        if (availableBytes >= needed) {
            return Optional.empty();
        }
        long left = availableBytes - tiers;
        long most = Math.min(CacheConfig.memoryBytesWithin(left), left - leastTransitBytes());
        return Optional.of(
                new Problem(
                        Optional.empty(),
                        cache.memoryBytes() > 0 || !disk.isOn() ? "cache.memory" : "disk.index",
                        neededMemory()
                                + " exceeds the JVM's direct memory limit of "
                                + availableBytes
                                + " B",
                        (cache.memoryBytes() > 0 && most > 0 ? "at most " + most + " B, " : "")
                                + (disk.isOn() ? "a smaller disk.index, " : "")
                                + "or the JVM option -XX:MaxDirectMemorySize="
                                + needed
                                + ", which bin/quire takes from QUIRE_JVM_OPTIONS"));
    }

    private String neededMemory() {
        return (cache.memoryBytes() > 0 ? cache.memoryBytes() + " B plus " : "")
                + transitBytes()
                + " B for in-flight bodies"
                + (disk.isOn()
                        ? " and "
                                + disk.neededBytes()
                                + " B for the disk tier (disk.index and its queue)"
                        : "")
                + (shared.isOn() ? " and " + shared.neededBytes() + " B for the shared tier" : "");
    }

    /**
     * Returns the authority of requests of HTTP/1.0 without Host: {@code listen.default-host}, or
     * the host of all routes if they name a single one.
     */
    public Optional<String> defaultHost() {
        var hosts = routes.stream().map(RouteConfig::host).distinct().toList();
        return listen.defaultHost()
                .or(() ->
                        hosts.size() == 1 && !hosts.getFirst().startsWith("*")
                                ? Optional.of(hosts.getFirst())
                                : Optional.empty());
    }

    /**
     * Reads the configuration from the command line and the file it names; options override the
     * file.
     *
     * @throws InvalidConfiguration with all problems, before anything is started
     */
    public static Configuration of(Options options) throws InvalidConfiguration {
        return of(options, warning -> {});
    }

    /** Like {@link #of(Options)}; also returns problems that do not make it invalid. */
    public static Configuration of(Options options, Consumer<Problem> warnings)
            throws InvalidConfiguration {
        return ConfigurationReader.read(options, System::getenv, warnings);
    }

    /**
     * Reads a file alone. Without origins and routes it is valid, but only usable with {@code
     * --to}.
     *
     * @throws InvalidConfiguration with all problems
     */
    public static Configuration check(Path file) throws InvalidConfiguration {
        return check(file, warning -> {});
    }

    /** Like {@link #check(Path)}; also returns problems that do not make it invalid. */
    public static Configuration check(Path file, Consumer<Problem> warnings)
            throws InvalidConfiguration {
        return ConfigurationReader.check(file, System::getenv, warnings);
    }
}
