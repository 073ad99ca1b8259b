package dev.quire.core.parse;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Searches for a document that crashes the parser. Known ones are in the resources of this package,
 * one in each file; {@code bin/fuzz} searches for more.
 */
class EsiParserFuzzTest {

    @FuzzTest
    void anyDocument(byte[] data) {
        var document = new CutDocument(data);

        var page = document.parse();

        document.check(page);
        assertThat(document.parse(1)).isEqualTo(page);
        assertThat(document.parse(3, 1, 16)).isEqualTo(page);
    }
}
