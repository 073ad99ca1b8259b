package dev.quire.proxy;

import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.InvalidConfiguration;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.lint.PageDocument;
import dev.quire.proxy.lint.PageLint;
import dev.quire.proxy.lint.PageType;
import dev.quire.proxy.lint.UnreadablePage;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line. Answers on {@code out}, says what is wrong on {@code err}, a line for each
 * problem; the exit code is 0, or 2 for what the user can put right, and 1 for a page of which
 * there is something to say.
 */
@Command(
        name = "quire",
        description = "Assembles web pages of fragments that are cached each for its own time.",
        mixinStandardHelpOptions = true,
        versionProvider = Cli.Version.class,
        synopsisSubcommandLabel = "COMMAND")
final class Cli implements Runnable {
    private static final int OK = 0;
    private static final int FOUND = 1;
    private static final int WRONG = 2;

    private final Function<Configuration, Server> servers;
    private final Stop stop;
    private final BiFunction<String, HostPort, Optional<Problem>> probe;
    private final PrintWriter out;
    private final PrintWriter err;

    @Spec private @Nullable CommandSpec spec;

    /** Waits until a server that runs is to be stopped. */
    @FunctionalInterface
    interface Stop {
        void await() throws InterruptedException;
    }

    /**
     * @param servers makes a server, which has not been started, of a valid configuration
     * @param stop returns when it is to be stopped
     * @param probe why the address of a key or an option cannot be listened on, or nothing
     */
    Cli(
            Function<Configuration, Server> servers,
            Stop stop,
            BiFunction<String, HostPort, Optional<Problem>> probe,
            PrintWriter out,
            PrintWriter err) {
        this.servers = servers;
        this.stop = stop;
        this.probe = probe;
        this.out = out;
        this.err = err;
    }

    /**
     * Does what {@code arguments} say and returns the exit code; {@code run} only once it stops.
     */
    int execute(String... arguments) {
        return new CommandLine(this)
                .setOut(out)
                .setErr(err)
                .setExpandAtFiles(false)
                .setParameterExceptionHandler((wrong, all) -> refuse(wrong))
                .execute(arguments);
    }

