package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cli.Cli;
import dev.quire.proxy.config.Options;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the command line against a running proxy. */
class OperatorCommandsIT {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private final Origin origin =
            Origin.start()
                    .otherwise(request ->
                            Answer.html("page")
                                    .field("Cache-Control", "max-age=600")
                                    .field("Surrogate-Key", "poll"));
    private final Map<String, String> environment = new HashMap<>();
    @TempDir private Path directory;
    private ReloadableProxy proxy;
    private String out = "";
    private String err = "";

    @BeforeEach
    void start() throws Exception {
        proxy = ReloadableProxy.start(directory, yaml(""));
        environment.put("QUIRE_ADMIN", "127.0.0.1:" + proxy.addresses.admin().getPort());
    }

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @Test
    void reloadConfirmAndRollback() throws Exception {
        proxy.write(yaml("drain: { timeout: 1s }\n"));

        assertThat(quire("reload", "--confirm", "60s", "--guard", "errors<1%")).isZero();
        assertThat(out)
                .isEqualTo(
                        "generation 2 is in use; it is taken back unless 'quire confirm' comes"
                                + " within 1m\n");
        assertThat(quire("reload")).isEqualTo(1);
        assertThat(err).startsWith("generation 2 awaits its confirmation (expected");
        assertThat(quire("confirm")).isZero();
        assertThat(quire("confirm")).isEqualTo(1);
        assertThat(quire("generations")).isZero();
        assertThat(out)
                .matches("\\* 2  reload  \\d+s ago  \\d+ B\\n  1  start  \\d+s ago  \\d+ B\\n");
        assertThat(quire("rollback")).isZero();
        assertThat(out).isEqualTo("generation 1 is in use\n");
        assertThat(quire("rollback", "2", "--json")).isZero();
        assertThat(out)
                .isEqualTo(
                        "{\"generation\":2,\"changed\":true,\"confirmWithin\":null,"
                                + "\"warnings\":[]}\n");
        assertThat(quire("rollback", "9")).isEqualTo(1);
    }

    @Test
    void badFileEndsWithTwoAndEveryProblem() throws Exception {
        proxy.write("nonsense: 1\n" + yaml("").replace("16MiB", "much"));

        assertThat(quire("reload")).isEqualTo(2);

        assertThat(err.lines())
                .hasSize(2)
                .anyMatch(line -> line.contains("quire.yml:1:1: nonsense: is an unknown key"))
                .anyMatch(line -> line.contains("cache.memory: invalid value 'much'"));
        assertThat(quire("reload", "--json")).isEqualTo(2);
        assertThat(out).startsWith("{\"status\":400,\"problems\":[\"");
    }

    @Test
    void portIsFoundByOptionVariableOrFile() throws Exception {
        var address = "127.0.0.1:" + proxy.addresses.admin().getPort();
        environment.clear();
        assertThat(quire("generations", "--admin", address)).isZero();
        environment.put("QUIRE_ADMIN", "127.0.0.1:1");
        assertThat(quire("generations", "--admin", address)).isZero();
        assertThat(quire("generations")).isEqualTo(3);
        assertThat(err).startsWith("nothing answers at 127.0.0.1:1");
        environment.clear();
        var file = directory.resolve("other.yml");
        Files.writeString(file, "admin: { address: '" + address + "' }\nnonsense: 1\n");
        assertThat(quire("generations", "--config", file.toString())).isZero();
        Files.writeString(file, "admin: { address: nowhere }\n");
        assertThat(quire("generations", "--config", file.toString())).isEqualTo(2);
        assertThat(err).contains("admin.address: invalid value 'nowhere'");
        assertThat(quire("generations", "--admin", "nowhere")).isEqualTo(2);
        environment.put("QUIRE_ADMIN", "nowhere");
        assertThat(quire("generations")).isEqualTo(2);
        assertThat(err).startsWith("QUIRE_ADMIN: invalid value 'nowhere'");
    }

    @Test
    void tokenIsReadFromItsFile() throws Exception {
        var token = directory.resolve("token");
        Files.writeString(token, TOKEN);
        proxy.close();
        proxy =
                ReloadableProxy.start(
                        directory, yaml(""), Options.NONE.withAdminToken(token.toString()));
        environment.put("QUIRE_ADMIN", "127.0.0.1:" + proxy.addresses.admin().getPort());
        assertThat(quire("generations")).isEqualTo(2);
        assertThat(err).startsWith("expected the admin token");

        assertThat(quire("generations", "--admin-token-file", token.toString())).isZero();
        environment.put("QUIRE_ADMIN_TOKEN_FILE", token.toString());
        assertThat(quire("generations")).isZero();
        var next = directory.resolve("next.yml");
        Files.writeString(next, yaml("drain: { timeout: 1s }\n"));
        assertThat(quire("reload", next.toString())).isZero();
        assertThat(out).isEqualTo("generation 2 is in use\n");
        assertThat(quire("config")).isZero();
        assertThat(out).isEqualTo(yaml("drain: { timeout: 1s }\n"));
        assertThat(quire("config", "--effective")).isZero();
        assertThat(out).contains("drain:\n  grace: 0s\n  timeout: 1s\n");
    }

    @Test
    void postedFileNeedsAToken() throws Exception {
        assertThat(quire("reload", proxy.file().toString())).isEqualTo(2);
        assertThat(err).startsWith("a configuration is accepted with a token only");
    }

