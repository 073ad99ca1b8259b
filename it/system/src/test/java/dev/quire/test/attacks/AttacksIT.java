package dev.quire.test.attacks;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every hostile dialogue against Quire. A failure names the file, the line and its rule. */
class AttacksIT {
    /** Relative to the module's folder, where its tests run. */
    private static final Path FOLDER = Path.of("src/test/resources/attacks");

    private static final int LEAST = 80;

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
        assertTrue(dialogues().size() >= LEAST);
    }
}
