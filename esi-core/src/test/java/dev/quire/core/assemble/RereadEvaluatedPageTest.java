package dev.quire.core.assemble;

import org.junit.jupiter.api.BeforeEach;

/**
 * Pages are evaluated for each request alike when their plans have been written to bytes and read
 * back.
 */
class RereadEvaluatedPageTest extends EvaluatedPageTest {
    @BeforeEach
    void plansAreReread() {
        source.isReread = true;
    }
}
