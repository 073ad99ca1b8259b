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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
                .startsWith("it is in effect, but it could not be stored on disk: after a restart");

        err.getBuffer().setLength(0);
        out.getBuffer().setLength(0);
        run(command + " --json", members + ",\"durable\":false}", out, err);
        assertThat(out.toString()).isEqualTo(members + ",\"durable\":false}\n");
        assertThat(err.toString()).isEmpty();
    }

    /** Executes {@code command} against an admin port that accepts it with {@code answer}. */
    private static int run(String command, String answer, StringWriter out, StringWriter err)
            throws Exception {
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        var body = answer.getBytes(UTF_8);
                        exchange.sendResponseHeaders(202, body.length);
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
