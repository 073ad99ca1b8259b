package dev.quire.proxy.cli;

import dev.quire.proxy.check.RuleTests;
import dev.quire.proxy.config.CheckedFile;
import dev.quire.proxy.config.ClientAddress;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.ConfigurationSchema;
import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.InvalidConfiguration;
import dev.quire.proxy.config.ListenAddress;
import dev.quire.proxy.config.LoadedConfiguration;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.handover.ListeningSockets.Role;
import dev.quire.proxy.handover.Takeover;
import dev.quire.proxy.lint.PageDocument;
import dev.quire.proxy.lint.PageLint;
import dev.quire.proxy.lint.PageType;
import dev.quire.proxy.lint.UnreadablePage;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The command line. Prints results to {@code out} and each problem as one line to {@code err}. Exit
 * status: 0 success, 1 a failing test or findings in a page, or a running proxy declines, 2 an
 * error that the user can fix, 3 no running proxy answers.
 */
public final class Cli {
    private static final int OK = 0;
    private static final int FOUND = 1;
    private static final int WRONG = 2;

    private static final Logger LOG = LoggerFactory.getLogger(Cli.class);

    private final Function<LoadedConfiguration, Server> servers;
    private final Stop stop;
    private final Machine machine;
    private final Predecessor predecessor;
    private final PrintWriter out;
    private final PrintWriter err;

    /** Blocks until a running server should stop. */
    @FunctionalInterface
    public interface Stop {
        void await() throws InterruptedException;
    }

    /**
     * Finds the resources of this machine that do not suffice for a configuration.
     *
     * @param port returns why the address of a key or an option cannot be bound, or nothing
     * @param memory returns why the memory does not suffice, or nothing
     * @param environment returns the value of a variable, or null if it is not set
     */
    public record Machine(
            BiFunction<String, ListenAddress, Optional<Problem>> port,
            Function<Configuration, Optional<Problem>> memory,
            UnaryOperator<@Nullable String> environment) {}

    /**
     * @param servers creates a server, not yet started, from a valid configuration
     * @param stop returns when the server should stop
     */
    public Cli(
            Function<LoadedConfiguration, Server> servers,
            Stop stop,
            Machine machine,
            PrintWriter out,
            PrintWriter err) {
        this.servers = servers;
        this.stop = stop;
        this.machine = machine;
        this.predecessor = new Predecessor(machine.environment());
        this.out = out;
        this.err = err;
    }

    /** Executes {@code arguments} and returns the exit status; for {@code run} when stopped. */
    public int execute(String... arguments) throws InterruptedException {
        try {
            var words = List.of(arguments);
            if (words.isEmpty()) {
                throw Command.missing();
            }
            return switch (words.getFirst()) {
                case "-h", "--help" -> {
                    Command.describeAll(out);
                    out.flush();
                    yield OK;
                }
                case "-V", "--version" -> version();
                default -> execute(Command.named(words.getFirst()), words.subList(1, words.size()));
            };
        } catch (Command.InvalidUsage e) {
            return refuse(List.of(e.problem()));
        }
    }

    private int execute(Command command, List<String> words)
            throws Command.InvalidUsage, InterruptedException {
        var arguments = command.parse(words);
        if (arguments.has("help")) {
            command.describe(out);
            out.flush();
            return OK;
        }
        if (arguments.has("version")) {
            return version();
        }
        if (command == Command.CONFIG && arguments.has("schema")) {
            return schema();
        }
        return switch (command) {
            case RUN ->
                    run(
                            arguments.value("to"),
                            arguments.value("listen"),
                            arguments.value("admin"),
                            arguments.value("admin-token-file"),
                            path(arguments.value("config")),
                            arguments.has("quiet"),
                            arguments.has("replace"));
            case CHECK ->
                    check(
                            path(arguments.file()),
                            arguments.value("page"),
                            arguments.value("content-type"));
            case REHEARSE -> rehearse();
            case RELOAD,
                    CONFIRM,
                    ROLLBACK,
                    GENERATIONS,
                    CONFIG,
                    PURGE,
                    BAN,
                    BANS,
                    UNBAN,
                    TIERS,
                    FLEET,
                    TLS,
                    DRAIN ->
                    new OperatorCommands(machine.environment(), out, err)
                            .execute(command, arguments);
        };
    }

    /** Returns the path that {@code name} denotes, or null if it is null. */
    static @Nullable Path path(@Nullable String name) throws Command.InvalidUsage {
        try {
            return name == null ? null : Path.of(name);
        } catch (InvalidPathException e) {
            throw Command.noPath(String.valueOf(name), e.getReason());
        }
    }

    /** Prints the version from the jar's manifest; a directory of classes has no version. */
    private int version() {
        out.println(versionText());
        out.flush();
        return OK;
    }

    private static String versionText() {
        var version = Cli.class.getPackage().getImplementationVersion();
        return "quire " + (version == null ? "(not packaged)" : version);
    }

