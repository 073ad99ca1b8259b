package dev.quire.proxy.disk;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Records that could not be read once, and may be readable later. */
class LostRecordsTest extends InLogHouse {
    private static final Duration PAUSE = Duration.ofSeconds(30);
    private static final String FAILURE = "Input/output error";

    @BeforeEach
    void write() {
        house.put(1);
        house.put(2);
    }

    private void lose(long number) {
        house.access.readFailure = FAILURE;
        assertThat(house.version(number)).isNull();
        house.access.readFailure = null;
    }

    /** A process that is started after this one was killed. */
    private LogHouse next() throws IOException {
        var copy = temporary.resolve("copy");
        house.crash(copy);
        return new LogHouse(copy);
    }

    @Test
    void othersMayBeInTheFilesUntilTheNextWrite() throws IOException {
        lose(1);
        assertThat(house.log.mayHaveOthers()).isTrue();

        house.put(3);

        assertThat(house.log.mayHaveOthers()).isFalse();
        long bytes = house.log.stats().bytes();
        house.log.remove(LogHouse.id(4));
        house.log.flush();
        assertThat(house.log.stats().bytes()).isEqualTo(bytes);
        try (var next = next()) {
            assertThat(next.version(1)).isNull();
            assertThat(next.version(2)).isEqualTo(1);
            assertThat(next.version(3)).isEqualTo(1);
        }
    }

    @Test
    void removalIsWrittenThoughTheIndexHasNoRecord() throws IOException {
        lose(1);

        house.log.remove(LogHouse.id(1));

        try (var next = next()) {
            assertThat(next.version(1)).isNull();
            assertThat(next.version(2)).isEqualTo(1);
        }
    }

    @Test
    void newerRecordStays() throws IOException {
        var found = requireNonNull(house.log.retained(LogHouse.id(1)));
        house.put(1, 2, 500);
        house.access.readFailure = FAILURE;
        assertThat(house.log.read(found)).isNull();
        house.access.readFailure = null;
        found.release();

        house.put(3);

        assertThat(house.version(1)).isEqualTo(2);
        try (var next = next()) {
            assertThat(next.version(1)).isEqualTo(2);
        }
    }

    @Test
    void removalsThatCannotBeWrittenAreWrittenLater() throws IOException {
        lose(1);
        house.access.writeFailure = FAILURE;
        house.log.seal();
        house.log.flush();
        assertThat(house.log.stats().isPaused()).isTrue();
        house.log.remove(LogHouse.id(1));

        house.access.writeFailure = null;
        house.clock.pass(PAUSE);
        house.put(3);

        assertThat(house.log.mayHaveOthers()).isFalse();
        try (var next = next()) {
            assertThat(next.version(1)).isNull();
            assertThat(next.version(2)).isEqualTo(1);
            assertThat(next.version(3)).isEqualTo(1);
        }
    }

    /** If the newer one is not written, the older one must not take its place. */
    @Test
    void recordThatIsLostWhileANewerOneIsAppendedDoesNotComeBack() throws IOException {
        house.whileAppending = () -> lose(1);
        house.append(1, 2, 500);
        house.whileAppending = () -> {};
        house.access.writeFailure = FAILURE;

        house.log.flush();

        try (var next = next()) {
            assertThat(next.version(1)).isNull();
        }
    }
}
