package dev.quire.test.attacks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.junit.internal.OverHttp2;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The hostile dialogues against Quire over HTTP/2 and TLS. */
@OverHttp2
class AttacksOverHttp2IT {
    private static final Path FOLDER = Path.of("src/test/resources/attacks");

    /** Dialogues that only HTTP/1.1 can express, and why. */
    private static final Map<String, String> ONLY_HTTP1 =
            Map.ofEntries(
                    Map.entry("absolute-form-https", "a target has no scheme of its own"),
                    Map.entry("chunk-.*", "HTTP/2 has no chunks"),
                    Map.entry("connection-.*", "a Connection field is malformed in HTTP/2"),
                    Map.entry("http10-.*", "it is about HTTP/1.0"),
                    Map.entry("pipelined-.*", "streams are independent"),
                    Map.entry("query-bytes-smuggled-line", "it is about the request line"),
                    Map.entry("smuggling-.*", "it is about the framing of HTTP/1.1"),
                    Map.entry("upgrade-h2c", "HTTP/2 has no Upgrade"),
                    Map.entry("version-.*", "it is about the request line"),
                    Map.entry("websocket-.*", "HTTP/2 has no Upgrade; WebSockets begin otherwise"));

    private final DialogueRunner runner = new DialogueRunner(new QuireTarget());

    static List<String> dialogues() throws InvalidDialogue {
        return AttacksIT.dialogues().stream()
                .filter(file -> ONLY_HTTP1.keySet().stream().noneMatch(name -> is(file, name)))
                .toList();
    }

    private static boolean is(String file, String name) {
        return file.matches(name + "\\.attack");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("dialogues")
    void withstands(String file) throws InvalidDialogue {
        runner.run(DialogueFile.readAll(FOLDER.resolve(file)).getFirst());
    }

    @Test
    void exceptionsAreDialogues() throws InvalidDialogue {
        var all = AttacksIT.dialogues();

        assertThat(ONLY_HTTP1.keySet())
                .allSatisfy(name -> assertThat(all).anyMatch(file -> is(file, name)));
        assertThat(dialogues()).hasSizeGreaterThan(all.size() * 4 / 5);
    }
}
