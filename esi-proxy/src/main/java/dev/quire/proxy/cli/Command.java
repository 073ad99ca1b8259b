package dev.quire.proxy.cli;

import dev.quire.core.text.NearestName;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.lint.PageType;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.commons.cli.CommandLine;
import org.apache.commons.cli.DefaultParser;
import org.apache.commons.cli.MissingArgumentException;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;
import org.apache.commons.cli.ParseException;
import org.apache.commons.cli.UnrecognizedOptionException;
import org.apache.commons.cli.help.HelpFormatter;
import org.apache.commons.cli.help.TextHelpAppendable;
import org.jspecify.annotations.Nullable;

/** The commands of the command line, with their options and help texts. */
enum Command {
    RUN,
    CHECK,
    RELOAD,
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
    DRAIN,
    REHEARSE;

    private static final String PROGRAM = "quire";

    private static final String STATUSES =
            " Exit status: 0 done, 1 declined or nothing found, 2 wrong arguments or"
                    + " configuration, 3 no proxy answers.";

    private String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The name of the only argument that is not an option; empty without one. */
    private String argument() {
        return switch (this) {
            case CHECK, RELOAD -> "FILE";
            case ROLLBACK, UNBAN -> "NUMBER";
            case TIERS -> "on|off|drop";
            case RUN, CONFIRM, GENERATIONS, CONFIG, PURGE, BAN, BANS -> "";
            case FLEET, TLS, DRAIN, REHEARSE -> "";
        };
    }

    private int files() {
        return argument().isEmpty() ? 0 : 1;
    }

    /** Whether it is sent to the admin port of a running proxy. */
    boolean isForRunning() {
        return switch (this) {
            case RUN, CHECK, REHEARSE -> false;
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
                    true;
        };
    }

    /** Whether several proxies can be asked at once. */
    boolean isForSeveral() {
        return this == PURGE || this == BAN;
    }

    /** The options that may be given several times. */
    private Set<String> repeatable() {
        return switch (this) {
            case PURGE -> Set.of("url", "tag", "host", "path", "admin");
            case BAN -> Set.of("admin");
            default -> Set.of();
        };
    }

    private String description() {
        return switch (this) {
            case RUN -> "Runs the proxy in the foreground. SIGTERM or SIGINT stops it.";
            case CHECK ->
                    "Validates a configuration FILE and runs its tests, or lints a page. Exit"
                            + " status: 0 no findings, 1 a test that fails or findings in the page, 2"
                            + " invalid configuration or error.";
            case RELOAD ->
                    "Makes a running proxy read its configuration file again, or use FILE, which"
                            + " needs a token. An invalid one changes nothing.";
            case CONFIRM -> "Keeps the configuration that awaits a confirmation.";
            case ROLLBACK ->
                    "Uses an earlier configuration again: the one before the current, or the"
                            + " generation NUMBER. The file is not changed.";
            case GENERATIONS ->
                    "Lists the configurations that 'rollback' can use again, newest first.";
            case CONFIG ->
                    "Prints the configuration in use, without secrets; or the JSON schema of"
                            + " configuration files.";
            case PURGE -> "Drops the stored responses that any of its options names.";
            case BAN -> "Hides the stored responses that match all of its options.";
            case BANS -> "Lists the bans, newest first.";
            case UNBAN -> "Withdraws the ban NUMBER.";
            case TIERS ->
                    "Shows the storage tiers, or changes the disk tier first: 'off'"
                            + " empties it and uses it no more, 'on' uses it again, 'drop' only"
                            + " empties it.";
            case FLEET -> "Shows the nodes of the fleet, and how far each has come.";
            case TLS -> "Lists the certificates in use.";
            case DRAIN -> "Stops a running proxy once its requests have ended, as SIGTERM does.";
            case REHEARSE ->
                    "Starts the proxy, requests sample pages from it, and exits. Use it with the"
                            + " JVM option -XX:ArchiveClassesAtExit=FILE to record a class archive;"
                            + " later starts with -XX:SharedArchiveFile=FILE are faster.";
        };
    }

