package dev.quire.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.cli.CommandLine;
import org.apache.commons.cli.DefaultParser;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;
import org.apache.commons.cli.ParseException;
import org.apache.commons.cli.UnrecognizedOptionException;
import org.apache.commons.cli.help.HelpFormatter;
import org.apache.commons.cli.help.TextHelpAppendable;

/**
 * The arguments of a command. An error names the expected values, and the nearest name for an
 * unknown one.
 */
public final class Arguments {
    private static final String DIRECTORY = "directory";

    private final CommandLine line;

    private Arguments(CommandLine line) {
        this.line = line;
    }

    /**
     * Parses {@code words} as options of {@code command}. Returns empty after printing the help to
     * the standard output, if that was requested.
     */
    public static Optional<Arguments> read(
            String command, String description, Options options, List<String> words)
            throws CannotMeasure {
        var read = parse(command, command + " [OPTION...]", description, options, words);
        if (read.isPresent() && !read.get().operands().isEmpty()) {
            throw new CannotMeasure(
                    "'%s' is not an option (see '%s --help')"
                            .formatted(read.get().operands().getFirst(), command));
        }
        return read;
    }

    /** A command with arguments. */
    @FunctionalInterface
    public interface Command {
        /** Returns the exit status. */
        int run(Arguments arguments) throws CannotMeasure, IOException, InterruptedException;
    }

    /**
     * Runs {@code command} and ends this JVM.
     *
     * @param name of the command
     */
    public static void run(
            String name, String description, Options options, String[] words, Command command)
            throws IOException, InterruptedException {
        Locale.setDefault(Locale.ROOT);
        int status;
        try {
            var read = read(name, description, options, List.of(words));
            status = read.isEmpty() ? 0 : command.run(read.get());
        } catch (CannotMeasure e) {
            status = e.report(name);
        }
        System.exit(status);
    }

    /**
     * Like {@link #read}, for a command with operands.
     *
     * @param operand name of an operand in the help
     */
    public static Optional<Arguments> readWithOperands(
            String command, String operand, String description, Options options, List<String> words)
            throws CannotMeasure {
        var syntax = "%s [OPTION...] [%s...]".formatted(command, operand);
        return parse(command, syntax, description, options, words);
    }

    private static Optional<Arguments> parse(
            String command, String syntax, String description, Options options, List<String> words)
            throws CannotMeasure {
        options.addOption(Option.builder("h").longOpt("help").desc("Print this help.").get());
        try {
            var line = new DefaultParser(false).parse(options, words.toArray(String[]::new));
            if (line.hasOption("help")) {
                describe(syntax, description, options);
                return Optional.empty();
            }
            return Optional.of(new Arguments(line));
        } catch (UnrecognizedOptionException unknown) {
            var names =
                    options.getOptions().stream()
                            .map(option -> "--" + option.getLongOpt())
                            .toList();
            throw new CannotMeasure(
                    "%s is not an option of %s; did you mean %s?"
                            .formatted(
                                    unknown.getOption(),
                                    command,
                                    Names.nearest(unknown.getOption(), names)));
        } catch (ParseException wrong) {
            throw new CannotMeasure("%s (see '%s --help')".formatted(wrong.getMessage(), command));
        }
    }

    private static void describe(String syntax, String description, Options options) {
        var out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        try {
            HelpFormatter.builder()
                    .setHelpAppendable(new TextHelpAppendable(out))
                    .setShowSince(false)
                    .get()
                    .printHelp(syntax, description, options, "", false);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write to standard output", e);
        }
        out.flush();
    }

    /** An option with a value. */
    public static Option taking(String name, String value, String description) {
        return Option.builder().longOpt(name).hasArg().argName(value).desc(description).get();
    }

    /** The option that {@link #directory} reads. */
    public static Option takingDirectory() {
        return taking(
                DIRECTORY,
                "PATH",
                "Where the files are written and deleted again (default: the directory for"
                        + " temporary files).");
    }

    /** Returns the directory for the files of the command. */
    public Path directory() {
        return value(DIRECTORY).map(Path::of).orElse(OwnedFolder.ofTemporaryFiles());
    }

    /** Whether {@code option}, which takes no value, is given. */
    public boolean has(String option) {
        return line.hasOption(option);
    }

    public Optional<String> value(String option) {
        return Optional.ofNullable(line.getOptionValue(option));
    }

    /** The words that are not options, in order. */
    public List<String> operands() {
        return List.copyOf(line.getArgList());
    }

    public int number(String option, int otherwise, int least, int most) throws CannotMeasure {
        return Math.toIntExact(longNumber(option, otherwise, least, most));
    }

    /** Like {@link #number}, for values beyond {@code int}. */
    public long longNumber(String option, long otherwise, long least, long most)
            throws CannotMeasure {
        var value = value(option);
        return value.isEmpty() ? otherwise : number("--" + option, value.get(), least, most);
    }

    /** Like {@link #number}, for decimal numbers. */
    public double decimal(String option, double otherwise, double least, double most)
            throws CannotMeasure {
        var value = value(option);
        if (value.isEmpty()) {
            return otherwise;
        }
        try {
            double number = Double.parseDouble(value.get());
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException notOne) {
            throw wrongDecimal(option, value.get(), least, most);
        }
        throw wrongDecimal(option, value.get(), least, most);
    }

    private static CannotMeasure wrongDecimal(
            String option, String text, double least, double most) {
        return new CannotMeasure(
                "--%s: '%s' (expected a number from %.1f to %.1f)"
                        .formatted(option, text, least, most));
    }

    /** Distinct numbers separated by commas. */
    public List<Integer> numbers(String option, List<Integer> otherwise, int least, int most)
            throws CannotMeasure {
        var numbers = new LinkedHashSet<Integer>();
        for (var word : words(option)) {
            numbers.add(Math.toIntExact(number("--" + option, word, least, most)));
        }
        return numbers.isEmpty() ? otherwise : List.copyOf(numbers);
    }

    /** Distinct words separated by commas; empty if the option is absent. */
    public List<String> words(String option) {
        return value(option)
                .map(value -> List.copyOf(new LinkedHashSet<>(List.of(value.split(",", -1)))))
                .orElse(List.of());
    }

    private static long number(String option, String text, long least, long most)
            throws CannotMeasure {
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException notOne) {
            throw wrongNumber(option, text, least, most);
        }
        throw wrongNumber(option, text, least, most);
    }

    private static CannotMeasure wrongNumber(String option, String text, long least, long most) {
        return new CannotMeasure(
                "%s: '%s' (expected a number from %,d to %,d)"
                        .formatted(option, text, least, most));
    }

    /**
     * Returns the values of {@code names} in {@code valid}, or all values if there are no names.
     */
    public static <T> List<T> chosen(String option, List<String> names, Map<String, T> valid)
            throws CannotMeasure {
        var chosen = new ArrayList<T>();
        for (var name : names.isEmpty() ? valid.keySet() : names) {
            var value = valid.get(name);
            if (value == null) {
                throw new CannotMeasure(
                        "%s: '%s' is unknown; did you mean '%s'? (expected any of %s)"
                                .formatted(
                                        option,
                                        name,
                                        Names.nearest(name, valid.keySet()),
                                        String.join(", ", valid.keySet())));
            }
            chosen.add(value);
        }
        return chosen;
    }
}
