package dev.quire.proxy.disk;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a log that is closed after each. */
abstract class InLogHouse {
    @TempDir Path temporary;

    LogHouse house;

    @BeforeEach
    void open() throws IOException {
        house = new LogHouse(temporary.resolve("log"));
    }

    @AfterEach
    void close() throws IOException {
        house.close();
    }
}
