package dev.quire.proxy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.ConfigurationSchema;
import dev.quire.proxy.config.ListenAddress;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.handover.Takeover;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CliTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<String> events = new ArrayList<>();
    private final List<Problem> obstacles = new ArrayList<>();
    private List<Problem> reasonsNotToStart = List.of();
    private final CompletableFuture<String> firstCheck = new CompletableFuture<>();
    private Optional<Problem> lackOfMemory = Optional.empty();

    @TempDir Path directory;

    /** Records its calls; real listeners are covered by tests over sockets. */
    private final class RecordingServer implements Server {
        private final Configuration configuration;

        RecordingServer(Configuration configuration) {
            this.configuration = configuration;
        }

        @Override
        public ListenAddresses start() throws CannotStart {
            if (!reasonsNotToStart.isEmpty()) {
                throw new CannotStart(reasonsNotToStart);
            }
            events.add("started with " + configuration.origins().keySet());
            return new ListenAddresses(
                    configuration.listen().addresses().stream()
                            .map(each ->
                                    new ListenAddresses.Client(
                                            each, InetSocketAddress.createUnresolved("x", 18080)))
                            .toList(),
                    InetSocketAddress.createUnresolved("x", 19901),
                    Optional.of(InetSocketAddress.createUnresolved("x", 19902)));
        }

        @Override
        public ListenAddresses start(Takeover from) throws CannotStart {
            events.add("takes over");
            return start();
        }

        @Override
        public List<ServerHealth> servers() {
            return List.of(
                    new ServerHealth(
                            "a", "http://a", CompletableFuture.completedFuture("unchecked")),
                    new ServerHealth("a", "http://b", firstCheck));
        }

        @Override
        public void drainAndStop() {
            events.add("stopped");
        }
    }

    @Test
    void configPrintsTheSchema() throws Exception {
        assertThat(quire("config", "--schema")).isZero();

        assertThat(out).hasToString(ConfigurationSchema.text());
        assertThat(err).hasToString("");
    }

    @Test
    void runSaysOnceThatItIsReadyAndDrainsWhenAsked() throws Exception {
        int code = quire("run", "-q", "--to", "http://127.0.0.1:8081", "--listen", "[::1]:0");

        assertThat(code).isZero();
        assertThat(out).hasToString("ready http=[::1]:18080 admin=127.0.0.1:19901\n");
        assertThat(err).hasToString("");
        assertThat(events).containsExactly("started with [default]", "asked to stop", "stopped");
    }

    @Test
    void startDescribesTheProxyOnStandardError() throws Exception {
        var file = directory.resolve("quire.yaml");
        Files.writeString(
                file,
                """
                admin: { address: "127.0.0.1:0", probes: "127.0.0.1:0" }
                origins: { a: { urls: ["http://a"] } }
                routes:
                  - { host: news.example, path: "/img/**", origin: a }
                  - { origin: a }
                cache: { memory: 64MiB }
                disk: { path: ./no-cache, size: 1GiB }
                """);
        firstCheck.complete("cannot connect");

        assertThat(quire("run", "--config", file.toString())).isZero();

        assertThat(out).hasToString("ready http=127.0.0.1:18080 admin=127.0.0.1:19901\n");
        assertThat(err.toString().lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("quire (not packaged): on Java "),
                        line -> assertThat(line).isEqualTo("configuration: " + file),
                        line -> assertThat(line).isEqualTo("clients: 127.0.0.1:18080"),
                        line -> assertThat(line).isEqualTo("admin: 127.0.0.1:19901"),
                        line -> assertThat(line).isEqualTo("probes: 127.0.0.1:19902"),
                        line ->
                                assertThat(line)
                                        .startsWith(
                                                "memory: 64 MiB for stored responses, 64 MiB for"
                                                        + " bodies in transit, heap of at most "),
                        line ->
                                assertThat(line)
                                        .isEqualTo(
                                                "disk: 1024 MiB in "
                                                        + directory
                                                        + "/./no-cache, index of at most"
                                                        + " 128 MiB"),
                        line -> assertThat(line).isEqualTo("origin a: http://a unchecked"),
                        line -> assertThat(line).isEqualTo("origin a: http://b cannot connect"),
                        line -> assertThat(line).isEqualTo("route: news.example/img/** to a"),
                        line -> assertThat(line).isEqualTo("route: */** to a"));
    }

    @Test
    void descriptionWaitsForTheFirstHealthChecks() throws Exception {
        var printed = new CompletableFuture<String>();
        var report =
                new StartReport(
                        "quire 1",
                        Optional.empty(),
                        Configuration.DEFAULTS,
                        new RecordingServer(Configuration.DEFAULTS).start());
        var to =
                new PrintWriter(err) {
                    @Override
                    public void flush() {
                        printed.complete(err.toString());
                    }
                };

        report.print(new RecordingServer(Configuration.DEFAULTS).servers(), to);
        assertThat(printed).isNotDone();
        firstCheck.complete("up");

        assertThat(printed.get(10, TimeUnit.SECONDS))
                .contains("configuration: none, all defaults\n", "origin a: http://b up\n");
    }

    @Test
    void everyProblemIsALineAndNothingIsStarted() throws Exception {
        var file = directory.resolve("quire.yaml");
        Files.writeString(file, "cache: { grace: ten }\nlisten: { backlok: 1 }\n");

        int code = quire("run", "--to", "gopher://a", "--config", file.toString());

        assertThat(code).isEqualTo(2);
        assertThat(err.toString().lines())
                .satisfiesExactly(
                        line ->
                                assertThat(line)
                                        .startsWith("--to: invalid value 'gopher://a' (expected "),
                        line -> assertThat(line).startsWith(file + ":1:17: cache.grace: "),
                        line -> assertThat(line).startsWith(file + ":2:11: listen.backlok: "));
        assertThat(out).hasToString("");
        assertThat(events).isEmpty();
    }

    @Test
    void aPortInUseIsFoundBeforeAnythingStarts() throws Exception {
        obstacles.add(problem("listen.http", "127.0.0.1:8080 is in use", "a free port"));

        int code = quire("run", "--to", "http://a");

        assertThat(code).isEqualTo(2);
        assertThat(err)
                .hasToString("listen.http: 127.0.0.1:8080 is in use (expected a free port)\n");
        assertThat(events).isEmpty();
    }

    @Test
    void anAddressIsCalledWhatTheUserWrote() throws Exception {
        obstacles.add(problem("--listen", "127.0.0.1:1 is in use", "a free port"));
        obstacles.add(problem("--admin", "127.0.0.1:2 is in use", "a free port"));

        int code = quire("run --to http://a --listen 127.0.0.1:1 --admin 127.0.0.1:2".split(" "));

        assertThat(code).isEqualTo(2);
        assertThat(err)
                .hasToString(
                        """
                        --listen: 127.0.0.1:1 is in use (expected a free port)
                        --admin: 127.0.0.1:2 is in use (expected a free port)
                        """);
        assertThat(events).isEmpty();
    }

    @Test
    void aServerThatCannotStartIsNotStopped() throws Exception {
        reasonsNotToStart =
                List.of(problem("listen.http", "127.0.0.1:8080 is in use", "a free port"));

        int code = quire("run", "--to", "http://a");

        assertThat(code).isEqualTo(2);
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(out).hasToString("");
        assertThat(events).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "''; quire: no command is given",
                "run; run: no origin is given",
                "walk; quire: ",
                "run --lisen 127.0.0.1:1; --listen",
                "run --to; quire run: ",
                "run --to a --to b; quire run: ",
                "run extra; quire run: ",
                "check; quire check: neither FILE nor --page is given",
                "check a b; quire check: ",
                "check a --page b; quire check: both FILE and --page are given",
                "check a --content-type html; --content-type: applies to pages only",
                "check --page a.html --content-type pdf; --content-type: invalid value 'pdf'",
                "check --page; quire check: ",
                "check --page /no/such.html; /no/such.html: does not exist (expected a file",
                "check --page http://[; http://[: is not a file name or URL (expected a file",
                "check --page /no/such; /no/such: has a name that does not show its type",
                "check /no/such/file; /no/such/file:1:1: does not exist (expected an existing",
            })
    void wrongArgumentsAreOneLineAndTwo(String arguments, String said) throws Exception {
        int code = quire(arguments.isEmpty() ? new String[0] : arguments.split(" "));

        assertThat(code).isEqualTo(2);
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .contains(said)
                .contains("(expected ");
        assertThat(out).hasToString("");
        assertThat(events).isEmpty();
    }

    @Test
    void checkSaysThatAFileIsValid() throws Exception {
        var whole = directory.resolve("whole.yaml");
        Files.writeString(
                whole, "origins: { a: { urls: ['http://a'] } }\nroutes: [{ origin: a }]\n");
        var part = directory.resolve("part.yaml");
        Files.writeString(part, "cache: { grace: 1s }\n");

        assertThat(quire("check", whole.toString())).isZero();
        assertThat(quire("check", part.toString())).isZero();

        assertThat(out)
                .hasToString(
                        whole
                                + ": valid\n"
                                + part
                                + ": valid with --to URL (the file names no origin)\n");
    }

    @Test
    void routeThatAnEarlierOneHidesIsAWarning() throws Exception {
        var file = directory.resolve("quire.yaml");
        Files.writeString(
                file,
                """
                origins: { a: { urls: ["http://a"] } }
                routes:
                  - { host: "*.example.org", path: "/**", origin: a }
                  - { host: "shop.example.org", path: "/static/**", origin: a, ttl: 1h }
                  - { path: "/**", origin: a }
                """);

        assertThat(quire("check", file.toString())).isZero();

        assertThat(out)
                .hasToString(
                        file
                                + ":4:5: routes[1]: no request reaches this route: routes[0]"
                                + " (*.example.org/**) matches all of them first (expected it"
                                + " before routes[0], as the first match is used)\n"
                                + file
                                + ": valid, warnings: 1\n");
        assertThat(err).hasToString("");
        assertThat(quire("run", "--config", file.toString())).isZero();
    }

    @Test
    void memoryThatThisMachineLacksIsFoundByCheck() throws Exception {
        var file = directory.resolve("quire.yaml");
        Files.writeString(file, "cache: { memory: 2000GiB }\n");
        lackOfMemory = Optional.of(problem("cache.memory", "exceeds the limit", "at most 1 B"));

        assertThat(quire("check", file.toString())).isEqualTo(2);

        assertThat(err).hasToString("cache.memory: exceeds the limit (expected at most 1 B)\n");
        assertThat(out).hasToString("");
    }

    @Test
    void checkListsWhatIsWrong() throws Exception {
        var file = directory.resolve("quire.yaml");
        Files.writeString(file, "cashe: {}\n");

        assertThat(quire("check", file.toString())).isEqualTo(2);

        assertThat(err)
                .hasToString(
                        file
                                + ":1:1: cashe: is an unknown key (expected 'cache', the nearest"
                                + " match)\n");
    }

    @Test
    void checkListsWhatThereIsToSayOfAPageAndEndsWithOne() throws Exception {
        var page = directory.resolve("page.html");
        Files.writeString(page, "<p>\n<esi:include src=\"../a\"/></p><esi:include/>\n");

        assertThat(quire("check", "--page", page.toString())).isEqualTo(1);

        assertThat(out.toString().lines())
                .satisfiesExactly(
                        line ->
                                assertThat(line)
                                        .startsWith(page + ":2:1: src has . or .. segments ")
                                        .contains("(start it with / "),
                        line ->
                                assertThat(line)
                                        .isEqualTo(
                                                page
                                                        + ":2:30: <esi:include> has no src"
                                                        + " (tag stripped)"),
                        line -> assertThat(line).isEqualTo(page + ": 2 findings"));
        assertThat(err).hasToString("");
    }

    @Test
    void checkEndsWithZeroIfThereIsNothingToSayOfAPage() throws Exception {
        var page = directory.resolve("page.jsp");
        Files.writeString(page, "<p><esi:include src=\"/a\"/></p>");

        assertThat(quire("check", "--page", page.toString(), "--content-type", "html")).isZero();

        assertThat(out).hasToString(page + ": no findings\n");
        assertThat(err).hasToString("");
    }

    @ParameterizedTest
    @CsvSource({
        "--help, run",
        "run --help, --to",
        "check --help, --page",
        "config --help, --schema",
        "--version, quire "
    })
    void helpAndVersionAreAnswers(String arguments, String shown) throws Exception {
        assertThat(quire(arguments.split(" "))).isZero();

        assertThat(out.toString()).contains(shown);
        assertThat(err).hasToString("");
    }

    private int quire(String... arguments) throws InterruptedException {
        return new Cli(
                        loaded -> new RecordingServer(loaded.configuration()),
                        () -> events.add("asked to stop"),
                        new Cli.Machine(
                                this::obstacle, configuration -> lackOfMemory, name -> null),
                        new PrintWriter(out),
                        new PrintWriter(err))
                .execute(arguments);
    }

    private Optional<Problem> obstacle(String key, ListenAddress address) {
        return obstacles.stream().filter(problem -> problem.key().equals(key)).findFirst();
    }

    private static Problem problem(String key, String what, String expected) {
        return new Problem(Optional.empty(), key, what, expected);
    }
}