    @Test
    void purgeBanAndUnban() throws Exception {
        proxy.get("/a");
        proxy.get("/b");
        assertThat(quire("purge", "--path", "/a", "--path", "/c", "--dry-run")).isZero();
        assertThat(out).isEqualTo("would match: 0 by urls, 0 by tags, 0 by hosts, 1 by paths\n");
        assertThat(quire("purge", "--tag", "poll", "--soft")).isZero();
        assertThat(out).isEqualTo("made stale: 0 by urls, 2 by tags, 0 by hosts, 0 by paths\n");
        assertThat(quire("purge", "--url", "http://127.0.0.1/none")).isEqualTo(1);
        assertThat(out).isEqualTo("purged: 0 by urls, 0 by tags, 0 by hosts, 0 by paths\n");
        assertThat(quire("purge", "--tag", "none", "--json")).isEqualTo(1);
        assertThat(out).startsWith("{\"urls\":0,\"tags\":0,");
        assertThat(quire("purge", "--tag", "poll", "--no-count")).isZero();
        assertThat(out).isEqualTo("purged\n");
        assertThat(quire("purge")).isEqualTo(2);
        assertThat(err).startsWith("no condition is given");
        assertThat(quire("ban", "--path", "^/a", "--content-type", "text/*")).isZero();
        assertThat(out).isEqualTo("ban 5\n");
        assertThat(quire("bans")).isZero();
        assertThat(out).matches("5  path=\\^/a contentType=text/\\*  \\d+s ago  hidden \\d.*\\n");
        assertThat(quire("unban", "7")).isEqualTo(1);
        assertThat(quire("unban")).isEqualTo(2);
        assertThat(quire("ban", "--status", "many")).isEqualTo(2);
    }

    @Test
    void purgesAndBansGoToSeveralProxies() throws Exception {
        var folder = Files.createDirectory(directory.resolve("other"));
        try (var other = ReloadableProxy.start(folder, yaml(""))) {
            var one = "127.0.0.1:" + proxy.addresses.admin().getPort();
            var two = "127.0.0.1:" + other.addresses.admin().getPort();
            proxy.get("/a");
            other.get("/a");

            assertThat(quire("purge", "--tag", "poll", "--admin", one + "," + two)).isZero();
            assertThat(out)
                    .isEqualTo(
                            one
                                    + ": purged: 0 by urls, 1 by tags, 0 by hosts, 0 by paths\n"
                                    + two
                                    + ": purged: 0 by urls, 1 by tags, 0 by hosts, 0 by paths\n");
            other.get("/a");
            environment.put("QUIRE_ADMIN", one + ", " + two);
            assertThat(quire("purge", "--tag", "poll")).describedAs("one had one").isZero();
            assertThat(quire("purge", "--tag", "poll")).isEqualTo(1);
            assertThat(quire("ban", "--path", "^/a", "--json")).isZero();
            assertThat(out.lines())
                    .hasSize(2)
                    .anyMatch(line -> line.startsWith("{\"admin\":\"" + one + "\",\"id\":"))
                    .anyMatch(line -> line.startsWith("{\"admin\":\"" + two + "\",\"id\":"));
            assertThat(quire("bans", "--admin", two)).isZero();
            assertThat(out).contains("path=^/a");
        }
    }

    @Test
    void proxyThatFailsToPurgeIsNamed() throws Exception {
        var here = "127.0.0.1:" + proxy.addresses.admin().getPort();
        proxy.get("/a");
        var arguments = new String[] {"purge", "--tag", "poll", "--admin", "127.0.0.1:1," + here};

        assertThat(quire(arguments)).isEqualTo(3);

        assertThat(err).startsWith("127.0.0.1:1: nothing answers at 127.0.0.1:1").hasLineCount(1);
        assertThat(out)
                .isEqualTo(here + ": purged: 0 by urls, 1 by tags, 0 by hosts, 0 by paths\n");
        assertThat(quire("purge", "--admin", here, "--admin", "127.0.0.1:1")).isEqualTo(3);
        assertThat(err.lines().toList().getFirst()).startsWith(here + ": no condition is given");
        assertThat(quire("purge", "--tag", "poll", "--admin", here + ",,")).isEqualTo(2);
        assertThat(err).startsWith("--admin: invalid value ''");
        environment.put("QUIRE_ADMIN", here + ",127.0.0.1:1");
        assertThat(quire("purge", "--tag", "poll", "--json")).isEqualTo(3);
        assertThat(out).contains("{\"admin\":\"127.0.0.1:1\",\"status\":0,\"problems\":[\"nothing");
        assertThat(quire("reload")).describedAs("of one proxy only").isEqualTo(2);
    }

    @Test
    void drainEndsTheProcess() throws Exception {
        var asked = new ArrayList<String>();
        proxy.proxy.onDrain(() -> asked.add("drain"));

        assertThat(quire("drain")).isZero();

        assertThat(out).isEqualTo("the proxy drains and ends\n");
        assertThat(asked).containsExactly("drain");
    }

    private int quire(String... arguments) throws InterruptedException {
        var output = new StringWriter();
        var errors = new StringWriter();
        int status =
                new Cli(
                                loaded -> {
                                    throw new AssertionError("expected no start");
                                },
                                () -> {},
                                new Cli.Machine(
                                        (key, address) -> Optional.empty(),
                                        configuration -> Optional.empty(),
                                        environment::get),
                                new PrintWriter(output),
                                new PrintWriter(errors))
                        .execute(arguments);
        out = output.toString().replace(System.lineSeparator(), "\n");
        err = errors.toString();
        return status;
    }

    private String yaml(String more) {
        return """
        listen: { http: "127.0.0.1:0" }
        admin: { address: "127.0.0.1:0" }
        log: { access: off }
        cache: { memory: 16MiB }
        origins: { news: { urls: ["%s"] } }
        routes: [ { origin: news } ]
        %s\
        """
                .formatted(origin.url(), more);
    }
}
