package dev.quire.test;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The result of a {@link LeakDetector}.
 *
 * @param users the names of the users
 * @param checked the targets with public responses, in request order
 * @param findings by target in that order, then by cause
 * @param notes remarks that are not findings, such as paths that were not checked because they are
 *     private
 */
public record LeakReport(
        List<String> users, List<String> checked, List<LeakFinding> findings, List<String> notes) {

    public LeakReport {
        users = List.copyOf(users);
        checked = List.copyOf(checked);
        findings = List.copyOf(findings);
        notes = List.copyOf(notes);
    }

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
