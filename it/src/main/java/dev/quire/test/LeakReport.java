package dev.quire.test;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What a {@link LeakDetector} has found out.
 *
 * @param users who asked, by name
 * @param checked the targets whose answers may be kept for others, in the order they were asked for
 * @param findings what is wrong, by target in that order, then by cause
 * @param notes what is not wrong but good to know: which paths were not checked, since what is
 *     there is each reader's own
 */
public record LeakReport(
        List<String> users, List<String> checked, List<LeakFinding> findings, List<String> notes) {

    public LeakReport {
        users = List.copyOf(users);
        checked = List.copyOf(checked);
        findings = List.copyOf(findings);
        notes = List.copyOf(notes);
    }

    /** All of it, as a failing test shows it. */
    public String text() {
        var head =
                "%s in %s, requested by %s"
                        .formatted(
                                counted(findings.size(), "finding"),
                                counted(checked.size(), "public response"),
                                String.join(", ", users));
        var found =
                findings.stream()
                        .map(finding -> "\n\n" + finding.text())
                        .collect(Collectors.joining());
        var noted = notes.stream().map(note -> "\nnote: " + note).collect(Collectors.joining());
        return head + found + (noted.isEmpty() ? "" : "\n" + noted);
    }

    private static String counted(int count, String what) {
        return count == 0 ? "no " + what + "s" : count + " " + what + (count == 1 ? "" : "s");
    }

    @Override
    public String toString() {
        return text();
    }
}
