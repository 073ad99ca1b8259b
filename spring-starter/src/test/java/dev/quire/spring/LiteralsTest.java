package dev.quire.spring;

import static dev.quire.spring.LanguageTest.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.util.HtmlUtils;

/** Values that a template's expression writes into an ESI element: nothing in them runs. */
@SpringBootTest(
        classes = {Site.class, Readers.class, LiteralsTest.Values.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@ExtendWith(OutputCaptureExtension.class)
class LiteralsTest {

    @LocalServerPort private int port;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$(HTTP_COOKIE{theme})",
                "\"><esi:include src='/fragments/spare'/>",
                "<script>",
                "x' == 'x",
                "'''quotes'''",
                "'",
                "''",
                "back\\slash\\",
                "[1, 2]",
                "plain"
            })
    void aValueIsALiteral(String value) {
        var page =
                Visitor.of(port)
                        .with("Cookie", "theme=CANARY")
                        .get("/literals?text=" + encoded(value))
                        .body()
                        .replace("&apos;", "&#39;");

        assertThat(page)
                .contains("(" + HtmlUtils.htmlEscape(value) + ")")
                .contains("[" + HtmlUtils.htmlEscape(value) + "]")
                .contains("[<i>own</i>]")
                .doesNotContain("CANARY", "<script>");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x' == 'x' | '1", "1|1", "$(HTTP_COOKIE)"})
    void aConditionIsNotMadeOfValues(String value, CapturedOutput output) {
        assertThat(Visitor.of(port).get("/condition?text=" + encoded(value)).statusCode())
                .isEqualTo(500);
        assertThat(output.getAll()).contains("test of esi:when comes from an expression");
    }

    @Test
    void aConditionMayBeAPlainWord() {
        assertThat(Visitor.of(port).get("/condition?text=true").body()).contains("yes");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "a,      `'''a'''`",
                "``,     `''`",
                "O'Brien, `'''O''' + \"'\" + '''Brien'''`",
                "',      `\"'\"`",
            })
    void codeWritesThemToo(String value, String literal) {
        assertThat(Esi.literal(value)).isEqualTo(literal);
    }

    @Controller
    static class Values {

        @GetMapping("/literals")
        String literals(@RequestParam String text, Model model) {
            model.addAttribute("text", text);
            return "literals";
        }

        @GetMapping("/condition")
        String condition(@RequestParam String text, Model model) {
            model.addAttribute("text", text);
            return "condition";
        }

        @GetMapping(path = "/echo-query", produces = Site.HTML)
        @ResponseBody
        String echo(@RequestParam String q) {
            return "(" + HtmlUtils.htmlEscape(q) + ")";
        }
    }
}
