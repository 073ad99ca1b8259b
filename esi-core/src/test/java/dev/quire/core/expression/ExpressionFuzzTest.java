package dev.quire.core.expression;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Looks for expressions that are not stood, or that let out what they must not. The kept ones lie
 * beside the resources of this package; {@code bin/fuzz} looks for more.
 */
class ExpressionFuzzTest {

    @FuzzTest
    void anyScript(byte[] data) {
        Script.run(new String(data, ISO_8859_1));
    }
}