    /** Called when no command is given. */
    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "no command is given");
        }
    }

    @Command(
            name = "run",
            description = "Starts the proxy in the foreground; SIGTERM stops it.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class)
    int run(
            @Option(
                            names = "--to",
                            paramLabel = "URL",
                            description = "The origin of every request: http://HOST[:PORT].")
                    @Nullable String to,
            @Option(
                            names = "--listen",
                            paramLabel = "HOST:PORT",
                            description =
                                    "Where clients connect; 127.0.0.1:8080 if nothing is said."
                                            + " Port 0 picks a free one.")
                    @Nullable String listen,
            @Option(
                            names = "--admin",
                            paramLabel = "HOST:PORT",
                            description =
                                    "Where operators connect; 127.0.0.1:9901 if nothing is said.")
                    @Nullable String admin,
            @Option(
                            names = "--config",
                            paramLabel = "FILE",
                            description = "The configuration; options win over it.")
                    @Nullable Path config)
            throws InterruptedException {
        var options =
                new Options(
                        Optional.ofNullable(to),
                        Optional.ofNullable(listen),
                        Optional.ofNullable(admin),
                        Optional.ofNullable(config));
        try {
            var configuration = Configuration.of(options);
            var http = configuration.listen().http();
            var operators = configuration.admin().address();
            var obstacles =
                    Stream.of(
                                    probe.apply(options.listenName(), http),
                                    probe.apply(options.adminName(), operators))
                            .flatMap(Optional::stream)
                            .toList();
            if (!obstacles.isEmpty()) {
                return refuse(obstacles);
            }
            var server = servers.apply(configuration);
            var addresses = server.start();
            try {
                out.printf(
                        "ready http=%s admin=%s%n",
                        new HostPort(http.host(), addresses.http().getPort()),
                        new HostPort(operators.host(), addresses.admin().getPort()));
                out.flush();
                stop.await();
            } finally {
                server.drainAndStop();
            }
            return OK;
        } catch (InvalidConfiguration e) {
            return refuse(e.problems());
        } catch (CannotStart e) {
            return refuse(e.problems());
        }
    }

    @Command(
            name = "check",
            description = {
                "Says what is wrong with a configuration file, or what there is to say of a page.",
                "Ends with 0 if there is nothing, with 1 if there is something to say of a page,"
                        + " and else with 2."
            },
            mixinStandardHelpOptions = true,
            versionProvider = Version.class)
    int check(
            @Parameters(arity = "0..1", paramLabel = "FILE", description = "The configuration.")
                    @Nullable Path file,
            @Option(
                            names = "--page",
                            paramLabel = "FILE|URL",
                            description =
                                    "A page with ESI tags instead: http://... or https://... is"
                                            + " fetched, anything else is a file.")
                    @Nullable String page,
            @Option(
                            names = "--content-type",
                            paramLabel = "TYPE",
                            description =
                                    "What the file is if its name does not tell: "
                                            + PageType.NAMES
                                            + ".")
                    @Nullable String contentType)
            throws InterruptedException {
        if (page != null && file != null) {
            return refuse(
                    "quire check", "FILE and --page are given", "one of them: nothing is both");
        }
        if (page != null) {
            return checkPage(page, contentType);
        }
        if (contentType != null) {
            return refuse("--content-type", "is for pages", "--page FILE beside it");
        }
        if (file == null) {
            return refuse("quire check", "nothing to check is given", "FILE, or --page FILE|URL");
        }
        return checkConfiguration(file);
    }

    @Command(
            name = "rehearse",
            description = {
                "Starts, asks itself for pages, and ends.",
                "A JVM that records its classes meanwhile (-XX:AOTCacheOutput=FILE) starts faster"
                        + " from then on (-XX:AOTCache=FILE)."
            },
            mixinStandardHelpOptions = true,
            versionProvider = Version.class)
    int rehearse() {
        try {
            new Rehearsal(servers).run();
            return OK;
        } catch (InvalidConfiguration e) {
            return refuse(e.problems());
        } catch (CannotStart e) {
            return refuse(e.problems());
        } catch (IOException e) {
            return refuse("quire rehearse", String.valueOf(e.getMessage()), "pages");
        }
    }

    private int checkConfiguration(Path file) {
        try {
            var configuration = Configuration.check(file);
            out.println(
                    file
                            + (configuration.routes().isEmpty()
                                    ? ": valid beside --to URL, for it names no origin"
                                    : ": valid"));
            out.flush();
            return OK;
        } catch (InvalidConfiguration e) {
            return refuse(e.problems());
        }
    }

    private int checkPage(String page, @Nullable String contentType) throws InterruptedException {
        var type = Optional.ofNullable(contentType).flatMap(PageType::named);
        if (contentType != null && type.isEmpty()) {
            return refuse("--content-type", "is no type of page", PageType.NAMES);
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

    private int refuse(ParameterException wrong) {
        var command = wrong.getCommandLine();
        var similar =
                wrong instanceof UnmatchedArgumentException unmatched
                        ? unmatched.getSuggestions()
                        : List.<String>of();
        var name = command.getCommandSpec().qualifiedName();
        return refuse(
                List.of(
                        new Problem(
                                Optional.empty(),
                                name,
                                String.valueOf(wrong.getMessage()),
                                similar.isEmpty()
                                        ? "what '" + name + " --help' lists"
                                        : String.join(" or ", similar))));
    }

    private int refuse(List<Problem> problems) {
        problems.forEach(err::println);
        err.flush();
        return WRONG;
    }

    /** The version in the manifest of the jar; a directory of classes has none. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            var version = Cli.class.getPackage().getImplementationVersion();
            return new String[] {"quire " + (version == null ? "(not packaged)" : version)};
        }
    }
}
