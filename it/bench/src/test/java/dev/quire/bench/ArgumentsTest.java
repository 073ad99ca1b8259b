package dev.quire.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.commons.cli.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {

    @Test
    void whatIsSaidIsTakenAndTheRestHasDefaults() throws CannotMeasure {
        var arguments = read("--rounds", "5", "--connections=64,256,64").orElseThrow();

        assertThat(arguments.number("rounds", 3, 1, 100)).isEqualTo(5);
        assertThat(arguments.number("seconds", 3, 1, 600)).isEqualTo(3);
        assertThat(arguments.numbers("connections", List.of(1), 1, 1000)).containsExactly(64, 256);
        assertThat(arguments.words("targets")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0", "101", "many", "''", "99999999999"})
    void numberThatCannotBeIsRefused(String value) throws CannotMeasure {
        var arguments = read("--rounds", value).orElseThrow();

        assertThatExceptionOfType(CannotMeasure.class)
                .isThrownBy(() -> arguments.number("rounds", 3, 1, 100))
                .withMessage("--rounds: '%s' (expected a number from 1 to 100)", value);
    }

    @Test
    void unknownOptionIsAnErrorThatNamesTheNearest() {
        assertThatExceptionOfType(CannotMeasure.class)
                .isThrownBy(() -> read("--ronds", "3"))
                .withMessage("--ronds is not an option of bin/bench peers; did you mean --rounds?");
    }

    @Test
    void strayWordIsRefused() {
        assertThatExceptionOfType(CannotMeasure.class)
                .isThrownBy(() -> read("varnish"))
                .withMessageStartingWith("'varnish' is not an option");
    }

    @Test
    void wordsBesideTheOptionsAreTakenWhereACommandWantsThem() throws CannotMeasure {
        var options = new Options().addOption(Arguments.taking("seconds", "N", "How long."));

        var arguments =
                Arguments.readWithOperands(
                                "bin/bench profile",
                                "KIND",
                                "Prints.",
                                options,
                                List.of("page", "--seconds", "7", "hit"))
                        .orElseThrow();

        assertThat(arguments.operands()).containsExactly("page", "hit");
        assertThat(arguments.number("seconds", 5, 1, 600)).isEqualTo(7);
    }

    @Test
    void unknownOptionIsNoWord() {
        assertThatExceptionOfType(CannotMeasure.class)
                .isThrownBy(() ->
                        Arguments.readWithOperands(
                                "bin/bench profile",
                                "KIND",
                                "Prints.",
                                new Options(),
                                List.of("hit", "--hepl")))
                .withMessage("--hepl is not an option of bin/bench profile; did you mean --help?");
    }

    @Test
    void numberMayBeLongerThanAnInt() throws CannotMeasure {
        var arguments = read("--rounds", "5000000000").orElseThrow();

        assertThat(arguments.longNumber("rounds", 1, 1, 9_000_000_000L)).isEqualTo(5_000_000_000L);
    }

    @Test
    void numberNeedNotBeWholeWhereThatIsWanted() throws CannotMeasure {
        var arguments = read("--rounds", "0.75").orElseThrow();

        assertThat(arguments.decimal("rounds", 0.9, 0, 10)).isEqualTo(0.75);
        assertThat(arguments.decimal("seconds", 0.9, 0, 10)).isEqualTo(0.9);
    }

    @ParameterizedTest
    @CsvSource({"-0.1", "10.5", "NaN", "steep", "''"})
    void decimalThatCannotBeIsRefused(String value) throws CannotMeasure {
        var arguments = read("--rounds", value).orElseThrow();

        assertThatExceptionOfType(CannotMeasure.class)
                .isThrownBy(() -> arguments.decimal("rounds", 0.9, 0, 10))
                .withMessage("--rounds: '%s' (expected a number from 0.0 to 10.0)", value);
    }

    @Test
    void optionWithoutItsValueIsRefused() {
        assertThatExceptionOfType(CannotMeasure.class)
                .isThrownBy(() -> read("--rounds"))
                .withMessageContaining("rounds")
                .withMessageContaining("--help");
    }

    @Test
    void unknownNameIsAnErrorThatNamesTheNearest() {
        var valid = new TreeMap<>(Map.of("page", 1, "news", 2));

        assertThatExceptionOfType(CannotMeasure.class)
                .isThrownBy(() -> Arguments.chosen("--workloads", List.of("news", "pgae"), valid))
                .withMessage(
                        "--workloads: 'pgae' is unknown; did you mean 'page'? (expected any of"
                                + " news, page)");
    }

    private static Optional<Arguments> read(String... words) throws CannotMeasure {
        var options = new Options();
        for (var name : List.of("rounds", "seconds", "connections", "targets")) {
            options.addOption(Arguments.taking(name, "N", name));
        }
        return Arguments.read("bin/bench peers", "Compares.", options, List.of(words));
    }
}
