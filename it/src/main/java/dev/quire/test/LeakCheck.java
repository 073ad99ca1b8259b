package dev.quire.test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One run of a {@link LeakDetector}, target by target. One thread. */
final class LeakCheck {
    private final List<User> users;
    private final Ignored ignored;
    private final List<String> checked = new ArrayList<>();
    private final Findings findings = new Findings();
    private final ReaderProbe readers;
    private final AnswerDifferences documents;
    private final SingleAnswerChecks single;
    private final ReaderComparison comparison;
    private final FieldProbes fields;
    private final ArgumentProbes arguments;

    LeakCheck(EsiSite site, List<User> users, Ignored ignored, Set<Integer> keptOnPurpose) {
        this.users = users;
        this.ignored = ignored;
        this.readers = new ReaderProbe(site, findings);
        this.documents = new AnswerDifferences(ignored, readers, findings);
        this.single = new SingleAnswerChecks(keptOnPurpose, readers, documents, findings);
        this.comparison = new ReaderComparison(users, readers, documents, findings);
        this.fields = new FieldProbes(readers, documents, findings);
        this.arguments = new ArgumentProbes(readers, single, documents, findings);
    }

    /** Notes that {@code handler} could not be asked for. */
    void cannotAsk(FragmentHandler handler) {
        findings.add(
                new Findings.Place(handler.name(), handler, ""),
                LeakCause.NOT_ASKED,
                handler.missing().isEmpty()
                        ? "its path " + String.join(", ", handler.paths()) + " stands for many"
                        : "nobody says what " + String.join(" and ", handler.missing()) + " may be",
                "",
                Map.of(),
                "",
                List.of());
    }

    /**
     * Asks for {@code target}, which {@code handler} answers if that is known.
     *
     * @param from what of the test, or who else, says to ask for it
     */
    void check(String target, @Nullable FragmentHandler handler, String from) {
        documents.forget();
        var where = new Findings.Place(target, handler, from);
        Map<User, SharedAnswer> first = new LinkedHashMap<>();
        Map<User, SharedAnswer> again = new LinkedHashMap<>();
        for (var all : List.of(first, again)) {
            for (var user : users) {
                readers.ask(where, user).ifPresent(answer -> all.put(user, answer));
            }
        }
        readers.learnSecrets(users);
        if (first.values().stream().noneMatch(single::isAnswer)) {
            single.noAnswer(where, first.values());
            return;
        }
        if (first.values().stream().noneMatch(SharedAnswer::isShared)) {
            single.notShared(where, first.values());
            return;
        }
        checked.add(target);
        single.keptForSome(where, first);
        for (var all : List.of(first, again)) {
            all.values().stream()
                    .filter(SharedAnswer::isShared)
                    .forEach(answer -> single.alone(where, answer));
        }
        var changes = comparison.changes(where, first, again);
        comparison.betweenUsers(where, first, changes);
        var usual =
                first.values().stream().filter(SharedAnswer::isShared).findFirst().orElseThrow();
        fields.check(where, usual, changes);
        arguments.check(where, usual);
    }

    /** All that was found, in the order of targets, then of causes. */
    LeakReport report() {
        for (var rule : ignored.unmet()) {
            findings.note(
                    rule + " selects nothing: take it out, or look whether it is spelled right");
        }
        return findings.report(users, checked);
    }
}
