package dev.quire.proxy.cel;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Searches for expressions that crash the compiler or an evaluation; see {@code bin/fuzz}. */
class CelExpressionsFuzzTest {

    @FuzzTest
    void anyExpression(byte[] data) {
        HostileExpression.run(new String(data, UTF_8));
    }
}
