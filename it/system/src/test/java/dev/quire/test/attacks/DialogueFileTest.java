package dev.quire.test.attacks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.test.attacks.Dialogue.Step;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DialogueFileTest {
    private static final String HEAD = "rule R\nsection S\n";
    private static final String EXPECT = "control\n  GET / HTTP/1.1\nexpect status is 200\n";

    private static Step.Request request(String text) throws InvalidDialogue {
        var steps = DialogueFile.parse("a.attack", HEAD + text + EXPECT).steps();
        return (Step.Request) steps.getFirst();
    }

    private static String bytes(String text) throws InvalidDialogue {
        return request(text).bytes().filled(UnaryOperator.identity());
    }

    @Test
    void requestLinesEndInCrlf() throws InvalidDialogue {
        assertThat(bytes("victim\n  GET / HTTP/1.1\n  Host: a\n\n"))
                .isEqualTo("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    @Test
    void bodyIsBehindAnEmptyLine() throws InvalidDialogue {
        assertThat(bytes("victim\n  POST / HTTP/1.1\n\n  a\n  b\n"))
                .isEqualTo("POST / HTTP/1.1\r\n\r\na\r\nb");
    }

    @Test
    void rawRequestsHaveOnlyTheWrittenBytes() throws InvalidDialogue {
        assertThat(bytes("attacker raw\n  GET / HTTP/1.1\\n\n  \\x41\\0\\\\\n"))
                .isEqualTo("GET / HTTP/1.1\nA\0\\");
    }

    @Test
    void textIsRepeated() throws InvalidDialogue {
        assertThat(bytes("attacker raw\n  ${times 3 a\\r\\n}b\n")).isEqualTo("a\r\na\r\na\r\nb");
    }

    @Test
    void wordsOfARequest() throws InvalidDialogue {
        var request = request("victim again open from 127.0.0.2\n  GET / HTTP/1.1\n");

        assertThat(request.isAgain()).isTrue();
        assertThat(request.isOpen()).isTrue();
        assertThat(request.from()).isEqualTo("127.0.0.2");
    }

    /** A tilde is a line break. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "origin page                    | 3: 'page' (expected a path that starts with",
                "origin /~  Vary: a             | 4: no status line (expected a final status",
                "origin /~  200~  Vary          | 5: 'Vary' (expected a field line)",
                "origin /~  200~~  ${field}     | 4: unknown placeholder '${field}' (expected one",
                "origin /~  200~~  ${times a b} | 4: '${times a b}' (expected ${times NUMBER TEXT})",
                "config trusted                 | 3: 'trusted' (expected a section with its YAML",
                "victim now~  GET /             | 3: unknown word 'now' (expected again, open, raw",
                "victim from 10.0.0.1~  GET /   | 3: 'from' without an address of the loopback",
                "victim                         | 3: no request (expected its lines below",
                "victim~  a\\q                  | 4: unknown escape '\\q' (expected \\r, \\n,",
                "victim~  ${field Host}         | 4: unknown placeholder '${field Host}'",
                "victim~  ${origin              | 4: '${' is not closed (expected '}')",
                "expect                         | 3: expect: the line ends (expected a subject)",
                "expect state is 200            | 3: expect: 'state' (expected one of [body,",
                "expect status 200              | 3: expect: '200' (expected one of is, is not",
                "expect closed now              | 3: expect: 'now' (expected the end of the line)",
                "expect origin saw 1            | 3: expect: 'saw' (expected one of [asked, field",
                "expect origin asked for x is 1 | 3: expect: 'x' (expected a path that starts",
                "for squid                      | 3: 'squid' (expected some of nginx, quire",
                "rule again                     | 3: the text is empty or repeated",
                "atacker                        | 3: unknown command 'atacker' (expected one of",
                "expect closed~  text           | 4: content below 'expect' (expected a command)"
            })
    void problemsHaveAPosition(String lines, String problem) {
        var text = HEAD + lines.replace('~', '\n') + "\n" + EXPECT;

        assertThatThrownBy(() -> DialogueFile.parse("a.attack", text))
                .isInstanceOf(InvalidDialogue.class)
                .hasMessageStartingWith("a.attack:" + problem);
    }

    @Test
    void ruleSectionAndExpectationAreRequired() {
        assertThatThrownBy(() -> DialogueFile.parse("a.attack", "# nothing\n"))
                .isInstanceOf(InvalidDialogue.class)
                .hasMessageContaining("a.attack:1: it has no rule or no section")
                .hasMessageContaining("a.attack:1: it expects nothing (")
                .hasMessageContaining("a.attack:1: it expects nothing of a control (");
    }

    @Test
    void somethingIsExpectedOfAControl() {
        var attack = HEAD + "attacker\n  GET / HTTP/1.1\nexpect refused\n";
        var control = "control\n  GET / HTTP/1.1\n";

        assertThatThrownBy(() -> DialogueFile.parse("a.attack", attack + control))
                .isInstanceOf(InvalidDialogue.class)
                .hasMessage(
                        "a.attack:1: it expects nothing of a control"
                                + " (expected 'control', then 'expect …')");
        assertThatCode(() -> DialogueFile.parse("a.attack", attack + control + "expect closed\n"))
                .doesNotThrowAnyException();
    }
}
