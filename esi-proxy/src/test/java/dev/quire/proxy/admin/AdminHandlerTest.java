package dev.quire.proxy.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ErrorGuard;
import dev.quire.core.rule.PathPattern;
import dev.quire.proxy.cache.Ban;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.Covered;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.config.Token;
import dev.quire.proxy.fleet.Ack;
import dev.quire.proxy.fleet.Acknowledged;
import dev.quire.proxy.fleet.Settled;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdminHandlerTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    private final RecordingActions actions = new RecordingActions();
    private EmbeddedChannel channel = channel(Optional.empty());

    /** A proxy with one stored page that records its calls. */
    private static final class RecordingActions implements AdminActions {
        final List<PurgeRequest> purges = new ArrayList<>();
        final List<BanCondition> bans = new ArrayList<>();
        final RecordedReloads configurations = new RecordedReloads();
        HandoverReply handover = new HandoverReply.Offered(Path.of("/tmp/a/socket"));
        boolean isReplaced;
        boolean isDraining;
        final List<Tiers.Change> changes = new ArrayList<>();
        boolean hasDisk;
        boolean ready = true;
        boolean broken;
        Durability durability = Durability.DURABLE;
        final List<Optional<Ack>> acks = new ArrayList<>();
        Optional<Acknowledged> acknowledged = Optional.empty();
        Optional<Tiers.Shared> sharedTier = Optional.empty();

        @Override
        public boolean isReady() {
            return ready;
        }

        @Override
        public String metrics() {
            return "quire_coalesced_total 1.0\n";
        }

        @Override
        public Optional<Covered> purge(PurgeRequest request) {
            if (broken) {
                throw new IllegalStateException("expected a store");
            }
            purges.add(request);
            return request.count() ? Optional.of(new Covered(1, 2, 3, 4)) : Optional.empty();
        }

        @Override
        public OptionalLong ban(BanCondition condition) {
            bans.add(condition);
            return bans.size() > 2 ? OptionalLong.empty() : OptionalLong.of(bans.size());
        }

        @Override
        public long wouldHide(BanCondition condition) {
            return 12;
        }

        @Override
        public List<Ban> bans() {
            return bans.stream().map(ban -> new Ban(7, ban, NOON, 3, false)).toList();
        }

        @Override
        public Instant now() {
            return NOON.plusMillis(1500);
        }

        @Override
        public boolean liftBan(long id) {
            return id == 7;
        }

        @Override
        public Settled settled(Optional<Ack> wanted) {
            acks.add(wanted);
            return new Settled(durability, acknowledged);
        }

        @Override
        public Optional<FleetState> fleet() {
            return acknowledged.map(each ->
                    new FleetState(
                            "news",
                            "a",
                            "0123456789abcdef",
                            "current",
                            null,
                            "00000000000000ff",
                            "00000000000000ff/1-2",
                            Duration.ofMillis(500),
                            3,
                            Map.of("local", 4L),
                            "log",
                            new FleetState.Log(5, "1-3", "allkeys-lru"),
                            List.of(
                                    new FleetState.Node(
                                            "b",
                                            "fedc",
                                            "silent",
                                            null,
                                            Duration.ofSeconds(9),
                                            "1.0",
                                            "ab",
                                            "a=http://a"))));
        }

        @Override
        public List<ShownCertificate> certificates() {
            return List.of(
                    new ShownCertificate(
                            "a.pem",
                            List.of("a.test", "*.b.test"),
                            "EC",
                            NOON,
                            Duration.ofDays(30),
                            true));
        }

        @Override
        public Tiers tiers() {
            return new Tiers(
                    new Tiers.Memory("on", 1, 2, 3),
                    hasDisk ? Optional.of(disk()) : Optional.empty(),
                    sharedTier);
        }

        private static Tiers.Disk disk() {
            return new Tiers.Disk(
                    "on",
                    null,
                    true,
                    "No space left on device",
                    "/var/cache/quire",
                    4,
                    5,
                    6,
                    7,
                    Map.of("hit", 8L),
                    Map.of("stored", 9L),
                    10,
                    11,
                    12,
                    13,
                    14,
                    0.25,
                    null);
        }

        @Override
        public Optional<String> changeDisk(Tiers.Change change) {
            if (!hasDisk) {
                return Optional.of("there is no disk tier (expected disk.path)");
            }
            changes.add(change);
            return Optional.empty();
        }

        @Override
        public List<String> reloadCertificates() {
            return broken ? List.of("tls: a.pem is not one", "tls: b.pem is not one") : List.of();
        }

        @Override
        public Stats stats() {
            return new Stats(
                    Duration.ofMillis(1500),
                    ready,
                    5,
                    3,
                    new Stats.Cache(1, 2, 3, 4),
                    Map.of(
                            "news",
                            new Stats.Origin(
                                    7,
                                    6,
                                    0,
                                    true,
                                    List.of(
                                            new Stats.Server(
                                                    "http://news.internal",
                                                    "half-open",
                                                    "up",
                                                    1,
                                                    7,
                                                    6,
                                                    0,
                                                    null)))));
        }

        @Override
        public ConfigurationActions configurations() {
            return configurations;
        }

        @Override
        public void drain() {
            isDraining = true;
        }

        @Override
        public boolean isReplaced() {
            return isReplaced;
        }

        @Override
        public HandoverReply handOver() {
            return handover;
        }

        @Override
        public List<StoredVariant> stored(CacheKey key) {
            return key.equals(new CacheKey(Scheme.HTTP, "a", "/home?x=1&y=2"))
                    ? List.of(
                            new StoredVariant(
                                    List.of("accept-language"),
                                    200,
                                    Duration.ofSeconds(4),
                                    Duration.ofSeconds(60),
                                    Duration.ofSeconds(56),
                                    Duration.ofSeconds(10),
                                    Duration.ZERO,
                                    List.of("home"),
                                    99,
                                    true,
                                    "memory"))
                    : List.of();
        }
    }

    @AfterEach
    void nothingIsLeft() {
        channel.finishAndReleaseAll();
    }

    @Test
    void headThatDripsIsClosedAfterTenSeconds() {
        for (int i = 0; i < 9; i++) {
            send("G");
            pass(Duration.ofSeconds(1));
        }
        var before = channel.isOpen();

        pass(Duration.ofSeconds(1));

        assertThat(before).isTrue();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void laterHeadHasItsOwnDeadline() {
        send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
        pass(Duration.ofSeconds(50));
        var idle = channel.isOpen();
        send("GET /healthz HTTP/1.1\r\n");
        pass(Duration.ofSeconds(9));
        send("Host: localhost\r\n\r\n");
        pass(Duration.ofSeconds(9));
        var answered = channel.isOpen();
        send("G");
        pass(Duration.ofSeconds(10));

        assertThat(idle).isTrue();
        assertThat(answered).isTrue();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void oldestConnectionGivesWayToThe65th() {
        var connections = new AdminConnections();
        var opened = new ArrayList<EmbeddedChannel>();
        for (int i = 0; i < AdminServer.MAX_CONNECTIONS + 1; i++) {
            var each = new EmbeddedChannel();
            opened.add(each);
            connections.add(
                    each, new AdminHandler(new AdminApi(actions, Optional::empty), work -> {}));
        }

        assertThat(opened).filteredOn(EmbeddedChannel::isOpen).hasSize(AdminServer.MAX_CONNECTIONS);
        assertThat(opened.getFirst().isOpen()).isFalse();
        assertThat(opened.getLast().isOpen()).isTrue();
        opened.forEach(EmbeddedChannel::close);
    }

    private void pass(Duration time) {
        channel.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
        channel.runScheduledPendingTasks();
    }

    @Test
    void healthAndReadinessDiffer() {
        assertThat(get("/healthz")).startsWith("HTTP/1.1 200 OK").endsWith("\r\n\r\nok\n");
        assertThat(get("/readyz")).startsWith("HTTP/1.1 200 OK");

        actions.ready = false;

        assertThat(get("/healthz")).startsWith("HTTP/1.1 200 OK");
        assertThat(get("/readyz")).startsWith("HTTP/1.1 503 ").endsWith("\r\n\r\n503 not ready\n");
    }

    @Test
    void metricsAreText() {
        assertThat(get("/metrics"))
                .contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n")
                .contains("cache-control: no-store\r\n")
                .endsWith("\r\n\r\nquire_coalesced_total 1.0\n");
    }

    @Test
    void headHasTheHeadOfGetAndNoBody() {
        var got = get("/metrics");

        var head = ask("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");

        assertThat(head).isEqualTo(got.substring(0, got.indexOf("\r\n\r\n") + 4));
    }

    @Test
    void statsAreJson() {
        assertThat(get("/v1/stats"))
                .contains("content-type: application/json\r\n")
                .endsWith(
                        "{\"uptime\":1.500000000,\"ready\":true,\"exchanges\":5,\"waiting\":3,"
                                + "\"cache\":{\"objects\":1,\"bytes\":2,\"memoryBytes\":3,"
                                + "\"transitBytes\":4},"
                                + "\"origins\":{\"news\":{\"connections\":7,\"idle\":6,"
                                + "\"queued\":0,\"tlsVerified\":true,\"servers\":[{\"url\":\"http://news.internal\","
                                + "\"circuit\":\"half-open\",\"health\":\"up\",\"requests\":1,"
                                + "\"connections\":7,\"idle\":6,\"queued\":0,\"tlsFault\":null}]}}}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://a/home?x=1&y=2", "http%3A%2F%2FA%3A80%2Fhome%3Fx%3D1%26y%3D2"})
    void whatIsStoredIsShownByItsUrl(String url) {
        assertThat(get("/v1/cache?url=" + url))
                .startsWith("HTTP/1.1 200 OK")
                .contains("{\"url\":\"http://a/home?x=1&y=2\",\"variants\":[{")
                .contains("\"vary\":[\"accept-language\"],\"status\":200,\"age\":4.000000000");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "/v1/cache; 400; 400 the query does not begin with url= (expected ?url=URL)",
                "/v1/cache?uri=x; 400; 400 the query does not begin with url= (expected ?url=URL)",
                "/v1/cache?url=home; 400; 400 url: 'home' is not an absolute URL (expected http://",
                "/v1/cache?url=http://a/%20b#c; 400; is not an absolute URL",
                "/v1/cache?url=http%3A//u:p@a/; 400; is not an absolute URL",
                "/v1/cache?url=%zz; 400; is malformed",
                "/v1/cache?url=http://b/; 404; 404 no stored response for http://b/",
                "/v2; 404; 404 no such endpoint",
                "/v1/purge; 405; 405 expected POST",
            })
    void whatCannotBeShownIsExplained(String target, int status, String said) {
        assertThat(get(target)).startsWith("HTTP/1.1 " + status + " ").contains(said);
    }

    @Test
    void aPurgeReachesTheCacheAsItWasSent() {
        var answer =
                purge(
                        """
                        {"urls":["https://A.example:443/x?y"],"tags":["vote-1"],"hosts":["A.example:81"],
                         "paths":["/news/**"],"soft":true,"dryRun":true}\
                        """);

        assertThat(answer)
                .startsWith("HTTP/1.1 200 OK")
                .endsWith(
                        "{\"urls\":1,\"tags\":2,\"hosts\":3,\"paths\":4,"
                                + "\"soft\":true,\"dryRun\":true}");
        assertThat(actions.purges)
                .containsExactly(
                        new PurgeRequest(
                                new Purge(
                                        Set.of(new CacheKey(Scheme.HTTPS, "a.example", "/x?y")),
                                        Set.of("vote-1"),
                                        Set.of("a.example:81"),
                                        List.of(new PathPattern("/news/**"))),
                                true,
                                true,
                                true,
                                Optional.empty()));
    }

    @Test
    void purgeWithoutACountIsAnsweredWithoutNumbers() {
        var answer = purge("{\"tags\":[\"a\"],\"soft\":true,\"count\":false}");

        assertThat(answer)
                .startsWith("HTTP/1.1 200 OK")
                .endsWith("\r\n\r\n{\"soft\":true,\"count\":false}");
    }

    @Test
    void jsonBeyondTheLimitsOfItsParserIsMalformed() {
        for (var body :
                List.of("[".repeat(100_000), "{\"a\":".repeat(50_000), "1".repeat(100_000))) {
            assertThat(purge(body)).startsWith("HTTP/1.1 400 ").contains("malformed JSON");
        }
    }

    @Test
    void wrongTokensAreRefusedLaterAfterSomeAndTheRightOneIsNot() {
        var api = new AdminApi(actions, () -> Optional.of(new Token(SECRET)));
        var wrong = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n";
        for (int i = 0; i < 5; i++) {
            channel = channel(api);
            assertThat(ask(wrong)).startsWith("HTTP/1.1 401 ");
        }

        var sixth = channel(api);
        channel = sixth;
        assertThat(ask(wrong)).isEmpty();
        var seventh = channel(api);
        channel = seventh;
        assertThat(ask(wrong)).isEmpty();
        for (var each : List.of(sixth, seventh)) {
            each.advanceTimeBy(1, TimeUnit.SECONDS);
            each.runScheduledPendingTasks();
        }
        channel = sixth;
        assertThat(written()).startsWith("HTTP/1.1 401 ");
        channel = seventh;
        assertThat(written()).isEmpty();
        seventh.advanceTimeBy(1, TimeUnit.SECONDS);
        seventh.runScheduledPendingTasks();
        assertThat(written()).startsWith("HTTP/1.1 401 ");

        channel = channel(api);
        assertThat(ask(wrong.replace("Bearer x", "Bearer " + SECRET))).startsWith("HTTP/1.1 200 ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{}; no condition is given (expected at least one of urls, tags, hosts, paths)",
                "{\"tags\":[]}; no condition is given",
                "{\"tag\":[\"a\"]}; unknown member 'tag' (expected 'tags', the nearest match)",
                "{\"tags\":\"a\"}; tags has the wrong type (expected an array of strings)",
                "{\"tags\":[1]}; tags has the wrong type (expected an array of strings)",
                "{\"tags\":null}; tags has the wrong type (expected an array of strings)",
                "{\"tags\":[\"a b\"]}; tags: 'a b' is not a valid tag (expected 1 to 256 visible",
                "{\"tags\":[\"a\\u000ab\"]}; tags: 'a?b' is not a valid tag",
                "{\"tags\":[\"\"]}; tags: '' is not a valid tag",
                "{\"urls\":[\"/x\"]}; urls: '/x' is not an absolute URL",
                "{\"urls\":[\"http://a:80:80/x\"]}; urls: 'http://a:80:80/x' is not an absolute URL",
                "{\"urls\":[\"http://a:81:80/x\"]}; urls: 'http://a:81:80/x' is not an absolute URL",
                "{\"urls\":[\"http://[::1]:80:80/x\"]}; urls: 'http://[::1]:80:80/x' is not",
                "{\"urls\":[\"http://a::/x\"]}; urls: 'http://a::/x' is not an absolute URL",
                "{\"hosts\":[\"a/b\"]}; hosts: 'a/b' is not a valid host",
                "{\"paths\":[\"x\"]}; paths: 'x' is not a valid path",
                "{\"tags\":[\"a\"],\"dryRun\":true,\"count\":false}; count: false excludes dryRun",
                "{\"tags\":[\"a\"],\"soft\":1}; soft has the wrong type (expected true or false)",
                "{\"tags\":[\"a\"],\"tags\":[\"b\"]}; malformed JSON (expected a JSON object with",
                "{\"tags\":[\"a\"]} x; malformed JSON",
                "[]; the body is not an object",
                "{; line 1, column 2: malformed JSON",
                "``; the body is not an object",
            })
    void aPurgeThatCannotBeMeantIsExplained(String body, String said) {
        assertThat(purge(body)).startsWith("HTTP/1.1 400 ").contains("\r\n\r\n400 ", said);
        assertThat(actions.purges).isEmpty();
    }

    @Test
    void aTagLongerThanItsLimitIsRefused() {
        assertThat(purge("{\"tags\":[\"" + "x".repeat(257) + "\"]}"))
                .contains("is not a valid tag");
        assertThat(purge("{\"tags\":[\"" + "x".repeat(256) + "\"]}")).contains(" 200 OK");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", ""})
    void aWriteMustBeJson(String type) {
        assertThat(
                        ask(
                                "POST /v1/purge HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                        + type
                                        + "\r\nContent-Length: 16\r\n\r\n{\"tags\":[\"all\"]}"))
                .startsWith("HTTP/1.1 415 ");
        assertThat(actions.purges).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"DELETE", "PUT", "OPTIONS", "POST"})
    void aWrongMethodIsToldTheRightOnes(String method) {
        assertThat(ask(method + " /v1/stats HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .startsWith("HTTP/1.1 405 ")
                .contains("allow: GET, HEAD\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"localhost", "LOCALHOST:9901", "127.0.0.1:9901", "127.8.8.8", "[::1]:9901"})
    void aLoopbackNameMayAsk(String host) {
        assertThat(ask("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n\r\n")).contains(" 200 OK");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: evil.example",
                "Host: evil.example:9901",
                "Host: localhost.evil.example",
                "Host: 10.0.0.1",
                "Host: ",
                "Host: localhost\r\nHost: localhost",
                "X: y"
            })
    void anotherNameIsADnsRebindingAttack(String field) {
        assertThat(ask("GET /v1/stats HTTP/1.1\r\n" + field + "\r\n\r\n"))
                .startsWith("HTTP/1.1 403 ")
                .contains("connection: close\r\n");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aTokenOpensThePortUnderAnyName() {
        channel = channel(Optional.of(new Token(SECRET)));

        var answer =
                ask(
                        "GET /v1/stats HTTP/1.1\r\nHost: proxy.example\r\nAuthorization: bearer "
                                + SECRET
                                + "\r\n\r\n");

        assertThat(answer).startsWith("HTTP/1.1 200 OK");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X: y",
                "Authorization: Bearer",
                "Authorization: Bearer wrong",
                "Authorization: Basic " + SECRET,
                "Authorization: " + SECRET,
                "Authorization: Bearer " + SECRET + "0",
                "Authorization: Bearer " + SECRET + "\r\nAuthorization: Bearer " + SECRET
            })
    void withoutTheTokenNothingIsAnswered(String field) {
        channel = channel(Optional.of(new Token(SECRET)));

        assertThat(ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + field + "\r\n\r\n"))
                .startsWith("HTTP/1.1 401 ")
                .contains("www-authenticate: Bearer realm=\"quire\"\r\n")
                .doesNotContain(SECRET);
    }

    @Test
    void aBodyMayComeInPieces() {
        var head = post(17);

        send(head + "{\"tags\":");
        send("[\"");
        var answer = ask("all1\"]}");

        assertThat(answer).contains(" 200 OK");
    }

    @Test
    void aClientThatWaitsIsToldToGoOn() {
        send(post(17).replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"));

        assertThat(written()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
        assertThat(ask("{\"tags\":[\"all1\"]}")).contains(" 200 OK");
    }

    @Test
    void aBodyOverTheLimitIsRefusedAnnouncedOrNot() {
        assertThat(ask(post((1 << 20) + 1))).startsWith("HTTP/1.1 413 ");
        assertThat(channel.isOpen()).isFalse();

        channel = channel(Optional.empty());
        send(post(1).replace("Content-Length: 1", "Transfer-Encoding: chunked"));
        var chunk = "10000\r\n" + " ".repeat(1 << 16) + "\r\n";
        for (int i = 0; i < 16; i++) {
            send(chunk);
            assertThat(channel.isOpen()).isTrue();
        }

        assertThat(ask(chunk)).startsWith("HTTP/1.1 413 ");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void garbageIsAnsweredAndTheConnectionClosed() {
        assertThat(ask("\u0016\u0003\u0001 hello\r\n\r\n")).startsWith("HTTP/1.1 400 ");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aConnectionIsKeptForTheNextRequest() {
        assertThat(get("/healthz")).doesNotContain("connection: close");
        assertThat(get("/healthz")).contains(" 200 OK");
        assertThat(ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .contains("connection: close\r\n");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void whoSendsAheadGetsOneAnswerAndAClosedConnection() {
        var request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

        var answer = ask(request + request);

        assertThat(Pattern.compile("HTTP/1.1 200 OK").matcher(answer).results()).hasSize(1);
        assertThat(answer).contains("connection: close\r\n");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aFaultOfOursIsAFiveHundredAndTheNextRequestWorks() {
        actions.broken = true;
        assertThat(purge("{\"tags\":[\"a\"]}"))
                .startsWith("HTTP/1.1 500 ")
                .doesNotContain("expected a store");

        actions.broken = false;
        assertThat(purge("{\"tags\":[\"a\"]}")).contains(" 200 OK");
    }

    @Test
    void banIsShownAsItWasMade() {
        var all =
                "{\"host\":\"*.news.example\",\"path\":\"^/a(b|c)\",\"tag\":\"poll\","
                        + "\"contentType\":\"image/*\",\"status\":404,\"olderThan\":\"90m\"}";

        assertThat(ban(all)).contains(" 200 OK").endsWith("{\"id\":1}");

        assertThat(get("/v1/bans"))
                .endsWith(
                        "{\"bans\":[{\"id\":7,\"condition\":"
                                + all
                                + ",\"age\":1.500000000,\"hidden\":3,\"completed\":false}]}");
    }

    @Test
    void dryRunOfABanOnlyCounts() {
        assertThat(ban("{\"tag\":\"poll\",\"dryRun\":true}"))
                .endsWith("{\"objects\":12,\"dryRun\":true}");

        assertThat(actions.bans).isEmpty();
    }

    @Test
    void oneBanTooManyIs429() {
        ban("{\"tag\":\"a\"}");
        ban("{\"tag\":\"b\"}");

        assertThat(ban("{\"tag\":\"c\"}"))
                .startsWith("HTTP/1.1 429 ")
                .contains("retry-after: 5\r\n", "429 too many active bans (expected fewer; ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST   | /v1/purge  | {\"tags\":[\"a\"]}                 |"
                        + " \"paths\":4,\"soft\":false,\"dryRun\":false",
                "POST   | /v1/purge  | {\"tags\":[\"a\"],\"count\":false} |"
                        + " {\"soft\":false,\"count\":false",
                "POST   | /v1/bans   | {\"status\":404}                 | {\"id\":1",
                "DELETE | /v1/bans/7 | {}                              | {\"id\":7,\"lifted\":true"
            })
    void invalidationThatMayBeLostIsAccepted(
            String method, String target, String body, String members) {
        var request = post(body.length()).replace("POST /v1/purge", method + " " + target) + body;
        assertThat(ask(request)).startsWith("HTTP/1.1 200 OK").endsWith(members + "}");
        actions.bans.clear();
        actions.durability = Durability.NOT_DURABLE;

        assertThat(ask(request))
                .startsWith("HTTP/1.1 202 Accepted")
                .endsWith(members + ",\"durable\":false}");
    }

    private static Optional<Acknowledged> acknowledged(
            Ack wanted, boolean isInLog, Set<String> nodes, Set<String> missing) {
        var position = isInLog ? new RecordPosition(255, 5L << 20 | 7) : null;
        return Optional.of(new Acknowledged(wanted, position, nodes, missing));
    }

    private static final String POSITION = "\"position\":\"00000000000000ff/5-7\",";

    @Test
    void answerSaysHowFarAPurgeHasComeInTheFleet() {
        actions.acknowledged = acknowledged(Ack.FLEET, true, Set.of("b", "a"), Set.of());
        assertThat(purge("{\"tags\":[\"a\"],\"ack\":\"fleet\"}"))
                .startsWith("HTTP/1.1 200 OK")
                .endsWith(
                        "\"dryRun\":false,"
                                + POSITION
                                + "\"applied\":\"fleet\",\"nodes\":2,\"acked\":2,\"missing\":[]}");

        actions.acknowledged = acknowledged(Ack.LOG, true, Set.of(), Set.of());
        assertThat(ban("{\"status\":404,\"ack\":\"log\"}"))
                .startsWith("HTTP/1.1 200 OK")
                .endsWith("{\"id\":1," + POSITION + "\"applied\":\"log\"}");

        actions.acknowledged = acknowledged(Ack.LOCAL, false, Set.of("a"), Set.of());
        assertThat(delete("/v1/bans/7?ack=local"))
                .startsWith("HTTP/1.1 200 OK")
                .endsWith("{\"id\":7,\"lifted\":true,\"applied\":\"local\"}");
        assertThat(actions.acks)
                .containsExactly(
                        Optional.of(Ack.FLEET), Optional.of(Ack.LOG), Optional.of(Ack.LOCAL));
    }

    @Test
    void nodesThatHaveNotObeyedAreNamed() {
        actions.acknowledged = acknowledged(Ack.FLEET, true, Set.of("a"), Set.of("c", "b"));
        var missing =
                POSITION + "\"applied\":\"log\",\"nodes\":3,\"acked\":1,\"missing\":[\"b\",\"c\"]";

        assertThat(purge("{\"tags\":[\"a\"],\"ack\":\"fleet\"}"))
                .startsWith("HTTP/1.1 202 Accepted")
                .endsWith(missing + "}");

        actions.durability = Durability.NOT_DURABLE;
        assertThat(purge("{\"tags\":[\"a\"],\"ack\":\"fleet\"}"))
                .startsWith("HTTP/1.1 202 Accepted")
                .endsWith(missing + ",\"durable\":false}");
    }

    @Test
    void purgeThatIsNotInTheLogYetIsAccepted() {
        actions.acknowledged = acknowledged(Ack.LOG, false, Set.of(), Set.of());

        assertThat(purge("{\"tags\":[\"a\"]}"))
                .startsWith("HTTP/1.1 202 Accepted")
                .endsWith("\"dryRun\":false,\"applied\":\"local\"}");
        assertThat(actions.acks).containsExactly(Optional.empty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "all; ack: invalid value 'all' (expected local, log or fleet)",
                "LOG; ack: invalid value 'LOG' (expected local, log or fleet)"
            })
    void nothingIsInvalidatedIfTheWordIsUnknown(String ack, String said) {
        var member = "\"ack\":\"" + ack + "\"}";
        assertThat(purge("{\"tags\":[\"a\"]," + member))
                .startsWith("HTTP/1.1 400 ")
                .contains("400 " + said);
        assertThat(ban("{\"status\":404," + member)).contains("400 " + said);
        assertThat(delete("/v1/bans/7?ack=" + ack)).contains("400 " + said);
        assertThat(actions.purges).isEmpty();
        assertThat(actions.bans).isEmpty();
        assertThat(delete("/v1/bans/7?akc=log"))
                .contains("400 unknown parameter 'akc' (expected 'ack', the nearest match)");
    }

    /** It is made, and the answer says that no other node knows it. */
    @ParameterizedTest
    @ValueSource(strings = {"log", "fleet"})
    void purgeForAFleetThatIsNotThereIsAccepted(String ack) {
        var alone =
                ",\"applied\":\"local\",\"reason\":\"this proxy is not in a fleet (expected"
                        + " shared.type: redis with shared.servers, or fleet.servers, in the"
                        + " configuration)\"}";

        assertThat(purge("{\"tags\":[\"a\"],\"ack\":\"" + ack + "\"}"))
                .startsWith("HTTP/1.1 202 Accepted")
                .endsWith("\"dryRun\":false" + alone);
        assertThat(ban("{\"status\":404,\"ack\":\"" + ack + "\"}"))
                .startsWith("HTTP/1.1 202 Accepted")
                .endsWith("{\"id\":1" + alone);
        assertThat(delete("/v1/bans/7?ack=" + ack))
                .startsWith("HTTP/1.1 202 Accepted")
                .endsWith(alone);
        assertThat(actions.purges).hasSize(1);
        assertThat(purge("{\"tags\":[\"a\"],\"ack\":\"local\"}"))
                .startsWith("HTTP/1.1 200 OK")
                .endsWith("\"dryRun\":false}");
    }

    @Test
    void fleetIsShown() {
        assertThat(get("/v1/fleet"))
                .startsWith("HTTP/1.1 404 ")
                .endsWith(
                        "404 this proxy is not in a fleet (expected shared.type: redis with"
                                + " shared.servers, or fleet.servers, in the configuration)\n");

        actions.acknowledged = acknowledged(Ack.LOG, true, Set.of(), Set.of());
        assertThat(get("/v1/fleet"))
                .startsWith("HTTP/1.1 200 OK")
                .endsWith(
                        "{\"name\":\"news\",\"node\":\"a\",\"incarnation\":\"0123456789abcdef\","
                                + "\"state\":\"current\",\"reason\":null,\"epoch\":\"00000000000000ff\","
                                + "\"position\":\"00000000000000ff/1-2\",\"lag\":0.500000000,"
                                + "\"waiting\":3,\"invalidations\":{\"local\":4},\"ack\":\"log\","
                                + "\"log\":{\"entries\":5,\"last\":\"1-3\",\"eviction\":\"allkeys-lru\"},"
                                + "\"nodes\":[{\"name\":\"b\","
                                + "\"incarnation\":\"fedc\",\"state\":\"silent\",\"position\":null,"
                                + "\"silence\":9.000000000,\"version\":\"1.0\","
                                + "\"configuration\":\"ab\",\"origins\":\"a=http://a\"}]}");
    }

    @Test
    void sharedTierIsShown() {
        actions.sharedTier =
                Optional.of(
                        new Tiers.Shared(
                                "away",
                                "connection refused",
                                "127.0.0.1:6379",
                                0,
                                1,
                                2,
                                Map.of("hit", 3L),
                                Map.of("stored", 4L)));

        assertThat(get("/v1/tiers"))
                .endsWith(
                        "\"shared\":{\"state\":\"away\",\"reason\":\"connection refused\","
                                + "\"servers\":\"127.0.0.1:6379\",\"connections\":0,\"waiting\":1,"
                                + "\"waitingBytes\":2,\"requests\":{\"hit\":3},"
                                + "\"writes\":{\"stored\":4}}}");
    }

    @Test
    void dryRunWaitsForNothing() {
        actions.durability = Durability.NOT_DURABLE;

        assertThat(purge("{\"tags\":[\"a\"],\"dryRun\":true}")).startsWith("HTTP/1.1 200 OK");
        assertThat(ban("{\"status\":404,\"dryRun\":true}")).startsWith("HTTP/1.1 200 OK");
        assertThat(delete("/v1/bans/8")).startsWith("HTTP/1.1 404 ");
    }

    @Test
    void banIsLiftedByItsNumber() {
        assertThat(delete("/v1/bans/7")).contains(" 200 OK").endsWith("{\"id\":7,\"lifted\":true}");
        assertThat(delete("/v1/bans/8"))
                .startsWith("HTTP/1.1 404 ")
                .endsWith("no active ban has the number 8\n");
        assertThat(delete("/v1/bans/x"))
                .startsWith("HTTP/1.1 404 ")
                .endsWith("404 invalid ban number (expected 1 to 18 digits)\n");
        assertThat(delete("/v1/bans/")).startsWith("HTTP/1.1 404 ");
        assertThat(delete("/v1/bans")).startsWith("HTTP/1.1 405 ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{}; no condition is given (expected at least one of host, path,",
                "{\"dryRun\":true}; no condition is given",
                "{\"tags\":[\"a\"]}; unknown member 'tags' (expected 'tag', the nearest match)",
                "{\"tag\":[\"a\"]}; tag has the wrong type (expected a string)",
                "{\"tag\":\"a b\"}; tag: 'a b' is malformed (expected 1 to 256 visible",
                "{\"status\":\"404\"}; status has the wrong type (expected a whole number)",
                "{\"status\":100}; status: 100 is out of range (expected 200 to 999)",
                "{\"host\":\"a*b\"}; host: 'a*b' is malformed (expected HOST, HOST:PORT,",
                "{\"contentType\":\"text\"}; contentType: 'text' is malformed (expected a",
                "{\"olderThan\":\"soon\"}; olderThan: 'soon' is not a duration (expected a",
                "{\"path\":\"\"}; path has 0 characters (expected 1 to 512)",
                "{\"path\":\"^/a(b\"}; path: syntax error in the expression at character ",
                "{\"path\":\"^/a[z-b]\"}; path: syntax error in the expression at character 5: ",
                "{\"path\":\"((a{99}){99})\"}; path: the expression is too large at character 12",
                "{\"path\":\"(?=a)\"}; path: syntax error in the expression at character 1: ",
            })
    void banThatCannotBeMeantIsExplained(String body, String said) {
        assertThat(ban(body)).startsWith("HTTP/1.1 400 ").contains("400 " + said);
        assertThat(actions.bans).isEmpty();
    }

    @Test
    void banMustBeJson() {
        var form =
                post(0).replace("/v1/purge", "/v1/bans")
                        .replace("application/json", "application/x-www-form-urlencoded");

        assertThat(ask(form)).startsWith("HTTP/1.1 415 ");
    }

    @Test
    void termsOfAReloadAreInTheQuery() {
        ask(configPost("/v1/config/reload?confirm=60s&guard=errors%3C1%25"));
        ask(configPost("/v1/config/reload?dryRun"));
        ask(configPost("/v1/config/rollback?generation=3"));
        ask(configPost("/v1/config/rollback"));

        assertThat(actions.configurations.calls)
                .containsExactly(
                        new RecordedReloads.Reload(
                                new ReloadTerms(
                                        Optional.of(Duration.ofSeconds(60)),
                                        Optional.of(new ErrorGuard(0.01))),
                                false),
                        new RecordedReloads.Reload(ReloadTerms.NONE, true),
                        new RecordedReloads.Back(OptionalLong.of(3)),
                        new RecordedReloads.Back(OptionalLong.empty()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "reload?confirm=soon; confirm: invalid value 'soon' (expected a duration such as",
                "reload?confirm=0s; confirm: invalid value '0s'",
                "reload?confirm=25h; confirm: invalid value '25h'",
                "reload?guard=1%25; guard: invalid value '1%' (expected errors<PERCENT%",
                "reload?guard=%zz; guard: '%zz' is malformed",
                "reload?dryrun; unknown parameter 'dryrun' (expected 'dryRun', the nearest match)",
                "reload?dryRun=1; dryRun: invalid value '1' (expected true or false)",
                "reload?confirm=1s&confirm=2s; confirm: is given twice",
                "rollback?generation=x; generation: invalid value 'x'",
                "confirm?all; unknown parameter 'all' (expected no parameter)",
            })
    void termsThatCannotBeMeantAreExplained(String target, String said) {
        assertThat(ask(configPost("/v1/config/" + target)))
                .startsWith("HTTP/1.1 400 ")
                .contains("400 " + said);
        assertThat(actions.configurations.calls).isEmpty();
    }

    @Test
    void outcomesOfAReloadHaveAStatus() {
        actions.configurations.next =
                new ConfigurationActions.Outcome.Invalid(
                        List.of(
                                new Problem(Optional.empty(), "a", "is wrong", "b"),
                                new Problem(Optional.empty(), "c", "is wrong", "d")));
        assertThat(ask(configPost("/v1/config/reload")))
                .startsWith("HTTP/1.1 400 ")
                .endsWith("\r\n\r\na: is wrong (expected b)\nc: is wrong (expected d)\n");
        actions.configurations.next = new ConfigurationActions.Outcome.Conflict("it waits", "time");
        assertThat(ask(configPost("/v1/config/confirm")))
                .startsWith("HTTP/1.1 409 ")
                .endsWith("409 it waits (expected time)\n");
        actions.configurations.next = new ConfigurationActions.Outcome.Superseded(9);
        assertThat(ask(configPost("/v1/config/reload"))).startsWith("HTTP/1.1 412 ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST /v1/purge?dryRun         | {\"tags\":[\"a\"]}    | unknown parameter 'dryRun'",
                "POST /v1/bans?ack=log         | {\"tag\":\"a\"}       | unknown parameter 'ack'",
                "GET /v1/bans?all              | ''                | unknown parameter 'all'",
                "GET /v1/stats?origin=a        | ''                | unknown parameter 'origin'",
                "GET /v1/tiers?disk            | ''                | unknown parameter 'disk'",
                "POST /v1/tiers/disk?dryRun    | {\"state\":\"drop\"}  | unknown parameter 'dryRun'",
                "GET /v1/fleet?node=a          | ''                | unknown parameter 'node'",
                "GET /v1/tls?file=a            | ''                | unknown parameter 'file'",
                "POST /v1/tls/reload?dryRun    | ''                | unknown parameter 'dryRun'",
                "POST /v1/drain?dryRun         | ''                | unknown parameter 'dryRun'",
                "POST /v1/handover?dryRun      | ''                | unknown parameter 'dryRun'",
                "GET /v1/config/generations?n  | ''                | unknown parameter 'n'",
                "DELETE /v1/bans/7             | {\"ack\":\"fleet\"}   | unknown member 'ack'",
                "POST /v1/tls/reload           | {\"dryRun\":true}   | unknown member 'dryRun'",
                "POST /v1/drain                | {\"timeout\":\"1s\"}  | unknown member 'timeout'",
                "POST /v1/handover             | socket            | line 1, column ",
                "POST /v1/config/reload        | {\"dryRun\":true}   | unknown member 'dryRun'",
                "POST /v1/config/confirm       | {\"generation\":3}  | unknown member 'generation'",
                "POST /v1/config/rollback      | {\"generation\":3}  | unknown member 'generation'",
                "POST /v1/config/rollback      | [3]               | the body is not an object",
                "GET /v1/config                | {\"effective\":true}| unknown member 'effective'",
                "GET /v1/bans                  | {\"tag\":\"a\"}       | unknown member 'tag'"
            })
    void whatAnEndpointDoesNotReadIsRefused(String request, String body, String said) {
        actions.hasDisk = true;

        var answer = ask(post(body.length()).replace("POST /v1/purge", request) + body);

        assertThat(answer).startsWith("HTTP/1.1 400 ").contains("400 " + said, "(expected no ");
        assertThat(actions.purges).isEmpty();
        assertThat(actions.bans).isEmpty();
        assertThat(actions.changes).isEmpty();
        assertThat(actions.acks).isEmpty();
        assertThat(actions.configurations.calls).isEmpty();
        assertThat(actions.isDraining).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/healthz", "/readyz", "/metrics"})
    void probesIgnoreParameters(String target) {
        assertThat(get(target + "?from=balancer")).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void emptyObjectSaysNothingThatIsNotRead() {
        assertThat(ask(jsonPost("/v1/config/confirm", "{}"))).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void currentConfigurationHasItsGenerationAsEntityTag() {
        assertThat(get("/v1/config"))
                .contains("etag: \"8\"", "content-type: application/yaml")
                .endsWith("\r\n\r\na: b\n");
        assertThat(get("/v1/config?effective")).endsWith("c: d\n");
        assertThat(get("/v1/config/generations"))
                .endsWith(
                        "{\"generations\":[{\"number\":8,\"age\":2.000000000,\"by\":\"reload\",\"before\":7,"
                                + "\"bytes\":99,\"current\":true,\"confirmWithin\":58.000000000}]}");
    }

    @Test
    void certificatesAreListedAndReadAgain() {
        var listed =
                "{\"certificates\":[{\"file\":\"a.pem\",\"names\":[\"a.test\",\"*.b.test\"],"
                        + "\"kind\":\"EC\",\"notAfter\":\"2026-01-01T12:00:00Z\","
                        + "\"expiresIn\":2592000.000000000,\"stapled\":true}]}";

        assertThat(get("/v1/tls")).endsWith(listed);
        assertThat(ask(configPost("/v1/tls/reload"))).endsWith(listed);

        actions.broken = true;
        assertThat(ask(configPost("/v1/tls/reload")))
                .startsWith("HTTP/1.1 409 ")
                .endsWith("tls: a.pem is not one\ntls: b.pem is not one\n");
    }

    @Test
    void tiersAreShown() {
        var memory = "\"memory\":{\"state\":\"on\",\"objects\":1,\"bytes\":2,\"maxBytes\":3}";
        assertThat(get("/v1/tiers")).endsWith("\r\n\r\n{" + memory + "}");

        actions.hasDisk = true;
        assertThat(get("/v1/tiers"))
                .endsWith(
                        "{"
                                + memory
                                + ",\"disk\":{\"state\":\"on\",\"reason\":null,\"paused\":true,"
                                + "\"lastError\":\"No space left on device\","
                                + "\"path\":\"/var/cache/quire\",\"objects\":4,\"bytes\":5,"
                                + "\"maxBytes\":6,\"waitingBytes\":7,\"requests\":{\"hit\":8},"
                                + "\"writes\":{\"stored\":9},\"segments\":10,\"indexBytes\":11,"
                                + "\"journalBytes\":12,\"reinserted\":13,\"damaged\":14,"
                                + "\"startSeconds\":0.25,\"emptied\":null}}");
    }

    @Test
    void diskTierIsSwitchedAndDropped() {
        actions.hasDisk = true;
        for (var state : List.of("off", "on", "drop")) {
            assertThat(ask(jsonPost("/v1/tiers/disk", "{\"state\":\"" + state + "\"}")))
                    .startsWith("HTTP/1.1 200 ")
                    .contains("\"disk\":{\"state\":\"on\"");
        }

        assertThat(actions.changes)
                .containsExactly(Tiers.Change.OFF, Tiers.Change.ON, Tiers.Change.DROP);
    }

    @Test
    void otherStatesOfTheDiskTierAreInvalid() {
        actions.hasDisk = true;
        assertThat(ask(jsonPost("/v1/tiers/disk", "{\"state\":\"paused\"}")))
                .startsWith("HTTP/1.1 400 ")
                .endsWith("400 state: invalid value 'paused' (expected on, off or drop)\n");
        assertThat(ask(jsonPost("/v1/tiers/disk", "{}")))
                .endsWith("400 state is missing (expected on, off or drop)\n");
        assertThat(actions.changes).isEmpty();
    }

    @Test
    void withoutADiskTierItCannotBeSwitched() {
        assertThat(ask(jsonPost("/v1/tiers/disk", "{\"state\":\"on\"}")))
                .startsWith("HTTP/1.1 409 ")
                .endsWith("409 there is no disk tier (expected disk.path)\n");
    }

    @Test
    void drainIsAsked() {
        assertThat(ask(configPost("/v1/drain"))).endsWith("{\"draining\":true}");
        assertThat(actions.isDraining).isTrue();
    }

    @Test
    void handoverNamesItsSocketOrWhyThereIsNone() {
        assertThat(ask(configPost("/v1/handover"))).endsWith("{\"socket\":\"/tmp/a/socket\"}");

        actions.handover = new HandoverReply.Conflict("another takes over", "one at a time");
        assertThat(ask(configPost("/v1/handover")))
                .startsWith("HTTP/1.1 409 ")
                .endsWith("409 another takes over (expected one at a time)\n");

        actions.handover = new HandoverReply.Unavailable("no epoll", "Linux");
        assertThat(ask(configPost("/v1/handover")))
                .startsWith("HTTP/1.1 501 ")
                .endsWith("501 no epoll (expected Linux)\n");
    }

    @Test
    void replacedProcessPurgesNothingAndClosesTheConnection() {
        actions.isReplaced = true;

        assertThat(get("/readyz")).startsWith("HTTP/1.1 200 ");
        assertThat(purge("{\"tags\":[\"a\"]}"))
                .startsWith("HTTP/1.1 503 ")
                .contains("connection: close\r\n")
                .endsWith("503 another process has taken over (expected a new connection)\n");
        assertThat(actions.purges).isEmpty();
        assertThat(channel.isOpen()).isFalse();
    }

    private static String configPost(String target) {
        return post(0).replace("/v1/purge", target);
    }

    private static String jsonPost(String target, String body) {
        return post(body.length()).replace("/v1/purge", target) + body;
    }

    private String ban(String body) {
        return ask(post(body.length()).replace("/v1/purge", "/v1/bans") + body);
    }

    private String delete(String target) {
        if (!channel.isOpen()) {
            channel = channel(Optional.empty());
        }
        return ask("DELETE " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    private EmbeddedChannel channel(Optional<Token> token) {
        return channel(new AdminApi(actions, () -> token));
    }

    private static EmbeddedChannel channel(AdminApi api) {
        return new EmbeddedChannel(AdminServer.codec(), new AdminHandler(api, Runnable::run));
    }

    private String get(String target) {
        return ask("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    private String purge(String body) {
        return ask(post(body.length()) + body);
    }

    private static String post(int length) {
        return "POST /v1/purge HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/json; charset=utf-8\r\nContent-Length: "
                + length
                + "\r\n\r\n";
    }

    private void send(String bytes) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1));
    }

    private String ask(String bytes) {
        send(bytes);
        channel.runPendingTasks();
        return written();
    }

    private String written() {
        var text = new StringBuilder();
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            text.append(part.toString(StandardCharsets.UTF_8));
            part.release();
        }
        return text.toString();
    }
}
