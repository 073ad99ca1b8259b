package dev.quire.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Content codings. */
class Rfc9110Section8_4_1Test {

    @ParameterizedTest
    @CsvSource({"gzip, GZIP", "X-GZip, GZIP", "deflate, DEFLATE", "' gzip ', GZIP", "BR, BROTLI"})
    void codingIsUndone(String name, ContentCoding coding) {
        assertThat(ContentCoding.of(Fields.of("Content-Encoding", name))).isEqualTo(coding);
        assertThat(coding.isUndoable()).isTrue();
        assertThat(coding.isCoded()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"compress", "gzip, gzip", "zstd"})
    void otherCodingsAreNotUndone(String name) {
        var coding = ContentCoding.of(Fields.of("Content-Encoding", name));

        assertThat(coding.isCoded()).isTrue();
        assertThat(coding.isUndoable()).isFalse();
    }

    @Test
    void severalLinesAreSeveralCodings() {
        var lines = Fields.of("Content-Encoding", "gzip", "Content-Encoding", "deflate");

        assertThat(ContentCoding.of(lines)).isEqualTo(ContentCoding.OTHER);
    }

    @Test
    void identityIsNoCoding() {
        assertThat(ContentCoding.of(Fields.of("Content-Encoding", "Identity")).isCoded()).isFalse();
        assertThat(ContentCoding.of(Fields.EMPTY).isCoded()).isFalse();
    }
}
