package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CompressionTest {

    @ParameterizedTest
    @CsvSource({"ESI, true, false", "ALL, true, true", "OFF, false, false"})
    void modeSaysWhatIsCompressed(Compression mode, boolean pages, boolean bodies) {
        var head = head(200, "Content-Type", "text/html");

        assertThat(mode.mayCompress(head, true, 10)).isEqualTo(pages);
        assertThat(mode.mayCompress(head, false, 10_000)).isEqualTo(bodies);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/css",
                "TEXT/HTML; charset=utf-8",
                "application/json",
                "application/ld+json",
                "image/svg+xml",
                "application/javascript ;x=y",
            })
    void textIsWorthCompressing(String type) {
        assertThat(Compression.ALL.mayCompress(head(200, "Content-Type", type), false, 512))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"image/png", "video/mp4", "application/zip", "font/woff2", "", "text"})
    void whatIsCompressedByItsNatureIsNot(String type) {
        assertThat(Compression.ALL.mayCompress(head(200, "Content-Type", type), false, 10_000))
                .isFalse();
    }

    @Test
    void shortBodiesAndThoseOfNoTypeAreLeftAlone() {
        var text = head(200, "Content-Type", "text/plain");

        assertThat(Compression.ALL.mayCompress(text, false, 511)).isFalse();
        assertThat(Compression.ALL.mayCompress(text, false, -1)).isTrue();
        assertThat(Compression.ALL.mayCompress(head(200), false, 10_000)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Cache-Control    | max-age=60, No-Transform",
                "Content-Encoding | br",
                "Content-Encoding | identity, gzip",
                "Content-Range    | bytes 0-1/2",
            })
    void whatMustNotBeTransformedOrIsCodedIsLeftAlone(String name, String value) {
        var head = head(200, "Content-Type", "text/html", name, value);

        assertThat(Compression.ALL.mayCompress(head, true, 10_000)).isFalse();
        assertThat(Compression.ALL.mayCompress(head, false, 10_000)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 205, 206, 304})
    void statusesWithoutAWholeBodyAreLeftAlone(int status) {
        assertThat(Compression.ESI.mayCompress(head(status), true, 10_000)).isFalse();
    }

    @Test
    void codingCalledIdentityIsNone() {
        var head = head(200, "Content-Type", "text/html", "Content-Encoding", "identity");

        assertThat(Compression.ALL.mayCompress(head, false, 10_000)).isTrue();
    }

    private static ResponseHead head(int status, String... fields) {
        return new ResponseHead(status, "", Fields.of(fields));
    }
}
