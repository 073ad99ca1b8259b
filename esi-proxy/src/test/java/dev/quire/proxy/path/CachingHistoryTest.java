package dev.quire.proxy.path;

import dev.quire.proxy.disk.TemporaryDirectory;
import java.io.IOException;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * For random histories the proxy behaves like the reference model of a shared cache: it sends the
 * same conditional requests to the origin and the same responses to each client.
 */
class CachingHistoryTest {

    @Provide
    Arbitrary<History> histories() {
        return Histories.any();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void productAgreesWithTheReferenceModel(@ForAll("histories") History history) {
        HistoryRun.of(history);
    }

    @Provide
    Arbitrary<History> historiesWithRestarts() {
        return Histories.withRestarts();
    }

    @Property(tries = 120, edgeCases = EdgeCasesMode.NONE)
    void productWithoutMemoryAgreesWithTheReferenceModel(
            @ForAll("historiesWithRestarts") History history) throws IOException {
        try (var directory = TemporaryDirectory.create()) {
            HistoryRun.onDisk(history, directory.path());
        }
    }
}
