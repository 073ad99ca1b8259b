package dev.quire.core.assemble;

import org.junit.jupiter.api.BeforeEach;

/**
 * Plans that were written to bytes and read back are evaluated for each request in the same way.
 */
class RereadEvaluatedPageTest extends EvaluatedPageTest {
    @BeforeEach
    void plansAreReread() {
        source.isReread = true;
    }
}