    private int run(
            @Nullable String to,
            @Nullable String listen,
            @Nullable String admin,
            @Nullable String adminToken,
            @Nullable Path config,
            boolean isQuiet,
            boolean isReplacing)
            throws InterruptedException {
        var options =
                new Options(
                        Optional.ofNullable(to),
                        Optional.ofNullable(listen),
                        Optional.ofNullable(admin),
                        Optional.ofNullable(adminToken),
                        Optional.ofNullable(config));
        try {
            var warnings = new ArrayList<Problem>();
            var loaded = LoadedConfiguration.of(options, warnings::add);
            var configuration = loaded.configuration();
            Server server;
            ListenAddresses addresses;
            try (var from = isReplacing ? predecessor.takeover(options) : null) {
                var obstacles = obstacles(options, configuration, from);
                if (!obstacles.isEmpty()) {
                    return refuse(obstacles);
                }
                warnings.forEach(warning ->
                        LOG.atWarn()
                                .addKeyValue("event", "configuration-warning")
                                .log("{}", warning));
                server = servers.apply(loaded);
                addresses = from == null ? server.start() : server.start(from);
            }
            try {
                out.println(readiness(configuration, addresses));
                out.flush();
                if (!isQuiet) {
                    new StartReport(versionText(), options.file(), configuration, addresses)
                            .print(server.servers(), err);
                }
                stop.await();
            } finally {
                server.drainAndStop();
            }
            return OK;
        } catch (InvalidConfiguration e) {
            return refuse(e.problems());
        } catch (CannotStart e) {
            return refuse(e.problems());
        } catch (Predecessor.Declined e) {
            err.println(e.getMessage());
            err.flush();
            return FOUND;
        }
    }

    private static String readiness(Configuration configuration, ListenAddresses addresses) {
        var line = new StringBuilder("ready");
        var also = new StringJoiner(",", " also=", "").setEmptyValue("");
        for (var each : addresses.clients()) {
            if (each.configured().key().equals(ClientAddress.ALSO)) {
                also.add(each.shown().toString());
            } else {
                line.append(' ').append(each.configured().name()).append('=').append(each.shown());
            }
        }
        var admin = configuration.admin().address().host();
        line.append(" admin=").append(new HostPort(admin, addresses.admin().getPort()));
        line.append(also);
        return line.toString();
    }

    /** Why addresses cannot be bound that {@code from} does not have. */
    private List<Problem> obstacles(
            Options options, Configuration configuration, @Nullable Takeover from) {
        var obstacles = new ArrayList<Problem>();
        for (var each : configuration.listen().addresses()) {
            var key = each.key().equals(ClientAddress.HTTP) ? options.listenName() : each.key();
            obstacle(from, Role.CLIENTS, key, each.address()).ifPresent(obstacles::add);
        }
        var admin = configuration.admin();
        obstacle(from, Role.ADMIN, options.adminName(), admin.address()).ifPresent(obstacles::add);
        admin.probes()
                .flatMap(it -> obstacle(from, Role.PROBES, "admin.probes", it))
                .ifPresent(obstacles::add);
        return obstacles;
    }

    private Optional<Problem> obstacle(
            @Nullable Takeover from, Role role, String key, ListenAddress address) {
        return from != null && from.holds(role, address)
                ? Optional.empty()
                : machine.port().apply(key, address);
    }

    private int check(@Nullable Path file, @Nullable String page, @Nullable String contentType)
            throws InterruptedException {
        if (page != null && file != null) {
            return refuse("quire check", "both FILE and --page are given", "one of them");
        }
        if (page != null) {
            return checkPage(page, contentType);
        }
        if (contentType != null) {
            return refuse("--content-type", "applies to pages only", "--page FILE with it");
        }
        if (file == null) {
            return refuse("quire check", "neither FILE nor --page is given", "one of them");
        }
        return checkConfiguration(file);
    }

    private int schema() {
        out.print(ConfigurationSchema.text());
        out.flush();
        return OK;
    }

    private int rehearse() {
        try {
            new TrainingRun(servers).run();
            return OK;
        } catch (InvalidConfiguration e) {
            return refuse(e.problems());
        } catch (CannotStart e) {
            return refuse(e.problems());
        } catch (IOException e) {
            return refuse(
                    "quire rehearse", String.valueOf(e.getMessage()), "all requests to succeed");
        }
    }

    private int checkConfiguration(Path file) {
        try {
            var warnings = new ArrayList<Problem>();
            var checked = CheckedFile.of(file, warnings::add);
            var configuration = checked.configuration();
            var lack = machine.memory().apply(configuration);
            if (lack.isPresent()) {
                return refuse(List.of(lack.get()));
            }
            warnings.forEach(out::println);
            out.println(
                    file
                            + (configuration.routes().isEmpty()
                                    ? ": valid with --to URL (the file names no origin)"
                                    : ": valid")
                            + (warnings.isEmpty() ? "" : ", warnings: " + warnings.size()));
            return test(checked);
        } catch (InvalidConfiguration e) {
            return refuse(e.problems());
        }
    }

    /** Runs the tests of {@code checked}, if it has any. */
    private int test(CheckedFile checked) {
        var tests = RuleTests.of(checked, Instant.now());
        tests.differences().forEach(out::println);
        if (tests.tests() > 0) {
            out.println(tests.summary());
        }
        out.flush();
        return tests.differences().isEmpty() ? OK : FOUND;
    }

    private int checkPage(String page, @Nullable String contentType) throws InterruptedException {
        var type = Optional.ofNullable(contentType).flatMap(PageType::named);
        if (contentType != null && type.isEmpty()) {
            return refuse("--content-type", "invalid value '" + contentType + "'", PageType.NAMES);
        }
        var esi = Configuration.DEFAULTS.esi();
        try {
            var document = PageDocument.named(page, type, esi.deviceToken(), esi.contentTypes());
            var lint = PageLint.of(document);
            var name = document.address().map(URI::toString).orElse(page);
            lint.findings().forEach(finding -> out.println(name + ":" + finding));
            out.println(name + ": " + lint.summary());
            out.flush();
            return lint.findings().isEmpty() ? OK : FOUND;
        } catch (UnreadablePage e) {
            return refuse(page, e.what(), e.expected());
        }
    }

    private int refuse(String key, String what, String expected) {
        return refuse(List.of(new Problem(Optional.empty(), key, what, expected)));
    }

    private int refuse(List<Problem> problems) {
        problems.forEach(err::println);
        err.flush();
        return WRONG;
    }
}
