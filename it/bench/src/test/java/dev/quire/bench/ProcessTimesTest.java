package dev.quire.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class ProcessTimesTest {

    @Test
    void nameWithBracketsAndBlanksDoesNotShiftTheFields() {
        var line =
                "16787 (a) (b c) R 15667 15667 23243 0 -1 4194304 100 0 0 0 150 50 30 20 20 0 1 0"
                        + " 3522408 3133440 415\n";

        var times = ProcessTimes.parse(line);

        assertThat(times).isEqualTo(new ProcessTimes(200, 50));
        assertThat(times.seconds()).isEqualTo(2.5);
        assertThat(times.ownSeconds()).isEqualTo(2);
    }

    @Test
    void shortLineIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProcessTimes.parse("1 (init) S 0 1"))
                .withMessageContaining("not a line of /proc/PID/stat");
    }
}
