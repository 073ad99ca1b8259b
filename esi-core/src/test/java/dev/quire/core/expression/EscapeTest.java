package dev.quire.core.expression;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.Value.Source;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Escaping in pages and references: docs/esi.md, Variables. */
class EscapeTest {

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "MARKUP ~ <a href=\"x\">'&é ~ &lt;a href=\"x\"&gt;'&é",
                "HTML ~ <a href=\"x\">'&é ~ &lt;a href=&quot;x&quot;&gt;&#39;&amp;é",
                "JSON ~ a\"\\/<é ~ a\\\"\\\\/<é",
                "JS ~ </script>'\"`$&\\ ~ \\x3C\\x2Fscript\\x3E\\x27\\x22\\x60\\x24\\x26\\\\",
                "URL ~ a b/é?&=~_-. ~ a%20b%2F%E9%3F%26%3D~_-.",
                "NONE ~ <\"'&\\> ~ <\"'&\\>",
            })
    void textIsWrittenIntoItsPlace(Escape escape, String text, String written) {
        var clean = text.strip();

        assertThat(escape.applied(clean)).isEqualTo(written.strip());
        assertThat(new String(escape.applied(clean.getBytes(ISO_8859_1)), ISO_8859_1))
                .isEqualTo(written.strip());
    }

    @Test
    void controlCharactersAreNumbersInStrings() {
        assertThat(Escape.JSON.applied("a\n\r\t\0\u001f")).isEqualTo("a\\n\\r\\t\\u0000\\u001F");
        assertThat(Escape.JS.applied("a\n\r\t\0")).isEqualTo("a\\n\\r\\x09\\x00");
    }

    @Test
    void textWithNothingToReplaceIsNotCopied() {
        var bytes = "plain".getBytes(ISO_8859_1);

        assertThat(Escape.HTML.applied(bytes)).isSameAs(bytes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "$(QUERY_STRING{x}) ~ &lt;i&gt;",
                "$(RAW_QUERY_STRING{x}) ~ <i>",
                "$upper($(QUERY_STRING{x})) ~ &lt;I&gt;",
                "$(own) ~ <b>",
                "$(own{k}|$(QUERY_STRING{x})) ~ &lt;i&gt;",
                "$url_decode('%3Cb%3E') ~ <b>",
                "$url_decode($(QUERY_STRING{y})) ~ &lt;b&gt;",
                "$url_decode('<i>' + $(QUERY_STRING{y})) ~ &lt;i&gt;&lt;b&gt;",
                "$html_decode('<i>' + $(QUERY_STRING{x})) ~ &lt;i&gt;&lt;i&gt;",
                "$base64_decode($base64_encode('<i>' + $(QUERY_STRING{x}))) ~ &lt;i&gt;&lt;i&gt;",
                "$html_decode($url_decode($(QUERY_STRING{z}))) ~ &lt;",
                "$join(['<b>', $(QUERY_STRING{x})], '') ~ <b>&lt;i&gt;",
                "$replace('<b>NAME</b>', 'NAME', $(QUERY_STRING{x})) ~ <b>&lt;i&gt;</b>",
                "$replace($(QUERY_STRING{x}), 'i', '<b>') ~ &lt;<b>&gt;",
                "$str(['<b>', $(QUERY_STRING{x})]) ~ <b>,&lt;i&gt;",
                "$str({'<b>': 1, $(QUERY_STRING{x}): 2}) ~ <b>=1&&lt;i&gt;=2",
                "$string_split($(QUERY_STRING{x}), 'i') ~ &lt;,&gt;",
                "$substr($(QUERY_STRING{x}), 0, 1) ~ &lt;",
                "$html_encode($(QUERY_STRING{x})) ~ &lt;i&gt;",
            })
    void whatComesOfTheRequestIsEscapedAndWhatTheAuthorWroteIsNot(String text, String written) {
        var document = TestDocument.of("/?x=<i>&y=%3Cb%3E&z=%26lt;").assign("own", "'<b>'");

        assertThat(document.written(text)).isEqualTo(written);
    }

    @Test
    void requestTextIsEscapedWhereItJoinsTheAuthorsMarkup() {
        var document =
                TestDocument.of("/?x=<i>").assign("bold", "'<b>' + $(QUERY_STRING{x}) + '</b>'");

        assertThat(document.written("$(bold)")).isEqualTo("<b>&lt;i&gt;</b>");
        assertThat(document.written("$(bold)", Escape.NONE)).isEqualTo("<b>&lt;i&gt;</b>");
        assertThat(document.evaluate("$(bold)"))
                .isEqualTo(new Value.Text("<b>&lt;i&gt;</b>", Source.ADDRESS, true));
    }

    @Test
    void requestTextJoinedWithAuthorsWordsStaysComparableAndIsEscapedWhenWritten() {
        var document = TestDocument.of("/?x=<i>").assign("hello", "'hello ' + $(QUERY_STRING{x})");

        assertThat(document.test("$(hello) == 'hello <i>'")).isTrue();
        assertThat(document.written("$(hello)")).isEqualTo("hello &lt;i&gt;");
        assertThat(document.written("$(hello)", Escape.JSON)).isEqualTo("hello \\u003ci\\u003e");
    }

    @Test
    void longAssignsJoinLikeOperators() {
        var document = TestDocument.of("/?x=<i>", "Cookie", "JSESSIONID=s");
        var markup = new Value.Text("<b>", Source.AUTHOR);
        var request = document.evaluate("$(QUERY_STRING{x})");
        var list = document.evaluate("[1]");

        assertThat(document.scope.joined(List.of(markup, request)))
                .isEqualTo(new Value.Text("<b>&lt;i&gt;", Source.ADDRESS, true));
        assertThat(document.scope.joined(List.of(list))).isSameAs(list);
        assertThat(document.scope.joined(List.of())).isEqualTo(Value.Text.EMPTY);
        assertThat(
                        document.scope.joined(
                                List.of(markup, document.scope.escaped(request, Escape.URL))))
                .isEqualTo(new Value.Text("<b>%3Ci%3E", Source.ADDRESS, true));
        assertThat(
                        document.scope.written(
                                document.scope.joined(
                                        List.of(
                                                markup,
                                                document.evaluate("$(HTTP_COOKIE{JSESSIONID})"))),
                                Escape.MARKUP))
                .isEmpty();
    }

    @Test
    void operatorsMaySwitchEscapingOff() {
        var rules = new VariableRules(List.of(), false, Optional.empty(), Map.of(), false);
        var document = TestDocument.of(rules, "/?x=<i>");

        assertThat(document.written("$(QUERY_STRING{x})")).isEqualTo("<i>");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "/p?$(QUERY_STRING)&t=$(HTTP_X) ~ /p?a=b&c=%22x%20y%22&t=1%232%5C%0D%C3 ~ /p?a=b&c=%22x%20y%22&t=",
                "/$(own)/$(HTTP_COOKIE{ok})/$(HTTP_COOKIE{sessionid}) ~ /<é>/1/ ~ /<é>//",
                "//$(HTTP_HOST)/a[]=$(QUERY_STRING{a}) ~ //example.test/a[]=b ~ //example.test/a[]=b",
                "/$upper($(HTTP_COOKIE{ok}) + $(QUERY_STRING{a})) ~ /1B ~ /",
            })
    void referencesHoldWhatMayStandThereAndAForeignHostLearnsOnlyTheAddress(
            String text, String own, String foreign) {
        var document =
                TestDocument.of(
                                "/?a=b&c=\"x y\"",
                                "X",
                                "1#2\\\r\u00c3",
                                "Cookie",
                                "ok=1; sessionid=s")
                        .assign("own", "'<é>'");
        var template = document.template(text);

        assertThat(document.scope.reference(template, false).text()).isEqualTo(own);
        assertThat(document.scope.reference(template, true).text()).isEqualTo(foreign);
    }
}
