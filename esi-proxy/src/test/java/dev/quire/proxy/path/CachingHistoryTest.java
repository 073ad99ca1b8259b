package dev.quire.proxy.path;

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
}
