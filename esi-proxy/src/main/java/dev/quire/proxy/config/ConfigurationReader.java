package dev.quire.proxy.config;

import dev.quire.core.policy.Compression;
import dev.quire.core.policy.SignedVariant;
import dev.quire.proxy.cel.CelExpressions;
import dev.quire.proxy.config.CacheConfig.SetCookie;
import dev.quire.proxy.route.OriginSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Builds a configuration from the command line and the file, or reports all their problems. Used
 * once.
 */
final class ConfigurationReader {
    static final ValueParser<Duration> FROM_ZERO = ValueParser.duration(Duration.ZERO);
    static final ValueParser<Duration> POSITIVE = ValueParser.duration(Duration.ofMillis(1));

    private static final ValueParser<Long> MEMORY =
            ValueParser.bytesOrZero(1 << 20, "with disk.path or shared.servers");

    /** Placeholder for unusable URLs; the configuration is rejected in that case. */
    private static final URI NOWHERE = URI.create("http://origin.invalid");

    private static final CelExpressions LANGUAGE = new CelExpressions();

    private static final String FROM = "client-directives-from";

    private final Options options;
    private final boolean alone;
    private final Problems problems;
    private final Expansion expansion;
    private boolean hasText;
    private Map<String, Object> shown = Map.of();

    private List<RuleTest> tests = List.of();

    private ConfigurationReader(
            Options options,
            boolean alone,
            String name,
            UnaryOperator<@Nullable String> environment) {
        this.options = options;
        this.alone = alone;
        this.problems = new Problems(name);
        this.expansion = new Expansion(environment);
    }

    static Configuration read(Options options, UnaryOperator<@Nullable String> environment)
            throws InvalidConfiguration {
        return read(options, environment, warning -> {});
    }

    /**
     * Reads the configuration for {@code run}.
     *
     * @param environment returns the value of a variable, or null if it is not set
     * @param warnings receives what does not make a configuration invalid
     */
    static Configuration read(
            Options options,
            UnaryOperator<@Nullable String> environment,
            Consumer<Problem> warnings)
            throws InvalidConfiguration {
        return read(options, ConfigurationSource.text(options), environment, warnings);
    }

    /** Like {@link #read(Options, UnaryOperator, Consumer)}, with {@code text} as the file. */
    static Configuration read(
            Options options,
            Optional<ConfigurationText> text,
            UnaryOperator<@Nullable String> environment,
            Consumer<Problem> warnings)
            throws InvalidConfiguration {
        var name = text.map(ConfigurationText::name).orElse("");
        return new ConfigurationReader(options, false, name, environment).read(text, warnings);
    }

    /** Returns all values of {@code text} as a file would, with options and defaults. */
    static Map<String, Object> shown(
            Options options,
            Optional<ConfigurationText> text,
            UnaryOperator<@Nullable String> environment)
            throws InvalidConfiguration {
        var name = text.map(ConfigurationText::name).orElse("");
        var reader = new ConfigurationReader(options, false, name, environment);
        reader.read(text, warning -> {});
        return reader.shown;
    }

    /** Reads a file alone; without origins and routes it requires {@code --to} to run. */
    static Configuration check(
            Path file, UnaryOperator<@Nullable String> environment, Consumer<Problem> warnings)
            throws InvalidConfiguration {
        return checked(file, environment, warnings).configuration();
    }

    /** Like {@link #check}, with the tests. */
    static CheckedFile checked(
            Path file, UnaryOperator<@Nullable String> environment, Consumer<Problem> warnings)
            throws InvalidConfiguration {
        var options = Options.NONE.withFile(file);
        var reader = new ConfigurationReader(options, true, file.toString(), environment);
        var configuration = reader.read(ConfigurationSource.text(options), warnings);
        return new CheckedFile(configuration, reader.tests);
    }

