package dev.quire.bench.peers;

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
                .withMessage("--ronds is no option of bin/bench peers; the nearest is --rounds");
    }

    @Test
    void strayWordIsRefused() {
        assertThatExceptionOfType(CannotMeasure.class)
                .isThrownBy(() -> read("varnish"))
                .withMessageStartingWith("'varnish' is no option");
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
                        "--workloads: 'pgae' is unknown; the nearest is 'page' (expected any of news,"
                                + " page)");
    }

    private static Optional<Arguments> read(String... words) throws CannotMeasure {
        var options = new Options();
        for (var name : List.of("rounds", "seconds", "connections", "targets")) {
            options.addOption(Arguments.taking(name, "N", name));
        }
        return Arguments.read("bin/bench peers", "Compares.", options, List.of(words));
    }
}
