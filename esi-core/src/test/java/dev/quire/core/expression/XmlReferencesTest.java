package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/esi.md, Tags: five entities and characters by number, once. */
class XmlReferencesTest {

    @ParameterizedTest
    @CsvSource({
        "a&amp;b, a&b",
        "&lt;&gt;&quot;, <>\"",
        "x&apos;, x'",
        "&#65;&#x41;&#x6a;, AAj",
        "&#0000065;, A",
        "&amp;amp;, &amp;",
        "&&amp;, &&",
        "&amp&amp;, &amp&",
        "a&#233;, a\u00c3\u00a9",
        "a&#x1F600;, a\u00f0\u009f\u0098\u0080",
        "&#10FFFF;&#x10FFFF;, &#10FFFF;\u00f4\u008f\u00bf\u00bf"
    })
    void referencesBecomeTheBytesTheyStandFor(String value, String decoded) {
        assertThat(XmlReferences.decode(value)).isEqualTo(decoded);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plain",
                "&",
                "&;",
                "&amp",
                "&AMP;",
                "&copy;",
                "&copy=2",
                "&nbsp;",
                "&#;",
                "&#x;",
                "&#0;",
                "&#xD800;",
                "&#x110000;",
                "&#99999999999;",
                "&#-1;",
                "&#x-1;",
                "&#X41;",
                "&#6 5;",
                "& amp;",
                "&#\u00b2;"
            })
    void everythingElseStays(String value) {
        assertThat(XmlReferences.decode(value)).isEqualTo(value);
    }
}
