package dev.quire.test.attacks;

import java.util.List;

/** A file that is not a dialogue, with all its problems. */
final class InvalidDialogue extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    /** Problems as {@code FILE:LINE: what is wrong (what was expected)}. */
    InvalidDialogue(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    List<String> problems() {
        return problems;
    }
}