    /** All keys, in the order of reading. */
    static List<Key> keys() {
        var reader = new ConfigurationReader(Options.NONE, true, "", variable -> null);
        return Section.describe(root -> {
            IncludedFiles.patterns(root);
            return reader.configuration(
                    root, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
        });
    }

    private Configuration read(Optional<ConfigurationText> text, Consumer<Problem> warnings)
            throws InvalidConfiguration {
        if (options.to().isEmpty() && text.isEmpty()) {
            problems.onCommandLine(
                    "run", "no origin is given", "--to URL, or --config FILE with origins");
        }
        hasText = text.isPresent();
        var to = option("--to", options.to(), ValueParser.ORIGIN_URL);
        var listen = option("--listen", options.listen(), ValueParser.ADDRESS);
        var admin = option("--admin", options.admin(), ValueParser.ADDRESS);
        var token = option("--admin-token-file", options.adminToken(), TokenFile.NOTATION);
        var tree =
                text.isPresent()
                        ? new IncludedFiles(
                                        text.get(),
                                        new ConfigurationFile(problems),
                                        problems,
                                        expansion)
                                .read()
                        : null;
        var configuration =
                Section.read(
                        problems,
                        expansion,
                        tree,
                        root -> configuration(root, to, listen, admin, token),
                        values -> shown = values);
        problems.throwIfAny();
        problems.warnings().forEach(warnings);
        return configuration;
    }

    private Configuration configuration(
            Section root,
            Optional<URI> to,
            Optional<HostPort> http,
            Optional<HostPort> admin,
            Optional<Token> token) {
        // Read before, by IncludedFiles.
        root.has(IncludedFiles.KEY);
        var http2 = root.section("http2", Http2Config::read);
        var listen = root.section("listen", section -> ListenReader.listen(section, http, http2));
        var origins = origins(root, to);
        tests = RuleTestReader.tests(root);
        var tls = root.section("tls", section -> TlsReader.tls(section, listen));
        var adminPort = root.section("admin", section -> admin(section, listen, admin, token));
        var trust = trust(root);
        var routes = routes(root, origins);
        var disk = root.section("disk", DiskConfig::read);
        var shared = root.section("shared", SharedConfig::read);
        return new Configuration(
                listen,
                tls,
                adminPort,
                trust,
                origins,
                routes,
                root.section("cache", section -> cache(section, disk.isOn() || shared.isOn())),
                disk,
                shared,
                root.section("fleet", section -> FleetConfig.read(section, shared)),
                root.section("esi", EsiReader::esi),
                root.section("variants", ConfigurationReader::variants),
                root.section("log", ConfigurationReader::log),
                root.section("deliver", ConfigurationReader::deliver),
                root.section("drain", ConfigurationReader::drain),
                root.section("limits", ConfigurationReader::limits),
                root.section("invalidation", InvalidationConfig::read),
                ErrorPagesReader.errorPages(root),
                new RulesReader(LANGUAGE, origins.keySet()).rules(root));
    }

    private static TrustConfig trust(Section root) {
        var trusted = root.list("trusted", ValueParser.NETWORK, List.of());
        var fields = root.list("trusted-fields", TrustConfig.FIELD, List.of());
        return new TrustConfig(
                trusted, fields, root.optionalList("diagnostics", ValueParser.NETWORK));
    }

    private Admin admin(
            Section section,
            Listen listen,
            Optional<HostPort> option,
            Optional<Token> tokenOption) {
        var written = section.value("address", ValueParser.ADDRESS, Admin.DEFAULTS.address());
        var address = option.orElse(written);
        section.show("address", address.toString());
        boolean isNamed = section.has("token-file");
        // A token file overridden by an option need not exist.
        var token =
                options.adminToken().isPresent()
                        ? tokenOption
                        : section.optional("token-file", TokenFile.NOTATION);
        var probes = section.optional("probes", ValueParser.ADDRESS);
        for (var client : listen.addresses()) {
            if (ListenReader.isShared(client.address(), address)) {
                var key =
                        client.key().equals(ClientAddress.HTTP)
                                ? options.listenName()
                                : client.key();
                wrongAddress(section, option, "is also the address of " + key, "another port");
            }
            if (probes.isPresent() && ListenReader.isShared(client.address(), probes.get())) {
                section.wrong("probes", "is also the address of " + client.key(), "another port");
            }
        }
        if (probes.isPresent() && ListenReader.isShared(address, probes.get())) {
            section.wrong("probes", "is also the address of admin", "another port");
        }
        if (address.isLoopback() || token.isPresent()) {
            return new Admin(address, token, probes);
        }
        // An unusable token file has already been reported.
        boolean isReported = isNamed && problems.has("admin.token-file");
        if (!isReported && options.adminToken().isEmpty()) {
            wrongAddress(
                    section,
                    option,
                    "is reachable from other machines without a token",
                    option.isPresent()
                            ? "a loopback address, or --admin-token-file FILE"
                            : "a loopback address, or admin.token-file");
        }
        return Admin.DEFAULTS;
    }

    private void wrongAddress(
            Section section, Optional<HostPort> option, String what, String expected) {
        if (option.isPresent()) {
            problems.onCommandLine("--admin", option.get() + " " + what, expected);
        } else {
            section.wrong("address", what, expected);
        }
    }

    private Map<String, OriginSettings> origins(Section root, Optional<URI> to) {
        if (options.to().isPresent()) {
            refuseBesideTo(root, "origins");
            options.to().ifPresent(url -> root.show("to", Problem.withoutUserinfo(url)));
            return to.<Map<String, OriginSettings>>map(url ->
                            Map.of(
                                    Configuration.DEFAULT_ORIGIN,
                                    OriginSettings.at(Configuration.DEFAULT_ORIGIN, url)))
                    .orElse(Map.of());
        }
        if (!root.has("origins")) {
            if (hasText && !(alone && !root.has("routes"))) {
                root.wrong("origins", "is missing", "at least one origin, or --to URL");
            }
            return Map.of();
        }
        var named = root.named("origins", ValueParser.NAME, ConfigurationReader::origin);
        if (named.isEmpty()) {
            root.wrong("origins", "is empty", "at least one origin");
        }
        return named;
    }

    private static OriginSettings origin(String name, Section section) {
        var defaults = OriginSettings.at(name, NOWHERE);
        var deadlines = defaults.deadlines();
        var retries = defaults.retries();
        var many = ValueParser.number(1, 1_000_000);
        var urls = urls(section);
        return new OriginSettings(
                name,
                urls,
                section.value(
                        "balance",
                        ValueParser.oneOf(OriginSettings.Balance.class),
                        defaults.balance()),
                new OriginSettings.Deadlines(
                        section.value("connect-timeout", POSITIVE, deadlines.connect()),
                        section.value("first-byte-timeout", POSITIVE, deadlines.firstByte()),
                        section.value("between-bytes-timeout", POSITIVE, deadlines.betweenBytes()),
                        section.value("idle-timeout", FROM_ZERO, deadlines.idle())),
                section.value("max-connections", many, defaults.maxConnections()),
                section.value("max-queue", ValueParser.number(0, 1_000_000), defaults.maxQueue()),
                section.value("queue-timeout", POSITIVE, defaults.queueTimeout()),
                new OriginSettings.Retries(
                        section.value("retries", ValueParser.number(0, 1), retries.most()),
                        section.value(
                                "retry-budget", ValueParser.PERCENT, retries.budgetPercent())),
                section.section("health", ConfigurationReader::health),
                section.value("via", ValueParser.SWITCH, defaults.sendsVia()),
                OriginTlsReader.tls(section, name, urls),
                section.value("host", ValueParser.SENT_HOST, defaults.host()));
    }

    /** The listed URLs, or a placeholder if they are unusable, which has been reported. */
    private static List<OriginSettings.Url> urls(Section section) {
        var urls =
                section.requiredList(
                        "urls",
                        ValueParser.ORIGIN_URL.map(OriginSettings.Url::at),
                        ConfigurationReader::url);
        boolean isUsable = !urls.isEmpty();
        if (urls.size() > OriginSettings.MAX_URLS) {
            section.wrong(
                    "urls", "lists " + urls.size() + " URLs", "at most " + OriginSettings.MAX_URLS);
            isUsable = false;
        }
        var seen = new HashSet<URI>();
        for (var url : urls) {
            if (!seen.add(url.url())) {
                section.wrong("urls", "lists " + url.url() + " twice", "each URL once");
                isUsable = false;
            }
        }
        if (!urls.isEmpty() && urls.stream().allMatch(OriginSettings.Url::isFallback)) {
            section.wrong(
                    "urls", "lists only fallbacks", "at least one URL that is not a fallback");
            isUsable = false;
        }
        return isUsable ? urls : List.of(OriginSettings.Url.at(NOWHERE));
    }

    private static Optional<OriginSettings.Url> url(Section section) {
        var url = section.required("url", ValueParser.ORIGIN_URL);
        int weight = section.value("weight", ValueParser.number(1, 1000), 1);
        boolean isFallback = section.value("fallback", ValueParser.TRUTH, false);
        return url.map(address -> new OriginSettings.Url(address, weight, isFallback));
    }

    private static OriginSettings.Health health(Section section) {
        var defaults = OriginSettings.Health.UNCHECKED;
        int threshold = section.value("threshold", ValueParser.number(1, 16), defaults.threshold());
        int window = section.value("window", ValueParser.number(1, 31), threshold);
        if (window < threshold || window >= 2 * threshold) {
            section.wrong(
                    "window",
                    "invalid value '" + window + "' for a threshold of " + threshold,
                    "a whole number from " + threshold + " to " + (2 * threshold - 1));
            window = threshold;
        }
        var interval = section.value("interval", POSITIVE, defaults.interval());
        boolean isShort = interval.compareTo(defaults.timeout()) < 0;
        var timeout = section.value("timeout", POSITIVE, isShort ? interval : defaults.timeout());
        if (timeout.compareTo(interval) > 0) {
            section.wrong("timeout", "is longer than the interval", "at most the interval");
            timeout = interval;
        }
        return new OriginSettings.Health(
                section.optional("path", ValueParser.TARGET),
                interval,
                timeout,
                threshold,
                window,
                section.value("slow-start", FROM_ZERO, defaults.slowStart()));
    }

    private List<RouteConfig> routes(Section root, Map<String, OriginSettings> origins) {
        if (options.to().isPresent()) {
            refuseBesideTo(root, "routes");
            return origins.isEmpty()
                    ? List.of()
                    : List.of(RouteConfig.everythingTo(Configuration.DEFAULT_ORIGIN));
        }
        if (!root.has("routes")) {
            if (root.has("origins")) {
                root.wrong("routes", "is missing", "at least one route to an origin");
            }
            return List.of();
        }
        var hidden = new HiddenRoutes();
        var routes =
                root.sections(
                        "routes",
                        section -> hidden.add(section, RouteReader.route(section, origins)));
        if (routes.isEmpty()) {
            root.wrong("routes", "is empty", "at least one route to an origin");
        }
        return routes.stream().flatMap(Optional::stream).toList();
    }

    private static CacheConfig cache(Section section, boolean hasOtherTier) {
        var defaults = CacheConfig.DEFAULTS;
        long memory = section.value("memory", MEMORY, defaults.memoryBytes());
        if (memory == 0 && !hasOtherTier) {
            section.wrong(
                    "memory",
                    "is 0 without another tier",
                    "at least 1MiB, or disk.path or shared.servers");
        }
        long most = CacheConfig.mostObjectBytes(memory);
        long maxObject =
                section.value(
                        "max-object",
                        ValueParser.bytes(1),
                        Math.min(defaults.maxObjectBytes(), most));
        if (maxObject > most) {
            section.wrong(
                    "max-object",
                    memory == 0
                            ? "is too large for a cache.memory of 0"
                            : "is larger than cache.memory",
                    "at most " + most + "B");
            maxObject = most;
        }
        return new CacheConfig(
                memory,
                section.value(
                        "admission",
                        ValueParser.oneOf(CacheConfig.Admission.class),
                        defaults.admission()),
                maxObject,
                section.value("grace", FROM_ZERO, defaults.grace()),
                section.value("stale-if-error", FROM_ZERO, defaults.staleIfError()),
                section.value("stale-if-unreachable", FROM_ZERO, defaults.staleIfUnreachable()),
                section.value("stale-if-slow", FROM_ZERO, defaults.staleIfSlow()),
                section.value("hit-for-miss", FROM_ZERO, defaults.hitForMiss()),
                section.value("heuristic", ValueParser.TRUTH, defaults.heuristic()),
                section.value(
                        "set-cookie", ValueParser.oneOf(SetCookie.class), defaults.setCookie()),
                section.value(
                        "stale-despite-s-maxage",
                        ValueParser.TRUTH,
                        defaults.staleDespiteSharedMaxAge()),
                section.value(
                        "compress", ValueParser.oneOf(Compression.class), defaults.compression()),
                section.value(
                        "invalidate-location", ValueParser.SWITCH, defaults.invalidatesLocation()),
                heeded(section));
    }

    private static HeededClients heeded(Section section) {
        var defaults = HeededClients.DEFAULTS;
        var mode =
                section.value(
                        "client-directives",
                        ValueParser.oneOf(HeededClients.Mode.class),
                        defaults.mode());
        var from = section.nonEmptyList(FROM, ValueParser.NETWORK, defaults.from());
        if (mode == HeededClients.Mode.IGNORE && !from.equals(defaults.from())) {
            section.wrong(
                    FROM,
                    "has no effect while client-directives is ignore",
                    "client-directives: honour");
        }
        return new HeededClients(mode, from);
    }

    /** The secret is never repeated in messages. */
    private static VariantsConfig variants(Section section) {
        var cookie = section.value("cookie", ValueParser.COOKIE, VariantsConfig.COOKIE);
        var secret = section.optional("secret", ValueParser.TEXT);
        if (secret.isPresent() && secret.get().length() < SignedVariant.MIN_SECRET) {
            section.wrong(
                    "secret",
                    "is " + secret.get().length() + " characters long",
                    "at least " + SignedVariant.MIN_SECRET + ", the secret of the application");
            return VariantsConfig.DEFAULTS;
        }
        return new VariantsConfig(secret.map(text -> new SignedVariant.Key(cookie, text)));
    }

    private static LogConfig log(Section section) {
        var defaults = LogConfig.DEFAULTS;
        return new LogConfig(
                section.value("access", ValueParser.LOG_TARGET, defaults.access()),
                section.value(
                        "format", ValueParser.oneOf(LogConfig.Format.class), defaults.format()),
                section.value("query", ValueParser.oneOf(LogConfig.Query.class), defaults.query()),
                section.value(
                        "request-id",
                        ValueParser.oneOf(LogConfig.RequestIds.class),
                        defaults.requestId()),
                section.value(
                        "fragments",
                        ValueParser.oneOf(LogConfig.Fragments.class),
                        defaults.fragments()),
                section.value("slow", FROM_ZERO, defaults.slow()));
    }

    private static DeliverConfig deliver(Section section) {
        return new DeliverConfig(
                section.value("first-flush", FROM_ZERO, DeliverConfig.DEFAULTS.firstFlush()));
    }

    private static LimitsConfig limits(Section section) {
        var defaults = LimitsConfig.DEFAULTS;
        long body = section.value("body", ValueParser.LIMIT, defaults.bodyBytes());
        int line =
                section.value(
                        "request-line",
                        bytes(LimitsConfig.MAX_REQUEST_LINE),
                        defaults.requestLineBytes());
        int field = section.value("field", bytes(LimitsConfig.MAX_HEAD), defaults.fieldBytes());
        int head = section.value("head", bytes(LimitsConfig.MAX_HEAD), defaults.headBytes());
        int fields =
                section.value(
                        "fields",
                        ValueParser.number(LimitsConfig.MIN_FIELDS, LimitsConfig.MAX_FIELDS),
                        defaults.fields());
        int least = Math.max(line, field);
        if (head < least) {
            section.wrong(
                    section.has("head") ? "head" : line > head ? "request-line" : "field",
                    "limits.head is smaller than a request line or a field may be",
                    "a limits.head of at least " + least + "B");
            head = least;
        }
        return new LimitsConfig(body, line, field, head, fields);
    }

    private static ValueParser<Integer> bytes(int most) {
        return ValueParser.bytes(LimitsConfig.MIN_BYTES, most);
    }

    private static DrainConfig drain(Section section) {
        var defaults = DrainConfig.DEFAULTS;
        return new DrainConfig(
                section.value("grace", FROM_ZERO, defaults.grace()),
                section.value("timeout", FROM_ZERO, defaults.timeout()));
    }

    private static void refuseBesideTo(Section root, String key) {
        if (root.has(key)) {
            root.wrong(key, "cannot be combined with --to", "one of the two");
        }
    }

    private <T> Optional<T> option(String name, Optional<String> text, ValueParser<T> notation) {
        var value = text.flatMap(notation.reading());
        if (text.isPresent() && value.isEmpty()) {
            problems.onCommandLine(name, "invalid value '" + text.get() + "'", notation.expected());
        }
        return value;
    }
}
