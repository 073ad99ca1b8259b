package dev.quire.test.attacks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every hostile dialogue against Quire. A failure names the file, the line and its rule. */
class AttacksIT {
    /** Relative to the module's folder, where its tests run. */
    private static final Path FOLDER = Path.of("src/test/resources/attacks");

    private static final int LEAST = 80;

    private static final String PAGE =
            """
            rule A page is what the origin says
            section RFC 9110 1
            origin /page
              200

              hello
            attacker
              GET /page HTTP/1.1
              Host: site.example
            """;

    private static final String CONTROL =
            """
            control
              GET /page HTTP/1.1
              Host: site.example
            expect status is 200
            """;

    private final DialogueRunner runner = new DialogueRunner(new QuireTarget());

    static List<String> dialogues() throws InvalidDialogue {
        return DialogueFile.readAll(FOLDER).stream()
                .filter(dialogue -> dialogue.subjects().contains("quire"))
                .map(Dialogue::file)
                .toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("dialogues")
    void withstands(String file) throws InvalidDialogue {
        runner.run(DialogueFile.readAll(FOLDER.resolve(file)).getFirst());
    }

    /** A lost folder or a wrong filter must not pass. */
    @Test
    void allAreHere() throws InvalidDialogue {
        assertThat(dialogues()).hasSizeGreaterThanOrEqualTo(LEAST);
    }

    @Test
    void failureNamesLineExpectedAndFound() throws InvalidDialogue {
        var dialogue = DialogueFile.parse("wrong.attack", PAGE + "expect body is bye\n" + CONTROL);

        assertThatThrownBy(() -> runner.run(dialogue))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith(
                        """
                        wrong.attack:10: body: expected: is "bye"; found: "hello"
                          rule: A page is what the origin says (RFC 9110 1)
                          sent: "GET /page HTTP/1.1\\r\\nHost: site.example\
                        """);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "expect status is not 200",
                "expect body contains bye",
                "expect body lacks hello",
                "expect field Date absent",
                "expect field X-Other present",
                "expect origin asked is 0",
                "expect origin asked for /page is 2",
                "expect origin target is /other",
                "expect origin field Host is other.example",
                "expect other target is /page",
                "expect refused"
            })
    void expectationsCanFail(String line) throws InvalidDialogue {
        var dialogue = DialogueFile.parse("wrong.attack", PAGE + line + "\n" + CONTROL);

        assertThatThrownBy(() -> runner.run(dialogue))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("wrong.attack:10: ");
    }

    @Test
    void commandReportsBrokenRules(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("a.attack"), PAGE + "expect body is hello\n" + CONTROL);
        Files.writeString(folder.resolve("b.attack"), PAGE + "expect body is bye\n" + CONTROL);
        Files.writeString(folder.resolve("c.attack"), "for nginx\n" + PAGE + CONTROL);
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();

        int status =
                Attacks.run(
                        new String[] {"quire", folder.toString()},
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8));

        assertThat(status).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith("held   a.attack\nbroke  b.attack\nb.attack:10: body: expected: is ")
                .endsWith("quire: 1 held, 1 broke, 1 do not apply\n");
    }

    /** The proxy, under the name of a peer, fails the honest case. */
    @Test
    void failedControlIsNoResultAboutAPeer() throws InvalidDialogue {
        var dialogue =
                DialogueFile.parse("a.attack", PAGE + CONTROL + "expect origin asked is 7\n");
        var attacked = DialogueFile.parse("b.attack", PAGE + "expect refused\n" + CONTROL);

        assertThatThrownBy(() -> runner.run(dialogue))
                .isInstanceOf(DialogueRunner.ControlFailed.class);
        assertThatThrownBy(() -> runner.run(attacked))
                .isInstanceOf(AssertionError.class)
                .isNotInstanceOf(DialogueRunner.ControlFailed.class);
        assertThat(reported(new QuireTarget(), dialogue))
                .startsWith("broke  a.attack\na.attack:14: requests for origin: expected: is ")
                .endsWith("quire: 0 held, 1 broke, 0 do not apply\n");
        assertThat(reported(peer(), dialogue))
                .startsWith("skip   a.attack: the honest case fails too\na.attack:14: requests ")
                .endsWith("varnish: 0 held, 0 broke, 1 do not apply\n");
        assertThat(reported(peer(), attacked)).startsWith("broke  b.attack\nb.attack:10: ");
    }

    private static String reported(AttackTarget target, Dialogue dialogue) {
        var out = new ByteArrayOutputStream();
        Attacks.run(target, List.of(dialogue), new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8);
    }

    private static AttackTarget peer() {
        return new AttackTarget() {
            @Override
            public String name() {
                return "varnish";
            }

            @Override
            public Running start(
                    InetSocketAddress origin, InetSocketAddress other, Map<String, String> config) {
                return new QuireTarget().start(origin, other, config);
            }
        };
    }

    @Test
    void commandNamesInvalidFiles(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("a.attack"), "atacker\n");
        var err = new ByteArrayOutputStream();

        int status =
                Attacks.run(
                        new String[] {"quire", folder.toString()},
                        System.out,
                        new PrintStream(err, true, StandardCharsets.UTF_8));

        assertThat(status).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("a.attack:1: unknown command 'atacker' (expected one of attacker, ");
    }
}
