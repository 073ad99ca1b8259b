package dev.quire.core.expression;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Searches for expressions that crash the evaluator or leak data. Known ones are in the resources
 * of this package; {@code bin/fuzz} searches for more.
 */
class ExpressionFuzzTest {

    @FuzzTest
    void anyScript(byte[] data) {
        Script.run(new String(data, ISO_8859_1));
    }
}
