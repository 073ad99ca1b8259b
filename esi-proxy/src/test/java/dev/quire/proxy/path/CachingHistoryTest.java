package dev.quire.proxy.path;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Whatever happens, the product does as the reference model of a shared cache does: what reaches
 * the origin and under which conditions, and what each client gets.
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
