package dev.quire.bench.peers;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
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
 * What was said behind a command. Whatever cannot be is an error that says what was expected, with
 * the nearest name for one that is unknown.
 */
final class Arguments {
    private final CommandLine line;

    private Arguments(CommandLine line) {
        this.line = line;
    }

    /**
     * Reads {@code words} as options of {@code command}; nothing if they ask for help, which has
     * then been given on the standard output.
     */
    static Optional<Arguments> read(
            String command, String description, Options options, List<String> words)
            throws CannotMeasure {
        options.addOption(Option.builder("h").longOpt("help").desc("Says this.").get());
        try {
            var line = new DefaultParser(false).parse(options, words.toArray(String[]::new));
            if (line.hasOption("help")) {
                describe(command, description, options);
                return Optional.empty();
            }
            if (!line.getArgList().isEmpty()) {
                throw new CannotMeasure(
                        "'%s' is no option (expected what '%s --help' lists)"
                                .formatted(line.getArgList().getFirst(), command));
            }
            return Optional.of(new Arguments(line));
        } catch (UnrecognizedOptionException unknown) {
            var names =
                    options.getOptions().stream()
                            .map(option -> "--" + option.getLongOpt())
                            .toList();
            throw new CannotMeasure(
                    "%s is no option of %s; the nearest is %s"
                            .formatted(
                                    unknown.getOption(),
                                    command,
                                    Names.nearest(unknown.getOption(), names)));
        } catch (ParseException wrong) {
            throw new CannotMeasure(
                    "%s (expected what '%s --help' lists)".formatted(wrong.getMessage(), command));
        }
    }

    private static void describe(String command, String description, Options options) {
        var out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        try {
            HelpFormatter.builder()
                    .setHelpAppendable(new TextHelpAppendable(out))
                    .setShowSince(false)
                    .get()
                    .printHelp(command + " [OPTION...]", description, options, "", false);
        } catch (IOException e) {
            throw new UncheckedIOException("the standard output takes nothing", e);
        }
        out.flush();
    }

    /** An option with a value. */
    static Option taking(String name, String value, String description) {
        return Option.builder().longOpt(name).hasArg().argName(value).desc(description).get();
    }

    Optional<String> value(String option) {
        return Optional.ofNullable(line.getOptionValue(option));
    }

    int number(String option, int otherwise, int least, int most) throws CannotMeasure {
        var value = value(option);
        return value.isEmpty() ? otherwise : number("--" + option, value.get(), least, most);
    }

    /** Numbers parted by commas, each once. */
    List<Integer> numbers(String option, List<Integer> otherwise, int least, int most)
            throws CannotMeasure {
        var numbers = new LinkedHashSet<Integer>();
        for (var word : words(option)) {
            numbers.add(number("--" + option, word, least, most));
        }
        return numbers.isEmpty() ? otherwise : List.copyOf(numbers);
    }

    /** Words parted by commas, each once; none if the option is not there. */
    List<String> words(String option) {
        return value(option)
                .map(value -> List.copyOf(new LinkedHashSet<>(List.of(value.split(",", -1)))))
                .orElse(List.of());
    }

    private static int number(String option, String text, int least, int most)
            throws CannotMeasure {
        try {
            int number = Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException notOne) {
            throw wrongNumber(option, text, least, most);
        }
        throw wrongNumber(option, text, least, most);
    }

    private static CannotMeasure wrongNumber(String option, String text, int least, int most) {
        return new CannotMeasure(
                "%s: '%s' (expected a number from %,d to %,d)"
                        .formatted(option, text, least, most));
    }

    /** What {@code names} name; all there is if they are empty. */
    static <T> List<T> chosen(String option, List<String> names, Map<String, T> valid)
            throws CannotMeasure {
        var chosen = new ArrayList<T>();
        for (var name : names.isEmpty() ? valid.keySet() : names) {
            var value = valid.get(name);
            if (value == null) {
                throw new CannotMeasure(
                        "%s: '%s' is unknown; the nearest is '%s' (expected any of %s)"
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
