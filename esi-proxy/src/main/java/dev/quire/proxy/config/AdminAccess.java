package dev.quire.proxy.config;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How a command reaches the admin port of a running proxy.
 *
 * @param token empty if the port needs none
 */
public record AdminAccess(HostPort address, Optional<Token> token) {

    /** The variables that are used if an option is absent. */
    public static final String ADDRESS_VARIABLE = "QUIRE_ADMIN";

    public static final String TOKEN_VARIABLE = "QUIRE_ADMIN_TOKEN_FILE";

    private static final List<String> KEYS = List.of("admin.address", "admin.token-file");

    /** The values in the configuration of the proxy; empty where it has none. */
    private record Written(Optional<HostPort> address, Optional<Token> token) {
        static final Written NOTHING = new Written(Optional.empty(), Optional.empty());
    }

    /**
     * Finds the port: by the option {@code --admin}, else the environment, else the configuration
     * file of the proxy, else the default address. The token is found likewise. Other sections of
     * the file may be invalid.
     *
     * @param admin the value of {@code --admin}
     * @param tokenFile the value of {@code --admin-token-file}
     * @param file the value of {@code --config}
     * @param environment returns the value of a variable, or null if it is not set
     * @throws InvalidConfiguration with all problems
     */
    public static AdminAccess of(
            Optional<String> admin,
            Optional<String> tokenFile,
            Optional<Path> file,
            UnaryOperator<@Nullable String> environment)
            throws InvalidConfiguration {
        var problems = new Problems("");
        var address =
                value(
                        "--admin",
                        admin,
                        ADDRESS_VARIABLE,
                        environment,
                        ValueParser.ADDRESS,
                        problems);
        var token =
                value(
                        "--admin-token-file",
                        tokenFile,
                        TOKEN_VARIABLE,
                        environment,
                        TokenFile.NOTATION,
                        problems);
        problems.throwIfAny();
        var written = file.isPresent() ? written(file.get(), environment) : Written.NOTHING;
        return new AdminAccess(
                address.or(written::address)
                        .map(AdminAccess::reachable)
                        .orElse(Admin.DEFAULTS.address()),
                token.or(written::token));
    }

    /**
     * Finds the ports of several proxies: those of {@code --admin}, else of the environment,
     * separated by commas. Else it is that of {@link #of}. All have one token.
     *
     * @param admins the values of {@code --admin}
     * @return each port once
     * @throws InvalidConfiguration with the problems of the first that is invalid
     */
    public static List<AdminAccess> all(
            List<String> admins,
            Optional<String> tokenFile,
            Optional<Path> file,
            UnaryOperator<@Nullable String> environment)
            throws InvalidConfiguration {
        var variable = environment.apply(ADDRESS_VARIABLE);
        boolean isVariable = admins.isEmpty() && variable != null;
        var texts = isVariable ? List.of(variable) : admins;
        if (texts.isEmpty()) {
            return List.of(of(Optional.empty(), tokenFile, file, environment));
        }
        var all = new LinkedHashSet<AdminAccess>();
        for (var text : String.join(",", texts).split(",", -1)) {
            var address = text.strip();
            all.add(
                    isVariable
                            ? of(
                                    Optional.empty(),
                                    tokenFile,
                                    file,
                                    name ->
                                            ADDRESS_VARIABLE.equals(name)
                                                    ? address
                                                    : environment.apply(name))
                            : of(Optional.of(address), tokenFile, file, environment));
        }
        return List.copyOf(all);
    }

    private static <T> Optional<T> value(
            String option,
            Optional<String> given,
            String variable,
            UnaryOperator<@Nullable String> environment,
            ValueParser<T> notation,
            Problems problems) {
        var text = given.or(() -> Optional.ofNullable(environment.apply(variable)));
        var value = text.flatMap(notation.reading());
        if (text.isPresent() && value.isEmpty()) {
            problems.onCommandLine(
                    given.isPresent() ? option : variable,
                    "invalid value '" + text.get() + "'",
                    notation.expected());
        }
        return value;
    }

    private static Written written(Path file, UnaryOperator<@Nullable String> environment)
            throws InvalidConfiguration {
        var problems = new Problems(file.toString());
        var expansion = new Expansion(environment);
        var files = new ConfigurationFile(problems);
        var text = ConfigurationText.ofFile(file, files.text(file));
        var written =
                Section.read(
                        problems,
                        expansion,
                        new IncludedFiles(text, files, problems, expansion).read(),
                        root ->
                                root.section(
                                        "admin",
                                        section ->
                                                new Written(
                                                        section.optional(
                                                                "address", ValueParser.ADDRESS),
                                                        section.optional(
                                                                "token-file",
                                                                TokenFile.NOTATION))));
        problems.throwIfAnyOf(KEYS);
        return written;
    }

    /** An address that means all of the machine is replaced by its loopback address. */
    private static HostPort reachable(HostPort address) {
        return switch (address.host()) {
            case "0.0.0.0" -> new HostPort("127.0.0.1", address.port());
            case "::" -> new HostPort("::1", address.port());
            default -> address;
        };
    }
}
