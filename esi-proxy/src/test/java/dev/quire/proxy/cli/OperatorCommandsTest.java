package dev.quire.proxy.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that a running proxy gives rarely; the others are tested with one. */
class OperatorCommandsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "purge --tag a --no-count | {\"soft\":false,\"count\":false | purged",
                "ban --tag a              | {\"id\":4                       | ban 4",
                "unban 4                  | {\"id\":4,\"lifted\":true       | ban 4 is withdrawn"
            })
    void invalidationThatMayBeLostIsDoneButSaid(String command, String members, String said)
            throws Exception {
        var out = new StringWriter();
        var err = new StringWriter();
        int status = run(command, members + ",\"durable\":false}", out, err);

        assertThat(status).isZero();
        assertThat(out.toString()).isEqualTo(said + "\n");
        assertThat(err.toString())
                .startsWith(
                        "it is in effect, but it could not be stored on disk or in memcached: ");

        err.getBuffer().setLength(0);
        out.getBuffer().setLength(0);
        run(command + " --json", members + ",\"durable\":false}", out, err);
        assertThat(out.toString()).isEqualTo(members + ",\"durable\":false}\n");
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "purge --tag a --no-count --ack fleet | {\"count\":false,\"soft\":false | purged",
                "ban --tag a --ack fleet              | {\"id\":4                       | ban 4",
                "unban 4 --ack fleet                  | {\"id\":4                       | ban 4 is"
                        + " withdrawn"
            })
    void nodesThatHaveNotConfirmedItAreNamed(String command, String members, String said)
            throws Exception {
        var out = new StringWriter();
        var err = new StringWriter();
        var fleet =
                ",\"position\":\"ff/5-7\",\"applied\":\"log\",\"nodes\":3,\"acked\":1,"
                        + "\"missing\":[\"b\",\"c\"]";

        int status = run(command, members + fleet + "}", out, err);

        assertThat(status).isZero();
        assertThat(out.toString()).isEqualTo(said + "\n");
        assertThat(err.toString())
                .isEqualTo(
                        "fleet: it is in the log at ff/5-7, but 2 of 3 nodes have not confirmed"
                                + " it: b, c\n");

        err.getBuffer().setLength(0);
        run(command, members + fleet + ",\"durable\":false}", out, err);
        assertThat(err.toString()).startsWith("it is in effect, but").contains("\nfleet: it is");
    }

    @Test
    void invalidationThatIsNotInTheLogYetIsDoneButSaid() throws Exception {
        var out = new StringWriter();
        var err = new StringWriter();

        int status = run("ban --tag a", "{\"id\":4,\"applied\":\"local\"}", out, err);

        assertThat(status).isZero();
        assertThat(out.toString()).isEqualTo("ban 4\n");
        assertThat(err.toString())
                .isEqualTo(
                        "fleet: it is in effect on this node only: the log does not have it yet,"
                                + " and gets it once the store answers\n");

        err.getBuffer().setLength(0);
        run("ban --tag a", "{\"id\":4,\"applied\":\"local\",\"reason\":\"alone\"}", out, err);
        assertThat(err.toString()).isEqualTo("fleet: it is in effect on this node only: alone\n");

        err.getBuffer().setLength(0);
        run(
                "ban --tag a",
                "{\"id\":4,\"position\":\"ff/5-7\",\"applied\":\"log\",\"nodes\":0,"
                        + "\"acked\":0,\"missing\":[]}",
                out,
                err);
        assertThat(err.toString()).contains("the store has not said which nodes have applied it");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "log | | fleet: it is in the log at ff/5-7",
                "fleet | \"nodes\":3,\"acked\":3,\"missing\":[], | fleet: all 3 nodes have applied it",
            })
    void replicasThatLackAnInvalidationAreCounted(String applied, String nodes, String said)
            throws Exception {
        var out = new StringWriter();
        var err = new StringWriter();
        var members = nodes == null ? "" : nodes;

        int status =
                run(
                        "ban --tag a",
                        "{\"id\":4,\"position\":\"ff/5-7\",\"applied\":\"%s\",%s\"replicas\":2,\"replicated\":1}"
                                .formatted(applied, members),
                        out,
                        err);

        assertThat(status).isZero();
        assertThat(err.toString().lines())
                .containsExactly(
                        said,
                        "store: 1 of 2 replicas have it: one that becomes the primary server may"
                                + " lack it");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"position\":\"ff/5-7\",\"applied\":\"fleet\",\"nodes\":3 | fleet: all 3 nodes"
                        + " have applied it",
                "\"position\":\"ff/5-7\",\"applied\":\"log\"               | fleet: in the log at"
                        + " ff/5-7",
                "\"applied\":\"local\"                                     | fleet: on this node;"
                        + " the others follow"
            })
    void invalidationSaysHowFarItHasCome(String members, String said) throws Exception {
        var out = new StringWriter();
        var err = new StringWriter();
        var counts = "{\"urls\":0,\"tags\":0,\"hosts\":0,\"paths\":0,\"soft\":false,";

        int status =
                run("purge --tag a", 200, counts + "\"dryRun\":false," + members + "}", out, err);

        // Another node may have had a response with that tag.
        assertThat(status).isZero();
        assertThat(out.toString())
                .isEqualTo("purged: 0 by urls, 0 by tags, 0 by hosts, 0 by paths\n" + said + "\n");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void fleetIsATable() throws Exception {
        var out = new StringWriter();
        var err = new StringWriter();
        var answer =
                """
                {"name":"news","node":"a","incarnation":"0123456789abcdef","state":"current",
                 "reason":null,"epoch":"ff","position":"ff/1-2","lag":0.5,"waiting":3,
                 "invalidations":{"local":4,"doorbell":5,"catchup":6},"ack":"log",
                 "log":{"entries":7,"last":"1-3"},"nodes":[
                 {"name":"a","incarnation":"01","state":"live","position":"ff/1-2","silence":0.25,
                  "version":"1.0","configuration":"00000000000000ab"},
                 {"name":"b","incarnation":"02","state":"silent","position":null,"silence":61,
                  "version":null,"configuration":null}]}
                """;

        int status = run("fleet", 200, answer, out, err);

        assertThat(status).isZero();
        assertThat(out.toString())
                .isEqualTo(
                        """
                        fleet: news, node a
                        state: current, confirmed 500ms ago
                        position: ff/1-2 (entries in the log: 7, the last one is 1-3)
                        answers wait for: log
                        invalidations: local 4, doorbell 5, catchup 6, not in the log yet 3

                        NODE                STATE   LAST SEEN     VERSION         CONFIGURATION     POSITION
                        a                   live    250ms ago     1.0             00000000000000ab  ff/1-2
                        b                   silent  61s ago       unknown         unknown           none
                        """);
    }

    @Test
    void fleetNamesThePolicyOfItsStoreAndOriginsThatDiffer() throws Exception {
        var out = new StringWriter();
        var nodes =
                List.of(
                        node("a", "live", "app=http://one:81"),
                        node("a", "live", "app=http://two:81"),
                        node("b", "silent", "app=http://three:81"));
        var answer =
                """
                {"name":"news","node":"a","incarnation":"01","state":"current",
                 "reason":null,"epoch":"ff","position":"ff/1-2","lag":0.5,"waiting":0,
                 "invalidations":{"local":0},"ack":"log",
                 "log":{"entries":7,"last":"1-3","eviction":"allkeys-lru"},"nodes":%s}
                """
                        .formatted(nodes);

        int status = run("fleet", 200, answer, out, new StringWriter());

        assertThat(status).isZero();
        assertThat(out.toString())
                .contains(
                        "\neviction: the store may remove the log, maxmemory-policy is allkeys-lru"
                                + " (expected noeviction or volatile-*)\n")
                .endsWith(
                        """

                        The origins of the nodes differ:
                        a                   app=http://one:81
                        a                   app=http://two:81
                        """);
    }

    private static String node(String name, String state, String origins) {
        return """
        {"name":"%s","incarnation":"01","state":"%s","position":null,"silence":1,
         "version":"1.0","configuration":"ab","origins":"%s"}
        """
                .formatted(name, state, origins);
    }

    @Test
    void fleetWithoutItsStoreIsExplained() throws Exception {
        var out = new StringWriter();
        var err = new StringWriter();
        var answer =
                """
                {"name":"news","node":"a","incarnation":"01","state":"behind","reason":"no answer",
                 "epoch":null,"position":null,"lag":null,"waiting":0,"invalidations":{"local":0},
                 "ack":"log","log":null,"nodes":[]}
                """;

        assertThat(run("fleet", 200, answer, out, err)).isZero();
        assertThat(out.toString())
                .contains("state: behind, never confirmed: no answer\n", "position: unknown\n")
                .doesNotContain("NODE");

        assertThat(run("fleet", 404, "404 this proxy is not in a fleet\n", out, err)).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("this proxy is not in a fleet\n");
    }

    @Test
    void sharedTierIsInTheTable() throws Exception {
        var out = new StringWriter();
        var err = new StringWriter();
        var answer =
                """
                {"memory":{"state":"on","objects":1,"bytes":2,"maxBytes":3},
                 "shared":{"state":"away","reason":"connection refused","servers":"127.0.0.1:6379",
                 "connections":0,"waiting":1,"waitingBytes":2,"requests":{"hit":3,"miss":4},
                 "writes":{"stored":5}}}
                """;

        assertThat(run("tiers", 200, answer, out, err)).isZero();
        assertThat(out.toString())
                .isEqualTo(
                        """
                        TIER    STATE    OBJECTS            BYTES            LIMIT
                        memory  on             1                2                3
                        shared  away           -                -                -
                        store: 127.0.0.1:6379, connections 0, waiting requests 1
                        store failed: connection refused
                        shared searches: hit 3, miss 4
                        shared writes: stored 5, waiting 2 B
                        """);
    }

    @ParameterizedTest
    @ValueSource(strings = {"purge --tag a", "ban --tag a", "unban 4", "fleet", "tiers", "bans"})
    void answerOfAnotherServerIsNotOneOfAProxy(String command) throws Exception {
        var out = new StringWriter();
        var err = new StringWriter();

        assertThat(run(command, 200, "<p>It works", out, err)).isEqualTo(3);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString())
                .matches(
                        "another server answers at 127.0.0.1:[0-9]+"
                                + " \\(expected the admin.address of a proxy\\)\n");

        assertThat(run(command + " --json", 200, "<p>It works", out, err)).isEqualTo(3);
        assertThat(out.toString())
                .startsWith("{\"status\":0,\"problems\":[\"another server answers at ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "purge --tag a",
                "ban --tag a",
                "bans",
                "fleet",
                "tiers",
                "tls",
                "reload",
                "generations"
            })
    void jsonOfAnotherServerIsNotThatOfAProxy(String command) throws Exception {
        var out = new StringWriter();
        var err = new StringWriter();

        assertThat(run(command, 200, "{\"status\":\"UP\"}", out, err)).isEqualTo(3);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).startsWith("another server answers at 127.0.0.1:");
    }

    /** {@code java.net.URI} has no host for such names. */
    @Test
    void resultsOfOthersAreNotLostIfAHostWithAnUnderscoreIsUnknown() throws Exception {
        var out = new StringWriter();
        var err = new StringWriter();

        int status =
                run(
                        "purge --tag a --no-count --admin quire_web2.invalid:9901",
                        200,
                        "{\"soft\":false,\"count\":false}",
                        out,
                        err);

        assertThat(status).isEqualTo(3);
        assertThat(out.toString()).matches("127.0.0.1:[0-9]+: purged\n");
        assertThat(err.toString())
                .startsWith("quire_web2.invalid:9901: nothing answers at quire_web2.invalid:9901")
                .hasLineCount(1);
    }

    private static int run(String command, String answer, StringWriter out, StringWriter err)
            throws Exception {
        return run(command, 202, answer, out, err);
    }

    /** Executes {@code command} against an admin port that answers it. */
    private static int run(
            String command, int code, String answer, StringWriter out, StringWriter err)
            throws Exception {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        var body = answer.getBytes(UTF_8);
                        exchange.sendResponseHeaders(code, body.length);
                        exchange.getResponseBody().write(body);
                    }
                });
        server.start();
        try {
            var arguments = new ArrayList<>(List.of(command.split(" ")));
            arguments.addAll(List.of("--admin", "127.0.0.1:" + server.getAddress().getPort()));
            return new Cli(
                            loaded -> {
                                throw new AssertionError("expected no start");
                            },
                            () -> {},
                            new Cli.Machine(
                                    (key, address) -> Optional.empty(),
                                    configuration -> Optional.empty(),
                                    name -> null),
                            new PrintWriter(out),
                            new PrintWriter(err))
                    .execute(arguments.toArray(String[]::new));
        } finally {
            server.stop(0);
        }
    }
}