    private Options options() {
        var options = new Options();
        switch (this) {
            case RUN ->
                    options.addOption(
                                    taking(
                                            "to",
                                            "URL",
                                            "Origin for all requests: http://HOST[:PORT]."))
                            .addOption(
                                    taking(
                                            "listen",
                                            "HOST:PORT",
                                            "Address to listen on (default 127.0.0.1:8080; port 0"
                                                    + " picks a free port)."))
                            .addOption(
                                    taking(
                                            "admin",
                                            "HOST:PORT",
                                            "Address of the admin API (default 127.0.0.1:9901)."))
                            .addOption(
                                    taking(
                                            "admin-token-file",
                                            "FILE",
                                            "File with the bearer token of the admin API; required"
                                                    + " unless its address is a loopback address."))
                            .addOption(
                                    taking(
                                            "config",
                                            "FILE",
                                            "Configuration file; options override it."))
                            .addOption(
                                    flag(
                                            "replace",
                                            "Take over the listening sockets of the running proxy,"
                                                    + " which then drains and ends. It is found as"
                                                    + " by the other commands. If nothing answers,"
                                                    + " start as usual."))
                            .addOption(
                                    Option.builder("q")
                                            .longOpt("quiet")
                                            .desc(
                                                    "Do not describe the started proxy on standard"
                                                            + " error.")
                                            .get());
            case CHECK ->
                    options.addOption(
                                    taking(
                                            "page",
                                            "FILE|URL",
                                            "Page to lint: a URL with http:// or https:// is"
                                                    + " fetched, anything else is a file."))
                            .addOption(
                                    taking(
                                            "content-type",
                                            "TYPE",
                                            "Type of the file if its name does not show it: "
                                                    + PageType.NAMES
                                                    + "."));
            case RELOAD ->
                    options.addOption(
                                    taking(
                                            "confirm",
                                            "TIME",
                                            "Take the configuration back unless 'confirm' comes"
                                                    + " within this time, such as 60s."))
                            .addOption(
                                    taking(
                                            "guard",
                                            "LIMIT",
                                            "Take it back if the share of errors exceeds this and"
                                                    + " twice that of the minute before, such as"
                                                    + " 'errors<1%'."))
                            .addOption(flag("dry-run", "Only validate it."));
            case CONFIG ->
                    options.addOption(
                                    flag(
                                            "effective",
                                            "With the options of the command line and all"
                                                    + " defaults."))
                            .addOption(
                                    flag(
                                            "schema",
                                            "The JSON schema (draft 2020-12) for editors; needs no"
                                                    + " running proxy."));
            case PURGE ->
                    options.addOption(taking("url", "URL", "A resource, in all variants."))
                            .addOption(taking("tag", "TAG", "Responses with this tag."))
                            .addOption(taking("host", "HOST", "All responses of this host."))
                            .addOption(
                                    taking("path", "PATH", "A path of every host; * and ** match."))
                            .addOption(flag("soft", "Make them stale, and keep their grace."))
                            .addOption(flag("no-count", "Answer at once, without a count of them."))
                            .addOption(ack())
                            .addOption(flag("dry-run", "Only count them."));
            case BAN ->
                    options.addOption(taking("host", "HOST", "A host, *.DOMAIN or *."))
                            .addOption(taking("path", "EXPRESSION", "RE2, found in the path."))
                            .addOption(taking("tag", "TAG", "Responses with this tag."))
                            .addOption(taking("content-type", "TYPE", "Such as image/*."))
                            .addOption(taking("status", "STATUS", "Responses of this status."))
                            .addOption(taking("older-than", "TIME", "Stored as long ago."))
                            .addOption(ack())
                            .addOption(flag("dry-run", "Only count them."));
            case TLS ->
                    options.addOption(
                            flag(
                                    "reload",
                                    "Read the files of certificates and ticket keys now, not at"
                                            + " the next check."));
            case UNBAN -> options.addOption(ack());
            case CONFIRM, ROLLBACK, GENERATIONS, BANS, TIERS, FLEET, DRAIN, REHEARSE -> {}
        }
        if (isForRunning()) {
            addAdmin(options, isForSeveral());
        }
        return options.addOption(Option.builder("h").longOpt("help").desc("Print this help.").get())
                .addOption(Option.builder("V").longOpt("version").desc("Print the version.").get());
    }

    /** Adds the options by which the running proxy is found. */
    private static void addAdmin(Options options, boolean isForSeveral) {
        options.addOption(
                        taking(
                                "admin",
                                isForSeveral ? "HOST:PORT,..." : "HOST:PORT",
                                (isForSeveral
                                                ? "Addresses of admin ports"
                                                : "Address of the admin port")
                                        + " (default: QUIRE_ADMIN, else that of"
                                        + " --config, else 127.0.0.1:9901)."))
                .addOption(
                        taking(
                                "admin-token-file",
                                "FILE",
                                "File with its token (default: QUIRE_ADMIN_TOKEN_FILE, else that of"
                                        + " --config)."))
                .addOption(taking("config", "FILE", "Configuration file of the running proxy."))
                .addOption(flag("json", "Print the answer as JSON."));
    }

    private static Option ack() {
        return taking(
                "ack",
                "local|log|fleet",
                "Wait for this node, for the log of the fleet, or for all its live nodes (default:"
                        + " fleet.ack).");
    }

    private static Option flag(String name, String description) {
        return Option.builder().longOpt(name).desc(description).get();
    }

