package dev.quire.core.parse;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Looks for a document the parser does not stand. The kept ones lie beside the resources of this
 * package, one a file; {@code bin/fuzz} looks for more.
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
