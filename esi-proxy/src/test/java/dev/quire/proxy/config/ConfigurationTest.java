package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.quire.core.assemble.ErrorPolicy;
import dev.quire.core.assemble.Limits;
import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Escape;
import dev.quire.core.expression.VariableRules;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.policy.Compression;
import dev.quire.core.policy.OperatorLifetime;
import dev.quire.core.policy.SignedVariant;
import dev.quire.core.rule.ErrorPageRule;
import dev.quire.core.rule.ErrorPageRules;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.Matchers.StatusRange;
import dev.quire.core.rule.PathPattern;
import dev.quire.core.rule.Rules;
import dev.quire.core.text.Literal;
import dev.quire.core.text.Network;
import dev.quire.proxy.config.CacheConfig.SetCookie;
import dev.quire.proxy.route.EsiProcessing;
import dev.quire.proxy.route.HintMode;
import dev.quire.proxy.route.OriginSettings;
import dev.quire.proxy.tls.OriginTls;
import dev.quire.proxy.tls.TlsTerms;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationTest {
    private static final URI SITE = URI.create("http://127.0.0.1:8081");
    private static final String ORIGIN =
            """
            origins:
              news: { urls: ["http://127.0.0.1:8081"] }
            routes:
              - { origin: news }
            """;

    @TempDir Path directory;
    private Path file;

    @BeforeEach
    void nameTheFile() {
        file = directory.resolve("quire.yaml");
    }

    @Test
    void everyKeyWithItsDefaultGivesTheDefaults() throws Exception {
        try (var yaml = getClass().getResourceAsStream("/config/defaults.yaml")) {
            Files.copy(yaml, file);
        }

        var configuration = Configuration.of(Options.NONE.withFile(file));

        assertThat(configuration).isEqualTo(to("news"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cache: { memory: 8MiB }                            | max-object: 8MiB",
                "cache: { memory: 8MiB, max-object: 1MiB }          | max-object: 1MiB",
                "cache: { memory: 1GiB }                            | max-object: 16MiB",
                "cache: { memory: 1GiB }                            | client-directives-from:~  - 0.0.0.0/0~  - 0:0:0:0:0:0:0:0/0",
                "origins: { a: { urls: ['http://a'], health: { interval: 1s } } }  | interval: 1s~      timeout: 1s",
                "origins: { a: { urls: ['http://a'], health: { interval: 90s } } } | interval: 90s~      timeout: 2s",
                "tls: { check-every: 1s }                           | versions:~  - '1.2'~  - '1.3'",
                "listen: { also: [{ address: 'a:1' }] }             | protocols:~    - http1~",
            })
    void effectiveValuesAreThoseInUse(String yaml, String shown) throws Exception {
        var origins = yaml.contains("origins:") ? "" : "\norigins: { a: { urls: ['http://a'] } }";
        Files.writeString(file, yaml + origins + "\nroutes: [ { origin: a } ]\n");
        var source = new ConfigurationSource(Options.NONE.withFile(file));

        var effective = source.effective(source.read());

        assertThat(effective).contains(shown.replace('~', '\n'));
        Files.writeString(file, effective);
        assertThat(source.effective(source.read())).isEqualTo(effective);
    }

    @Test
    void toAloneGivesTheDefaultsWithOneOrigin() throws Exception {
        var configuration = Configuration.of(Options.NONE.withTo("http://127.0.0.1:8081/"));

        assertThat(configuration).isEqualTo(to("default"));
        assertThat(configuration.routes())
                .containsExactly(new RouteConfig("*", "/**", "default", EsiProcessing.AUTO));
    }

    @Test
    void anEmptyFileBesideToChangesNothing() throws Exception {
        write("# nothing yet\n");

        var configuration =
                Configuration.of(Options.NONE.withTo("http://127.0.0.1:8081").withFile(file));

        assertThat(configuration).isEqualTo(to("default"));
    }

    @Test
    void everyAvailableKeyIsRead() throws Exception {
        write(
                """
                listen: { http: "[::1]:0", backlog: 16, keep-alive: 0s, max-connections-per-client: 7,
                          default-host: "WWW.example.org:8080", half-close: gone, max-tunnels: 8,
                          h2c: true }
                http2: { streams: 5, window: 16KiB, connection-window: 64KiB, header-list: 4KiB }
                admin: { address: "localhost:0", probes: "0.0.0.0:9902" }
                trusted: [10.0.0.0/8, 192.168.1.7]
                trusted-fields: [X-Forwarded-Host, forwarded]
                diagnostics: [10.1.0.0/16]
                origins:
                  news:
                    urls: ["http://News.internal:81", { url: "http://b", weight: 3 }, { url: "http://c", fallback: true }]
                    balance: round-robin
                    connect-timeout: 200ms
                    first-byte-timeout: 5m
                    between-bytes-timeout: 1h
                    idle-timeout: 2h
                    max-connections: 3
                    max-queue: 0
                    queue-timeout: 1500ms
                    retries: 0
                    retry-budget: 5%%
                    health: { path: /actuator/health, interval: 2s, timeout: 1s, threshold: 3, window: 5, slow-start: 0s }
                    via: off
                    host: News.internal:8443
                routes:
                  - { host: "*.Example.org", path: "/news/**", origin: news, esi: on, ttl: 0s, grace: 1m,
                        stale-if-error: 2h, default-ttl: 3s, default-grace: 4s, default-stale-if-error: 5s, stale-if-slow: 0s,
                        limits: { body: 0 }, first-byte-timeout: 6m, between-bytes-timeout: 7s, idle-timeout: 0s,
                        upgrade: [websocket], tunnel-idle: 90s,
                        client-cert: true,
                        hints: remember, trailers: [X-Sum, Server-Timing] }
                  - { host: example.org, path: "/img/*.png", origin: news, esi: off }
                  - { origin: news, upgrade: [] }
                cache: { memory: 1GiB, admission: all, max-object: 64KiB, grace: 1s, stale-if-error: 2s, stale-if-unreachable: 3s, stale-if-slow: 3500ms,
                         hit-for-miss: 4s, heuristic: false, set-cookie: store, stale-despite-s-maxage: true,
                         compress: esi, invalidate-location: off,
                         client-directives: honour, client-directives-from: [10.1.0.0/16] }
                disk: { path: ./cache, size: 16MiB, index: 1MiB, min-lifetime: 0s, write-limit: 1MiB/s,
                        io-threads: 64, io-timeout: 1ms, sendfile-from: 4KiB }
                shared: { type: redis, servers: ["store:6379"], mode: sentinel, master: news, tls: on, namespace: n, max-object: 1KiB,
                          min-lifetime: 0s, max-ttl: 1s, timeout: 1ms, queue: 1,
                          connections: 3, lease: 100ms }
                fleet: { name: news, node: a.example, servers: ["log:6380"], ack: fleet, ack-timeout: 2s, lease: 3s,
                         partition: revalidate, replicas: 1, journal: 2 }
                esi: { content-types: [Text/HTML], allowed-hosts: ["cdn.example.org", "cdn.example.org:8080"],
                       device-token: edge-1, max-depth: 1, max-includes: 2, max-document: 100B, max-page: 200B,
                       include-timeout: 1s, page-deadline: 2s }
                log: { access: %s, format: combined, query: drop, request-id: send, fragments: errors, slow: 1s }
                deliver: { first-flush: 0s }
                drain: { grace: 5s, timeout: 6s }
                limits: { body: 1KiB, request-line: 2KiB, field: 3KiB, head: 4KiB, fields: 16 }
                invalidation: { methods: [BAN, PURGE], from: [10.2.0.0/16, "::1"] }
                """
                        .formatted(directory.resolve("access.log")));

        var configuration = Configuration.of(Options.NONE.withFile(file));

        assertThat(configuration)
                .isEqualTo(
                        new Configuration(
                                new Listen(
                                        Optional.of(new HostPort("::1", 0)),
                                        Optional.empty(),
                                        Listen.Redirect.OFF,
                                        16,
                                        Duration.ZERO,
                                        7,
                                        Optional.of("www.example.org:8080"),
                                        Listen.HalfClose.GONE,
                                        8,
                                        true,
                                        new Http2Config(5, 16 << 10, 64 << 10, 4 << 10),
                                        List.of(),
                                        List.of()),
                                TlsTerms.NONE,
                                new Admin(
                                        new HostPort("localhost", 0),
                                        Optional.empty(),
                                        Optional.of(new HostPort("0.0.0.0", 9902))),
                                new TrustConfig(
                                        List.of(
                                                Network.parse("10.0.0.0/8"),
                                                Network.parse("192.168.1.7/32")),
                                        List.of("X-Forwarded-Host", "forwarded"),
                                        Optional.of(List.of(Network.parse("10.1.0.0/16")))),
                                Map.of(
                                        "news",
                                        new OriginSettings(
                                                "news",
                                                List.of(
                                                        OriginSettings.Url.at(
                                                                URI.create(
                                                                        "http://news.internal:81")),
                                                        new OriginSettings.Url(
                                                                URI.create("http://b"), 3, false),
                                                        new OriginSettings.Url(
                                                                URI.create("http://c"), 1, true)),
                                                OriginSettings.Balance.ROUND_ROBIN,
                                                new OriginSettings.Deadlines(
                                                        Duration.ofMillis(200),
                                                        Duration.ofMinutes(5),
                                                        Duration.ofHours(1),
                                                        Duration.ofHours(2)),
                                                3,
                                                0,
                                                Duration.ofMillis(1500),
                                                new OriginSettings.Retries(0, 5),
                                                new OriginSettings.Health(
                                                        Optional.of("/actuator/health"),
                                                        Duration.ofSeconds(2),
                                                        Duration.ofSeconds(1),
                                                        3,
                                                        5,
                                                        Duration.ZERO),
                                                false,
                                                OriginTls.DEFAULTS,
                                                Optional.of("news.internal:8443"))),
                                List.of(
                                        new RouteConfig(
                                                "*.example.org",
                                                "/news/**",
                                                "news",
                                                EsiProcessing.ON,
                                                new OperatorLifetime(
                                                        Optional.of(Duration.ZERO),
                                                        Optional.of(Duration.ofMinutes(1)),
                                                        Optional.of(Duration.ofHours(2)),
                                                        Optional.of(Duration.ofSeconds(3))),
                                                Optional.of(Duration.ofSeconds(4)),
                                                Optional.of(Duration.ofSeconds(5)),
                                                Optional.of(Duration.ZERO),
                                                Optional.of(0L),
                                                new RouteTimeouts(
                                                        Optional.of(Duration.ofMinutes(6)),
                                                        Optional.of(Duration.ofSeconds(7)),
                                                        Optional.of(Duration.ZERO)),
                                                Optional.of(Duration.ofSeconds(90)),
                                                true,
                                                HintMode.REMEMBER,
                                                List.of("X-Sum", "Server-Timing")),
                                        new RouteConfig(
                                                "example.org",
                                                "/img/*.png",
                                                "news",
                                                EsiProcessing.OFF),
                                        new RouteConfig(
                                                "*",
                                                "/**",
                                                "news",
                                                EsiProcessing.AUTO,
                                                OperatorLifetime.UNSAID,
                                                Optional.empty(),
                                                Optional.empty(),
                                                Optional.empty(),
                                                Optional.empty(),
                                                RouteTimeouts.NONE,
                                                Optional.empty(),
                                                false,
                                                HintMode.PASS,
                                                List.of())),
                                new CacheConfig(
                                        1L << 30,
                                        CacheConfig.Admission.ALL,
                                        64 << 10,
                                        Duration.ofSeconds(1),
                                        Duration.ofSeconds(2),
                                        Duration.ofSeconds(3),
                                        Duration.ofMillis(3500),
                                        Duration.ofSeconds(4),
                                        false,
                                        SetCookie.STORE,
                                        true,
                                        Compression.ESI,
                                        false,
                                        new HeededClients(
                                                HeededClients.Mode.HONOUR,
                                                List.of(Network.parse("10.1.0.0/16")))),
                                new DiskConfig(
                                        Optional.of(directory.resolve("./cache")),
                                        16 << 20,
                                        1 << 20,
                                        Duration.ZERO,
                                        1 << 20,
                                        64,
                                        Duration.ofMillis(1),
                                        4 << 10),
                                new SharedConfig(
                                        SharedConfig.Type.REDIS,
                                        List.of(new HostPort("store", 6379)),
                                        SharedConfig.Mode.SENTINEL,
                                        "news",
                                        Optional.empty(),
                                        Optional.empty(),
                                        true,
                                        List.of(),
                                        "n",
                                        1 << 10,
                                        Duration.ZERO,
                                        Duration.ofSeconds(1),
                                        Duration.ofMillis(1),
                                        1,
                                        3,
                                        Duration.ofMillis(100),
                                        Optional.empty()),
                                new FleetConfig(
                                        Optional.of("news"),
                                        Optional.of("a.example"),
                                        List.of(new HostPort("log", 6380)),
                                        FleetConfig.Ack.FLEET,
                                        Duration.ofSeconds(2),
                                        Duration.ofSeconds(3),
                                        FleetConfig.Partition.REVALIDATE,
                                        1,
                                        2,
                                        Duration.ofSeconds(1)),
                                new EsiConfig(
                                        List.of("text/html"),
                                        List.of("cdn.example.org", "cdn.example.org:8080"),
                                        "edge-1",
                                        new Limits(1, 2, 32),
                                        100,
                                        200,
                                        Duration.ofSeconds(1),
                                        Duration.ofSeconds(2),
                                        ErrorPolicy.OMIT,
                                        false,
                                        false,
                                        false,
                                        VariableRules.STANDARD,
                                        ParseOptions.STANDARD),
                                VariantsConfig.DEFAULTS,
                                new LogConfig(
                                        new LogConfig.ToFile(directory.resolve("access.log")),
                                        LogConfig.Format.COMBINED,
                                        LogConfig.Query.DROP,
                                        LogConfig.RequestIds.SEND,
                                        LogConfig.Fragments.ERRORS,
                                        Duration.ofSeconds(1)),
                                new DeliverConfig(Duration.ZERO),
                                new DrainConfig(Duration.ofSeconds(5), Duration.ofSeconds(6)),
                                new LimitsConfig(1024, 2048, 3072, 4096, 16),
                                new InvalidationConfig(
                                        Set.of(
                                                InvalidationConfig.Method.PURGE,
                                                InvalidationConfig.Method.BAN),
                                        List.of(Network.parse("10.2.0.0/16"), Network.parse("::1")),
                                        Optional.empty()),
                                ErrorPageRules.NONE,
                                Rules.NONE));
    }

    @Test
    void variantsAreToldApartOnceThereIsASecret() throws Exception {
        write("variants: { cookie: who, secret: \"0123456789abcdef0123456789abcdef\" }\n" + ORIGIN);

        var key = Configuration.of(Options.NONE.withFile(file)).variants().key();

        assertThat(key).get().extracting(SignedVariant.Key::cookie).isEqualTo("who");
        assertThat(Configuration.DEFAULTS.variants().key()).isEmpty();
    }

    @Test
    void windowOfAConnectionIsAtLeastThatOfAStream() {
        write("http2: { window: 1MiB, connection-window: 512KiB }\n" + ORIGIN);

        assertThat(problems(Options.NONE.withFile(file)))
                .singleElement()
                .asString()
                .contains("http2.connection-window is smaller than http2.window")
                .contains("expected at least 1048576B");
    }

    @Test
    void secretThatIsTooShortIsRefusedAndNotRepeated() {
        write("variants: { cookie: \"a b\", secret: hunter2 }\n" + ORIGIN);

        assertThat(problems(Options.NONE.withFile(file)))
                .containsExactly(
                        file
                                + ":1:21: variants.cookie: invalid value 'a b'"
                                + " (expected the name of a cookie, such as esi-variant)",
                        file
                                + ":1:36: variants.secret: is 7 characters long"
                                + " (expected at least 32, the secret of the application)");
    }

    @Test
    void aLimitIsASizeOrZero() {
        write("limits: { body: none }\n" + ORIGIN);

        assertThat(problems(Options.NONE.withFile(file)))
                .containsExactly(
                        file
                                + ":1:17: limits.body: invalid value 'none'"
                                + " (expected a size such as 64KiB, 16MiB or 1GiB, or 0 for no"
                                + " limit)");
    }

    @Test
    void optionsWinOverTheFile() throws Exception {
        write("listen: { http: \"127.0.0.1:1\" }\nadmin: { address: \"127.0.0.1:2\" }\n" + ORIGIN);

        var configuration =
                Configuration.of(
                        Options.NONE
                                .withFile(file)
                                .withListen("0.0.0.0:3")
                                .withAdmin("127.0.0.1:4"));

        assertThat(configuration.listen().http()).hasValue(new HostPort("0.0.0.0", 3));
        assertThat(configuration.admin().address()).isEqualTo(new HostPort("127.0.0.1", 4));
    }

    @Test
    void everyProblemIsListedInTheOrderOfTheFile() {
        write(
                """
                listen: { http: "127.0.0.1", backlok: 5 }
                cache:
                  memory: 512MB
                  grace: ten
                origins:
                  news: { urls: ["httpx://a.example"], retries: 2 }
                routes:
                  - { origin: newz, esi: signed }
                """);

        assertThat(problems(Options.NONE.withFile(file).withAdmin("nowhere")))
                .containsExactly(
                        "--admin: invalid value 'nowhere'"
                                + " (expected HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080)",
                        file
                                + ":1:17: listen.http: invalid value '127.0.0.1'"
                                + " (expected HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080,"
                                + " or off)",
                        file
                                + ":1:30: listen.backlok: is an unknown key"
                                + " (expected 'backlog', the nearest match)",
                        file
                                + ":3:11: cache.memory: invalid value '512MB'"
                                + " (expected a size such as 64KiB, 16MiB or 1GiB,"
                                + " at least 1048576B, or 0 with disk.path or shared.servers)",
                        file
                                + ":4:10: cache.grace: invalid value 'ten'"
                                + " (expected a duration such as 200ms, 15s, 5m, 1h or 7d)",
                        file
                                + ":6:18: origins.news.urls[0]: invalid value 'httpx://a.example'"
                                + " (expected http://HOST[:PORT] or https://HOST[:PORT] without a"
                                + " path, or unix:/PATH)",
                        file
                                + ":6:49: origins.news.retries: invalid value '2'"
                                + " (expected a whole number from 0 to 1)",
                        file
                                + ":8:15: routes[0].origin: unknown origin 'newz'"
                                + " (expected 'news', the nearest match)",
                        file
                                + ":8:26: routes[0].esi: invalid value 'signed' (expected auto | stamped"
                                + " | on | off)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "on", "ESI", "true"})
    void whatIsCompressedIsOneOfThree(String value) {
        write("cache: { compress: " + value + " }");

        assertThat(problems(Options.NONE.withTo("http://a").withFile(file)))
                .containsExactly(
                        file
                                + ":1:20: cache.compress: invalid value '"
                                + value
                                + "' (expected esi | all | off)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length",
                "transfer-encoding",
                "Host",
                "Authorization",
                "Cookie",
                "Cache-Control",
                "Content-Type",
                "Connection",
                "TE",
                "Forwarded",
                "X-Forwarded-For",
                "Surrogate-Capability",
                "X Y"
            })
    void trailersThatControlARequestAreRefused(String name) {
        write(
                "origins: { a: { urls: [\"http://a\"] } }\n"
                        + "routes: [{ origin: a, trailers: [X-Sum, "
                        + name
                        + "] }]");

        assertThat(problems(Options.NONE.withFile(file)))
                .containsExactly(
                        file
                                + ":2:41: routes[0].trailers[1]: invalid value '"
                                + name
                                + "' (expected a field that may be a trailer: not one for framing,"
                                + " routing, authentication, caching or the content)");
    }

    @Test
    void admissionIsBySizeOrOfAll() {
        write("cache: { admission: some }");

        assertThat(problems(Options.NONE.withTo("http://a").withFile(file)))
                .singleElement()
                .asString()
                .contains("cache.admission: invalid value 'some' (expected size | all)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "client-directives: obey; 1:29: cache.client-directives: invalid value 'obey'"
                        + " (expected ignore | honour)",
                "client-directives: honour, client-directives-from: [here]; 1:62:"
                        + " cache.client-directives-from[0]: invalid value 'here'",
                "client-directives: honour, client-directives-from: []; 1:61:"
                        + " cache.client-directives-from: is empty (expected a list",
                "client-directives-from: [10.0.0.0/8]; 1:34: cache.client-directives-from: has"
                        + " no effect while client-directives is ignore (expected client-directives:",
            })
    void clientsThatAreHeardAreNamedRight(String cache, String problem) {
        write("cache: { " + cache + " }");

        assertThat(problems(Options.NONE.withTo("http://a").withFile(file)))
                .singleElement()
                .asString()
                .contains(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "methods: [PURGE]; 1:15: invalidation.from: names no network, so every request would"
                        + " be refused (expected a list, each an address",
                "methods: [BAN], from: []; invalidation.from: names no network",
                "methods: [purge]; 1:27: invalidation.methods[0]: invalid value 'purge' (expected"
                        + " PURGE | BAN)",
                "from: [office]; 1:24: invalidation.from[0]: invalid value 'office'",
                "token-file: /nowhere; 1:29: invalidation.token-file: invalid value '/nowhere'",
            })
    void invalidationsOfClientsAreConfiguredWhole(String keys, String problem) {
        write("invalidation: { " + keys + " }");

        assertThat(problems(Options.NONE.withTo("http://a").withFile(file)))
                .singleElement()
                .asString()
                .contains(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "client-directives: ignore | false | false",
                "client-directives: honour | true | true",
                "{client-directives: honour, client-directives-from: [10.0.0.0/8, '::1']}"
                        + " | true | false",
            })
    void clientsAreHeardFromWhereTheyMay(String cache, boolean isInside, boolean isOutside)
            throws Exception {
        write("cache: { " + cache.replaceAll("[{}]", "") + " }");

        var heeded =
                ConfigurationReader.read(
                                Options.NONE.withTo("http://a").withFile(file), name -> null)
                        .cache()
                        .heeded();

        assertThat(heeded.contains(Literal.address("10.1.2.3").orElseThrow())).isEqualTo(isInside);
        assertThat(heeded.contains(Literal.address("::1").orElseThrow())).isEqualTo(isInside);
        assertThat(heeded.contains(Literal.address("192.0.2.1").orElseThrow()))
                .isEqualTo(isOutside);
        assertThat(heeded.contains(Literal.address("2001:db8::1").orElseThrow()))
                .isEqualTo(isOutside);
    }

    @Test
    void userinfoInUrlsIsNotShown() {
        write("origins: { a: { urls: [\"http://user:p@ss@host\"] } }");

        assertThatThrownBy(
                        () -> ConfigurationReader.read(Options.NONE.withFile(file), name -> null))
                .hasMessageContaining("'http://***@host'")
                .hasMessageNotContaining("p@ss");
        assertThatThrownBy(() ->
                        ConfigurationReader.read(
                                Options.NONE.withTo("http://user:secret@host"), name -> null))
                .hasMessageContaining("***@host")
                .hasMessageNotContaining("secret");
    }

    @Test
    void whatPagesMayDoIsConfigured() throws Exception {
        write(
                """
                esi:
                  on-error: fail
                  strict: true
                  denied-cookies: ["sid", "*secret*"]
                  decode-query: true
                  pass-set-cookie: true
                  trust-downstream: true
                  args-prefix: esi_
                  variables: { EDITION: "late", Region: "", GEO: { land: "de", "a b": "x" } }
                  escape: none
                  response-functions: off
                  dialect: akamai
                  process-html-comments: true
                """);

        var esi =
                ConfigurationReader.read(
                                Options.NONE.withTo("http://a").withFile(file), name -> null)
                        .esi();

        assertThat(esi.onError()).isEqualTo(ErrorPolicy.FAIL);
        assertThat(esi.isStrict()).isTrue();
        assertThat(esi.passSetCookie()).isTrue();
        assertThat(esi.trustDownstream()).isTrue();
        assertThat(esi.variables())
                .isEqualTo(
                        new VariableRules(
                                List.of("sid", "*secret*"),
                                true,
                                Optional.of("esi_"),
                                Map.of("EDITION", "late"),
                                Map.of("GEO", Map.of("land", "de", "a b", "x")),
                                false,
                                false));
        assertThat(esi.reading())
                .isEqualTo(
                        new ParseOptions(
                                ParseOptions.SourceFormat.MARKUP,
                                Dialect.AKAMAI,
                                true,
                                Escape.NONE));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "on-error: ignore; esi.on-error; omit | fail",
                "denied-cookies: sid; esi.denied-cookies; the name of a cookie",
                "denied-cookies: ['a b']; esi.denied-cookies[0]; the name of a cookie",
                "args-prefix: 'a&'; esi.args-prefix; 1 to 64 letters",
                "variables: [a]; esi.variables; a mapping",
                "variables: { 1A: b }; esi.variables.1A; a letter, then",
                "variables: { A: [b] }; esi.variables.A; text",
                "variables: { A: { b: [c] } }; esi.variables.A.b; text",
                "variables: { A: { '': c } }; esi.variables.A.; 1 to 256 characters",
                "escape: json; esi.escape; html | none",
                "response-functions: 1; esi.response-functions; on | off",
                "dialect: perl; esi.dialect; standard | akamai",
                "strict: yes; esi.strict; true or false",
            })
    void whatPagesMayNotBeToldIsRefused(String yaml, String key, String expected) {
        write("esi: { " + yaml + " }");

        assertThat(problems(Options.NONE.withTo("http://a").withFile(file)))
                .singleElement()
                .asString()
                .contains(": " + key + ": ", "(expected ", expected);
    }

    @Test
    void errorPagesAreRead() throws Exception {
        write(
                """
                error-pages:
                  - { host: "*.Example.org", path: "/a/**", status: [404, 5xx], page: "/e/{status}", intercept: 410 }
                  - { intercept: [400-499], page: /e, json: true }
                """);

        assertThat(
                        Configuration.of(Options.NONE.withTo("http://a").withFile(file))
                                .errorPages()
                                .rules())
                .containsExactly(
                        new ErrorPageRule(
                                new HostPattern("*.example.org"),
                                new PathPattern("/a/**"),
                                List.of(new StatusRange(404, 404), new StatusRange(500, 599)),
                                List.of(new StatusRange(410, 410)),
                                "/e/{status}",
                                false),
                        new ErrorPageRule(
                                new HostPattern("*"),
                                new PathPattern("/**"),
                                List.of(),
                                List.of(new StatusRange(400, 499)),
                                "/e",
                                true));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{ status: 302, page: /e }; error-pages[0].status; a status from 400 to 599",
                "{ status: [6xx], page: /e }; error-pages[0].status[0]; a status from 400 to 599",
                "{ status: 404, intercept: 4x, page: /e }; error-pages[0].intercept; a class such as 5xx",
                "{ status: 404 }; error-pages[0].page; a path",
                "{ status: 404, page: 'http://a/e' }; error-pages[0].page; a path",
                "{ page: /e }; error-pages[0].status; status, intercept or both",
                "{ status: [], page: /e }; error-pages[0].status; status, intercept or both",
            })
    void errorPageWithAMistakeIsRefused(String yaml, String key, String expected) {
        write("error-pages: [" + yaml + "]");

        assertThat(problems(Options.NONE.withTo("http://a").withFile(file)))
                .anySatisfy(problem ->
                        assertThat(problem).contains(": " + key + ": ", "(expected ", expected));
    }

    @Test
    void variablesOfTheEnvironmentArePutIntoValues() throws Exception {
        write(
                """
                origins:
                  news: { urls: ["http://${NEWS_HOST}:${NEWS_PORT:8081}"], max-queue: "${QUEUE:7}" }
                routes:
                  - { origin: news }
                admin: { token-file: "${TOKEN:}" }
                """);
        var environment = Map.of("NEWS_HOST", "127.0.0.1");

        var configuration = ConfigurationReader.read(Options.NONE.withFile(file), environment::get);

        assertThat(configuration.origins())
                .hasEntrySatisfying(
                        "news",
                        origin -> {
                            assertThat(origin.urls()).containsExactly(OriginSettings.Url.at(SITE));
                            assertThat(origin.maxQueue()).isEqualTo(7);
                        });
        assertThat(configuration.admin().token()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"${QUIRE_NOT_SET}", "${QUIRE_NOT_SET", "${1:x}", "${}"})
    void aVariableThatCannotBePutInIsNamed(String value) {
        write("listen: { backlog: \"" + value + "\" }\n" + ORIGIN);

        assertThat(problems(Options.NONE.withFile(file)))
                .singleElement()
                .asString()
                .startsWith(file + ":1:20: listen.backlog: ")
                .contains("(expected ")
                .contains("${");
    }

    @Test
    void whatAVariableHoldsIsNeitherExpandedNorParsed() {
        write("listen: { backlog: \"${A}\" }\n" + ORIGIN);

        var invalid =
                catchThrowableOfType(
                        InvalidConfiguration.class,
                        () ->
                                ConfigurationReader.read(
                                        Options.NONE.withFile(file),
                                        Map.of("A", "1 }\nadmin: ${A}")::get));

        assertThat(invalid.problems())
                .singleElement()
                .asString()
                .contains("invalid value '1 }\\u000aadmin: ${A}'")
                .doesNotContain("\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ", token-file: ''", ", token-file: '${TOKEN:}'", ", token-file: null"})
    void anAdminAddressOthersCanReachNeedsAToken(String more) {
        write("admin: { address: \"0.0.0.0:9901\"" + more + " }\n" + ORIGIN);

        assertThat(problems(Options.NONE.withFile(file)))
                .containsExactly(
                        file
                                + ":1:19: admin.address: is reachable from other machines"
                                + " without a token (expected a loopback address, or"
                                + " admin.token-file)");
        assertThat(problems(Options.NONE.withTo("http://a").withAdmin("10.1.2.3:9901")))
                .containsExactly(
                        "--admin: 10.1.2.3:9901 is reachable from other machines without a token"
                                + " (expected a loopback address, or --admin-token-file FILE)");
    }

    @Test
    void theTokenFileOfTheCommandLineWins() throws Exception {
        var secret = "0123456789abcdef0123456789abcdef";
        var token = directory.resolve("token");
        Files.writeString(token, secret);
        write("admin: { address: \"0.0.0.0:9901\", token-file: /nowhere }\n" + ORIGIN);
        var options = Options.NONE.withFile(file);

        var admin = Configuration.of(options.withAdminToken(token.toString())).admin();

        assertThat(admin.token().orElseThrow().matches(secret)).isTrue();
        assertThat(problems(options.withAdminToken("/missing")))
                .containsExactly(
                        "--admin-token-file: invalid value '/missing' (expected a readable file that"
                                + " contains only a token of at least 22 visible ASCII"
                                + " characters)");
    }

    @Test
    void theTokenIsReadFromItsFileAndNeverPrinted() throws Exception {
        var secret = "0123456789abcdef0123456789abcdef";
        Files.writeString(directory.resolve("token"), secret + "\n");
        write(
                "admin: { address: \"0.0.0.0:9901\", token-file: "
                        + directory.resolve("token")
                        + " }\n"
                        + ORIGIN);

        var configuration = Configuration.of(Options.NONE.withFile(file));

        assertThat(configuration.admin().token().orElseThrow().matches(secret)).isTrue();
        assertThat(configuration.admin().token().orElseThrow().matches(secret + "0")).isFalse();
        assertThat(configuration.toString()).doesNotContain(secret);
    }

    @ParameterizedTest
    @ValueSource(strings = {"short", "", "two words that are long enough, yes"})
    void aTokenThatCanBeGuessedOrSentWronglyIsRefusedAndNotShown(String content) throws Exception {
        Files.writeString(directory.resolve("token"), content);
        write(
                "admin: { address: \"0.0.0.0:9901\", token-file: "
                        + directory.resolve("token")
                        + " }\n"
                        + ORIGIN);

        assertThat(problems(Options.NONE.withFile(file)))
                .singleElement()
                .asString()
                .contains("admin.token-file", "(expected a readable file")
                .doesNotContain("two words");
    }

    @Test
    void bothListenersNeedAPortOfTheirOwn() throws Exception {
        var same =
                Options.NONE.withTo("http://a").withListen("127.0.0.1:9").withAdmin("127.0.0.1:9");

        assertThat(problems(same))
                .containsExactly(
                        "--admin: 127.0.0.1:9 is also the address of --listen"
                                + " (expected another port)");
        assertThat(Configuration.of(same.withListen("127.0.0.1:0").withAdmin("127.0.0.1:0")))
                .isNotNull();
    }

    @Test
    void aFileBesideToNamesNeitherOriginsNorRoutes() {
        write(ORIGIN);

        assertThat(problems(Options.NONE.withTo("http://a").withFile(file)))
                .containsExactly(
                        file
                                + ":2:3: origins: cannot be combined with --to"
                                + " (expected one of the two)",
                        file
                                + ":4:3: routes: cannot be combined with --to"
                                + " (expected one of the two)");
    }

    @Test
    void withoutAnOriginNothingRuns() {
        write("cache: { grace: 1s }");

        assertThat(problems(Options.NONE)).singleElement().asString().startsWith("run: no origin");
        assertThat(problems(Options.NONE.withFile(file)))
                .containsExactly(
                        file
                                + ":1:1: origins: is missing"
                                + " (expected at least one origin, or --to URL)");
    }

    @Test
    void aFileForUseBesideToCanBeChecked() throws Exception {
        write("cache: { grace: 1s }");

        assertThat(Configuration.check(file).cache().grace()).isEqualTo(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "origins: {}; origins: is empty",
                "origins: { a: { urls: [] } }; origins.a.urls: is empty",
                "origins: { a: { } }; origins.a.urls: is missing",
                "origins: { 'a b': { urls: ['http://a'] } }; is not a valid name",
                "origins: { a: { urls: 'http://a' } }; origins.a.urls: is a single value",
                "origins: { a: { urls: ['http://a'] } }; routes: is missing",
                "origins: { a: { urls: [['http://a']] } }; origins.a.urls[0]: is a list",
                "origins: { a: { urls: [{ weight: 2 }] } }; origins.a.urls[0].url: is missing",
                "origins: { a: { urls: [{ url: 'http://a', weight: 0 }] } }; urls[0].weight: invalid value '0'",
                "origins: { a: { urls: [{ url: 'http://a', wait: 1 }] } }; urls[0].wait: is an unknown key (expected 'weight'",
                "origins: { a: { urls: [{ url: 'http://a', fallback: true }] } }; urls: lists only fallbacks",
                "origins: { a: { urls: ['http://a', 'http://A'] } }; urls: lists http://a twice",
                "origins: { a: { urls: ['http://a'], balance: any } }; balance: invalid value 'any' (expected least-requests |",
                "origins: { a: { urls: ['http://a'], retry-budget: 101% } }; retry-budget: invalid value '101%'",
                "origins: { a: { urls: ['http://a'], retry-budget: 0.2 } }; retry-budget: invalid value '0.2'",
                "origins: { a: { urls: ['http://a'], health: up } }; health: is a single value",
                "origins: { a: { urls: ['http://a'], health: { path: up } } }; health.path: invalid value 'up'",
                "origins: { a: { urls: ['http://a'], health: { window: 4 } } }; health.window: invalid value '4' for a threshold of 2 (expected a whole number from 2 to 3)",
                "origins: { a: { urls: ['http://a'], health: { timeout: 6s } } }; health.timeout: is longer than the interval",
                "routes: [{ path: / }]; routes[0].origin: is missing",
                "routes: [{ path: news }]; routes[0].path: invalid value 'news'",
                "listen: { cert: /c.pem }; listen.cert: is an unknown key: the certificates of TLS are keys of tls",
                "listen: { https: '127.0.0.1:0' }; tls.certificates: is missing or empty, and listen.https needs it (expected a list of { cert: FILE, key: FILE })",
                "listen: { http: off }; listen.http: is off, and there is no listen.https (expected one of the addresses)",
                "listen: { also: [ { tls: true } ] }; listen.also[0].address: is missing (expected HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080, or unix:PATH, absolute, such as unix:/run/quire/http.sock)",
                "listen: { also: [ { address: 'unix:a b' } ] }; listen.also[0].address: invalid value 'unix:a b'",
                "listen: { also: [ { address: 'unix:relative' } ] }; listen.also[0].address: invalid value 'unix:relative'",
                "listen: { also: [ { address: '127.0.0.1:1', protocols: [h2] } ] }; listen.also[0].protocols: has h2, which needs TLS (expected tls: true, or h2c in its place)",
                "listen: { also: [ { address: '127.0.0.1:1', tls: true, protocols: [h2c] } ] }; listen.also[0].protocols: has h2c, which is without TLS (expected tls: false, or h2 in its place)",
                "listen: { also: [ { address: '127.0.0.1:1', protocols: [] } ] }; listen.also[0].protocols: is empty (expected a list, each http1 | h2 | h2c)",
                "listen: { also: [ { address: '127.0.0.1:8080' } ] }; listen.also[0].address: is also the address of another listener (expected another address)",
                "listen: { also: [ { address: 'unix:/a' }, { address: 'unix:/b/../a' } ] }; listen.also[1].address: is also the address of another listener",
                "listen: { also: [ { address: '127.0.0.1:9901' } ] }; admin.address: is also the address of listen.also (expected another port)",
                "listen: { also: [ { address: '127.0.0.1:1', tls: true } ] }; tls.certificates: is missing or empty, and listen.also needs it (expected a list of { cert: FILE, key: FILE })",
                "listen: { proxy-protocol: [10.0.0] }; listen.proxy-protocol[0]: invalid value '10.0.0'",
                "listen: { redirect: https }; listen.redirect: has no effect without listen.https",
                "listen: { http: '127.0.0.1:8443', https: '127.0.0.1:8443' }; listen.https: is also the address of listen.http",
                "tls: { certificates: [ { cert: /none.pem, key: /none.key } ] }; tls.certificates[0].cert: /none.pem cannot be read",
                "tls: { certificates: [ { cert: /none.pem } ] }; tls.certificates[0].key: is missing",
                "tls: { clients: { ask: require } }; tls.clients.trust: is missing",
                "tls: { clients: { trust: /none.pem } }; tls.clients.trust: has no effect while ask is off",
                "tls: { tickets: { keys: /none } }; tls.tickets.keys: /none cannot be read",
                "origins: { a: { urls: ['http://a'], tls: { verify: none } } }; origins.a.tls: has no effect without a URL with https",
                "origins: { a: { urls: ['https://a'], tls: { ca: /none.pem } } }; origins.a.tls.ca: /none.pem cannot be read",
                "origins: { a: { urls: ['https://a'], tls: { cert: /none.pem } } }; origins.a.tls.cert: is given alone",
                "origins: { a: { urls: ['https://a'], tls: { verify: half } } }; origins.a.tls.verify: invalid value 'half' (expected full | none)",
                "origins: { a: { urls: ['unix://a/b'] } }; origins.a.urls[0]: invalid value 'unix://a/b' (expected http://HOST[:PORT] or https://HOST[:PORT] without a path, or unix:/PATH)",
                "tls: { versions: [1.1] }; tls.versions[0]: invalid value '1.1' (expected 1.2 | 1.3)",
                "gzip: on; gzip: is an unknown key: compression is a key of cache (expected cache.compress)",
                "cache: { brotli: on }; cache.brotli: is an unknown key: compression is a key of cache",
                "routes: [{ origin: a, headers: {} }]; routes[0].headers: is an unknown key: fields are set and removed by rules",
                "routes: [{ origin: a, set_header: {} }]; routes[0].set_header: is an unknown key: fields are set",
                "routes: [{ rewrite: /a }]; routes[0].rewrite: is an unknown key: URLs are changed and redirected by rules",
                "routes: [{ auth: basic }]; routes[0].auth: is an unknown key: clients are authenticated by rules",
                "includes: other.yml; includes: is an unknown key: a file is included by a key of the root (expected include: a file name",
                "cache: { include: other.yml }; cache.include: is an unknown key: a file is included by a key of the root",
                "admin: { probes: '127.0.0.1:8080' }; admin.probes: is also the address of listen.http (expected another port)",
                "admin: { probes: '127.0.0.1:9901' }; admin.probes: is also the address of admin",
                "admin: { probes: '9902' }; admin.probes: invalid value '9902'",
                "origins: { a: { timeout: 5s } }; origins.a.timeout: is an unknown key: an origin has a limit for each wait",
                "routes: [{ path: '/{de,fr}/**' }]; routes[0].path: invalid value '/{de,fr}/**' (expected a path such as /news/** or /img/*.png, where ** is a whole segment; for {a,b} write two routes)",
                "routes: [{ path: '/a**' }]; routes[0].path: invalid value '/a**'",
                "routes: [{ host: 'a:80' }]; routes[0].host: invalid value 'a:80'",
                "routes: { origin: a }; routes: is a mapping",
                "routes: []; routes: is empty",
                "cache: [1]; cache: is a list",
                "cache: { grace: [1s] }; cache.grace: is a list",
                "cache: { grace: }; cache.grace: is empty",
                "cache: { grace: 99999999999s }; cache.grace: invalid value",
                "cache: { grace: -1s }; cache.grace: invalid value",
                "cache: { max-object: 1GiB }; cache.max-object: is larger than cache.memory",
                "cache: { memory: 1023KiB }; cache.memory: invalid value '1023KiB' (expected a size such as 64KiB, 16MiB or 1GiB, at least 1048576B, or 0 with disk.path or shared.servers)",
                "cache: { memory: 0 }; cache.memory: is 0 without another tier (expected at least 1MiB, or disk.path or shared.servers)",
                "{ disk: { size: 1GiB }, cache: { memory: 0 } }; cache.memory: is 0 without another tier",
                "{ disk: { path: ./c }, cache: { memory: 0, max-object: 17MiB } }; cache.max-object: is too large for a cache.memory of 0 (expected at most 16777216B)",
                "disk: { path: cache }; disk.path: invalid value 'cache' (expected the path of a directory, such as /var/cache/quire or ./cache)",
                "disk: { path: /dev/null }; disk.path: invalid value '/dev/null'",
                "disk: { size: 15MiB }; disk.size: invalid value '15MiB' (expected a size such as 64KiB, 16MiB or 1GiB, at least 16777216B)",
                "disk: { index: 1023KiB }; disk.index: invalid value '1023KiB'",
                "disk: { min-lifetime: 10 }; disk.min-lifetime: invalid value '10'",
                "disk: { write-limit: 64MiB }; disk.write-limit: invalid value '64MiB' (expected bytes in a second such as 64MiB/s, at least 1048576B/s)",
                "disk: { write-limit: 1023KiB/s }; disk.write-limit: invalid value '1023KiB/s'",
                "disk: { io-threads: 0 }; disk.io-threads: invalid value '0' (expected a whole number from 1 to 64)",
                "disk: { io-threads: 65 }; disk.io-threads: invalid value '65'",
                "disk: { io-timeout: 0s }; disk.io-timeout: invalid value '0s'",
                "disk: { sendfile-from: 4095B }; disk.sendfile-from: invalid value '4095B' (expected a size such as 64KiB, 16MiB or 1GiB, at least 4096B)",
                "cache: { heuristic: yes }; cache.heuristic: invalid value 'yes'",
                "log: { access: stdout }; log.access: invalid value 'stdout'",
                "log: { access: /no/such/directory/a.log }; log.access: invalid value",
                "trusted: [300.0.0.1]; trusted[0]: invalid value '300.0.0.1'",
                "trusted: [10.0.0.0/33]; trusted[0]: invalid value",
                "trusted-fields: [X-Forwarded-For]; trusted-fields[0]: invalid value 'X-Forwarded-For'",
                "trusted-fields: [Accept]; trusted-fields[0]: invalid value 'Accept'",
                "diagnostics: [me]; diagnostics[0]: invalid value 'me'",
                "esi: { content-types: [html] }; esi.content-types[0]: invalid value 'html'",
                "esi: { device-token: 'A b' }; esi.device-token: invalid value 'A b'",
                "{ a: b }: c; a key is a mapping",
                "esy: {}; esy: is an unknown key (expected 'esi', the nearest match)",
            })
    void whatIsWrongIsSaidWithItsKey(String yaml, String said) {
        write(yaml);

        assertThat(problems(Options.NONE.withFile(file)))
                .anyMatch(problem -> problem.startsWith(file + ":1:") && problem.contains(said))
                .allMatch(problem -> problem.contains("(expected "));
    }

    @Test
    void aKeyThatStandsThereTwiceIsRefused() {
        write(ORIGIN + "cache: { grace: 1s }\ncache: { grace: 2s }\n");

        assertThat(problems(Options.NONE.withFile(file)))
                .containsExactly(
                        file
                                + ":6:1: cache: is a duplicate key, first at "
                                + file
                                + ":5:1 (expected the key once)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "a: [1; :1:6: is not valid YAML",
                "a: *x; :1:4: is not valid YAML: found undefined alias",
                "--- a\\n--- b; :2:1: is not valid YAML",
                "'\"\\\\'; :1:1: is not valid YAML",
            })
    void whatIsNoYamlIsSaidWithItsPosition(String yaml, String said) {
        write(yaml.replace("\\n", "\n"));

        assertThat(problems(Options.NONE.withFile(file)))
                .singleElement()
                .asString()
                .contains(said.substring(said.indexOf(' ') + 1));
    }

    @Test
    void nestingDoesNotOverflowTheStack() {
        write("a: " + "[".repeat(500_000));

        assertThat(problems(Options.NONE.withFile(file)))
                .containsExactly(file + ":1:19: is nested too deeply (expected at most 16 levels)");
    }

    @Test
    void aFileThatIsNoTextIsRefused() throws Exception {
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        assertThat(problems(Options.NONE.withFile(file)))
                .containsExactly(file + ":1:1: is not UTF-8 (expected UTF-8 text)");

        Files.write(file, new byte[(1 << 20) + 1]);
        assertThat(problems(Options.NONE.withFile(file)))
                .containsExactly(file + ":1:1: is too large (expected at most 1MiB)");

        Files.delete(file);
        assertThat(problems(Options.NONE.withFile(file)))
                .containsExactly(file + ":1:1: does not exist (expected an existing file)");
    }

    @Test
    void problemsOfTheCommandLineAreListedEvenIfTheFileIsNoYaml() {
        write("[");

        assertThat(problems(Options.NONE.withFile(file).withListen("x"))).hasSize(2);
    }

    @Test
    void aClientIsTrustedByItsAddress() {
        var loopback = List.of(Network.parse("127.0.0.0/8"), Network.parse("::1/128"));
        var rules = new TrustConfig(loopback, List.of(), Optional.empty());

        assertThat(rules.trusts(Literal.address("127.1.2.3").orElseThrow())).isTrue();
        assertThat(rules.trusts(Literal.address("::1").orElseThrow())).isTrue();
        assertThat(rules.trusts(Literal.address("::ffff:127.0.0.1").orElseThrow())).isTrue();
        assertThat(rules.trusts(Literal.address("128.0.0.1").orElseThrow())).isFalse();
        assertThat(rules.trusts(Literal.address("::2").orElseThrow())).isFalse();
        assertThat(TrustConfig.DEFAULTS.trusts(InetAddress.getLoopbackAddress())).isFalse();
    }

    @Test
    void aRouteToNowhereCannotBeMade() {
        assertThatThrownBy(() -> with(Map.of(), RouteConfig.everythingTo("nowhere")))
                .hasMessageContaining("nowhere");
    }

    /** The defaults with one origin for all requests. */
    private static Configuration to(String origin) {
        return with(
                Map.of(origin, OriginSettings.at(origin, SITE)), RouteConfig.everythingTo(origin));
    }

    private static Configuration with(Map<String, OriginSettings> origins, RouteConfig route) {
        var defaults = Configuration.DEFAULTS;
        return new Configuration(
                defaults.listen(),
                defaults.tls(),
                defaults.admin(),
                defaults.trust(),
                origins,
                List.of(route),
                defaults.cache(),
                defaults.disk(),
                defaults.shared(),
                defaults.fleet(),
                defaults.esi(),
                defaults.variants(),
                defaults.log(),
                defaults.deliver(),
                defaults.drain(),
                defaults.limits(),
                defaults.invalidation(),
                ErrorPageRules.NONE,
                Rules.NONE);
    }

    private List<String> problems(Options options) {
        var invalid =
                catchThrowableOfType(InvalidConfiguration.class, () -> Configuration.of(options));
        return invalid.problems().stream().map(Problem::toString).toList();
    }

    private void write(String yaml) {
        try {
            Files.writeString(file, yaml, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