    private static Option taking(String name, String value, String description) {
        return Option.builder().longOpt(name).hasArg().argName(value).desc(description).get();
    }

    static final class Arguments {
        private final Map<String, List<String>> values = new HashMap<>();
        private final List<String> files;

        private Arguments(CommandLine line) {
            for (var option : line.getOptions()) {
                var given = line.getOptionValues(option);
                values.put(option.getLongOpt(), given == null ? List.of() : List.of(given));
            }
            files = line.getArgList();
        }

        /** The value of an option, or null if it is absent. */
        @Nullable String value(String option) {
            var given = values(option);
            return given.isEmpty() ? null : given.getFirst();
        }

        /** All values of an option that may be given several times. */
        List<String> values(String option) {
            return values.getOrDefault(option, List.of());
        }

        boolean has(String option) {
            return values.containsKey(option);
        }

        /** The first argument that is not an option, or null. */
        @Nullable String file() {
            return files.isEmpty() ? null : files.getFirst();
        }
    }

    /** Thrown if the arguments are invalid. */
    static final class InvalidUsage extends Exception {
        private final transient Problem problem;

        private InvalidUsage(String key, String what, String expected) {
            super(what);
            problem = new Problem(Optional.empty(), key, what, expected);
        }

        Problem problem() {
            return problem;
        }
    }

    /** The command as the user types it. */
    @Override
    public String toString() {
        return PROGRAM + " " + word();
    }

    static Command named(String word) throws InvalidUsage {
        var words = Arrays.stream(values()).map(Command::word).toList();
        int place = words.indexOf(word);
        if (place < 0) {
            var nearest = NearestName.to(word, words);
            throw new InvalidUsage(
                    PROGRAM,
                    "unknown command '" + word + "'",
                    "'"
                            + nearest
                            + "', the nearest match, or another command of '"
                            + PROGRAM
                            + " --help'");
        }
        return values()[place];
    }

    /** The problem of an empty command line. */
    static InvalidUsage missing() {
        return new InvalidUsage(
                PROGRAM, "no command is given", "a command of '" + PROGRAM + " --help'");
    }

    /** The problem of a path that is not valid on this machine. */
    static InvalidUsage noPath(String name, String why) {
        return new InvalidUsage(
                PROGRAM, "'" + name + "' is not a valid path: " + why, "a file name");
    }

    Arguments parse(List<String> arguments) throws InvalidUsage {
        var parser =
                DefaultParser.builder()
                        .setAllowPartialMatching(false)
                        .setStripLeadingAndTrailingQuotes(false)
                        .get();
        var options = options();
        CommandLine line;
        try {
            line = parser.parse(options, arguments.toArray(String[]::new));
        } catch (UnrecognizedOptionException e) {
            var names =
                    options.getOptions().stream()
                            .map(option -> "--" + option.getLongOpt())
                            .toList();
            throw invalid(
                    "unknown option '" + e.getOption() + "'",
                    "'" + NearestName.to(e.getOption(), names) + "', the nearest match");
        } catch (MissingArgumentException e) {
            throw invalid(
                    "--" + e.getOption().getLongOpt() + " has no value",
                    e.getOption().getArgName());
        } catch (ParseException e) {
            throw invalid(String.valueOf(e.getMessage()), "the options of '" + this + " --help'");
        }
        for (var option : line.getOptions()) {
            var values = line.getOptionValues(option);
            if (values != null
                    && values.length > 1
                    && !repeatable().contains(option.getLongOpt())) {
                throw invalid("--" + option.getLongOpt() + " is given twice", "once");
            }
        }
        if (line.getArgList().size() > files()) {
            throw invalid(
                    "unexpected argument '" + line.getArgList().get(files()) + "'",
                    "the arguments of '" + this + " --help'");
        }
        return new Arguments(line);
    }

    private InvalidUsage invalid(String what, String expected) {
        return new InvalidUsage(toString(), what, expected);
    }

    static void describeAll(PrintWriter out) {
        out.println("usage: " + PROGRAM + " COMMAND [OPTION...]");
        out.println("A caching surrogate that assembles web pages from ESI fragments.");
        out.println();
        for (var command : values()) {
            out.printf("  %-12s%s%n", command.word(), command.description());
        }
        out.println();
        out.println(
                "'"
                        + PROGRAM
                        + " COMMAND --help' lists the options of a command, '"
                        + PROGRAM
                        + " --version' prints the version.");
    }

    void describe(PrintWriter out) {
        var help =
                HelpFormatter.builder()
                        .setHelpAppendable(new TextHelpAppendable(out))
                        .setShowSince(false)
                        .get();
        try {
            help.printHelp(
                    this + " [OPTION...]" + (files() > 0 ? " [" + argument() + "]" : ""),
                    description() + (isForRunning() ? STATUSES : ""),
                    options(),
                    "",
                    false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
