package dev.quire.bench.studies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.quire.bench.Running;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuTimeTest {
    @TempDir private Path folder;

    @Test
    void timeSinceTheMomentIsThatOfEachRequest() throws IOException {
        try (var server = Running.start(List.of("sleep", "60"), Map.of(), folder.resolve("log"))) {
            var time = new CpuTime(server, server.cpuSeconds() - 2);

            assertThat(time.microsPerRequest(1000)).isCloseTo(2000, within(100.0));
            assertThat(time.microsPerRequest(0)).isNaN();
            assertThat(Tables.micros(time.microsPerRequest(0))).isEmpty();
        }
    }
}
