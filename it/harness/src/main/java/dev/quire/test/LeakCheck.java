package dev.quire.test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One run of a {@link LeakDetector}, target by target. One thread. */
final class LeakCheck {
    /** Request fields and alternative values for them. */
    private static final List<Probe> PROBES =
            List.of(
                    new Probe("Accept-Language", "ko-KR,ko;q=0.9,ja;q=0.8,zh;q=0.7"),
                    new Probe("Accept-Language", "de-DE,de;q=0.9,nl;q=0.8,sv;q=0.7"),
                    new Probe("Accept-Language", "fr-FR,fr;q=0.9,es;q=0.8,it;q=0.7,pt;q=0.6"),
                    new Probe(
                            "User-Agent",
                            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"),
                    new Probe("Accept", "application/json"),
                    new Probe("Accept", "application/xml"),
                    new Probe("Referer", "http://elsewhere.example/results?q=news"),
                    new Probe("Origin", "http://elsewhere.example"),
                    new Probe("X-Requested-With", "XMLHttpRequest"),
                    new Probe("Cookie", "theme=dark; consent=none; " + living("ko", "Asia/Seoul")),
                    new Probe("Cookie", "theme=light; consent=all; " + living("de", "Europe/Rome")),
                    new Probe("Save-Data", "on"));

    /**
     * The fields that are not probed though read: those of the connection and of the cache, and
     * those that a surrogate sets.
     */
    private static final Pattern NOT_PROBED =
            Pattern.compile(
                    "accept-encoding|access-control-.*|authorization|cache-control|connection|content-.*|esi-.*|expect|forwarded|host|if-.*|pragma|range|surrogate-.*|te|transfer-encoding|upgrade|x-esi-.*|x-forwarded-(?!for$).*",
                    Pattern.CASE_INSENSITIVE);

    private record Probe(String name, String value) {
        /** The probes of a field that the application reads. */
        static Stream<Probe> of(String name) {
            boolean isKnown = PROBES.stream().anyMatch(probe -> probe.name.equalsIgnoreCase(name));
            return isKnown || NOT_PROBED.matcher(name).matches()
                    ? Stream.of()
                    : values(name.toLowerCase(Locale.ROOT)).map(value -> new Probe(name, value));
        }

        private static Stream<String> values(String name) {
            if (name.contains("country")) {
                return Stream.of("KR", "DE");
            }
            return name.endsWith("-for") || name.endsWith("-ip")
                    ? Stream.of("203.0.113.7")
                    : Stream.of(name.startsWith("sec-ch-") ? "?1" : "1", "b", "true");
        }
    }

    private final List<User> users;
    private final Ignored ignored;
    private final List<String> checked = new ArrayList<>();
    private final Findings findings = new Findings();
    private final ReaderProbe readers;
    private final AnswerDifferences documents;
    private final SingleAnswerChecks single;
    private final ReaderComparison comparison;

    LeakCheck(EsiSite site, List<User> users, Ignored ignored, Set<Integer> keptOnPurpose) {
        this.users = users;
        this.ignored = ignored;
        this.readers = new ReaderProbe(site, findings);
        this.documents = new AnswerDifferences(ignored, readers, findings);
        this.single = new SingleAnswerChecks(keptOnPurpose, readers, documents, findings);
        this.comparison = new ReaderComparison(users, readers, documents, single, findings);
    }

    /** Records that {@code handler} could not be requested. */
    void cannotAsk(FragmentHandler handler) {
        findings.add(
                new Findings.Place(handler.name(), handler, ""),
                LeakCause.NOT_ASKED,
                handler.missing().isEmpty()
                        ? "its path " + String.join(", ", handler.paths()) + " is a pattern"
                        : "no example value for " + String.join(" and ", handler.missing()),
                "",
                Map.of(),
                "",
                List.of());
    }

    /**
     * Checks {@code target}.
     *
     * @param handler the handler that answers, if known
     * @param from the part of the test, or the other source, that named the target
     */
    void check(String target, @Nullable FragmentHandler handler, String from) {
        documents.forget();
        readers.takeFieldsRead();
        var where = new Findings.Place(target, handler, from);
        Map<User, SharedAnswer> first = new LinkedHashMap<>();
        Map<User, SharedAnswer> again = new LinkedHashMap<>();
        for (var all : List.of(first, again)) {
            for (var user : users) {
                readers.askFirst(where, user).ifPresent(answer -> all.put(user, answer));
            }
        }
        var read = readers.takeFieldsRead();
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
                    .forEach(answer -> single.alone(where, answer, ""));
        }
        var changes = comparison.changes(where, first, again);
        comparison.betweenUsers(where, first, changes);
        noteVariants(where);
        for (var usual : comparison.stored(first.values())) {
            checkFields(where, usual, changes, read);
            checkArguments(where, usual);
        }
    }

    /** Notes that the users get only one of the variants that the handler declares. */
    private void noteVariants(Findings.Place where) {
        var handler = where.handler();
        if (handler != null
                && !handler.variants().isEmpty()
                && users.stream().map(readers::variantOf).distinct().count() == 1) {
            findings.note(
                    "%s differs by %s, but all users get the same variant, so the others were not checked (expected a user for each)"
                            .formatted(where.target(), String.join(", ", handler.variants())));
        }
    }

    /** Requests with other values of one field at a time, those {@code read} included. */
    private void checkFields(
            Findings.Place where,
            SharedAnswer usual,
            Map<String, List<DomDifference>> changes,
            Set<String> read) {
        var reported = new TreeSet<String>();
        var probes = Stream.concat(PROBES.stream(), read.stream().flatMap(Probe::of)).toList();
        for (var probe : probes) {
            if (reported.contains(probe.name())) {
                continue;
            }
            var asking = ReaderProbe.with(usual.user(), probe.name(), probe.value());
            var said = label(probe.name(), probe.value());
            var answer =
                    single.ask(where, asking, said).filter(SharedAnswer::isShared).orElse(null);
            if (answer == null
                    || (answer.response().status() >= 400 && answer.lifetime().isZero())) {
                // the changed response is not stored, so it reaches no other reader
                continue;
            }
            if (single.isStoredError(answer)) {
                // its status is the finding
                reported.add(probe.name());
                continue;
            }
            var mask = new ArrayList<>(changes.getOrDefault(usual.user().name(), List.of()));
            if (usual.agreedVary(answer).contains(probe.name().toLowerCase(Locale.ROOT))
                    || documents.unmasked(where, usual, answer, mask).isEmpty()) {
                continue;
            }
            single.ask(where, usual.user(), usual.user().name() + " again")
                    .ifPresent(later -> mask.addAll(documents.differences(where, usual, later)));
            single.ask(where, asking, said)
                    .ifPresent(later -> mask.addAll(documents.differences(where, answer, later)));
            for (var difference : documents.unmasked(where, usual, answer, mask)) {
                findings.add(
                        where,
                        causeOf(probe.name()),
                        probe.name(),
                        difference.place(),
                        Findings.sides(
                                difference,
                                label(probe.name(), usual.user().fields().first(probe.name())),
                                said),
                        usual.said(),
                        List.of(usual.user().name()));
                reported.add(probe.name());
            }
        }
    }

    /**
     * Cookies in which applications store a language or time zone: the last is Spring's default.
     */
    private static String living(String language, String zone) {
        return "tz=%2$s; timezone=%2$s; country=%1$s; currency=%1$s; lang=%1$s; locale=%1$s; org.springframework.web.servlet.i18n.CookieLocaleResolver.LOCALE=%1$s"
                .formatted(language, zone);
    }

    private static String label(String name, @Nullable String value) {
        if (value == null) {
            return name.equals("Accept") ? name + ": text/html" : "no " + name;
        }
        int end = value.length() > 24 ? 24 : value.length();
        return name + ": " + value.substring(0, end) + (end < value.length() ? "…" : "");
    }

    /** The cause reported for an undeclared dependency on {@code field}. */
    static LeakCause causeOf(String field) {
        return field.equalsIgnoreCase("Accept-Language")
                ? LeakCause.LOCALE_WITHOUT_VARY
                : LeakCause.HEADER_WITHOUT_VARY;
    }

    /** Requests with invalid arguments. */
    private void checkArguments(Findings.Place where, SharedAnswer usual) {
        for (var wrong : WrongArgument.of(where.target())) {
            var there = new Findings.Place(wrong.target(), where.handler(), where.from());
            var answer =
                    readers.ask(there, usual.user()).filter(SharedAnswer::isShared).orElse(null);
            if (answer == null) {
                continue;
            }
            single.alone(where, answer, wrong.what());
            var response = answer.response();
            boolean isLikeError =
                    response.status() < 400
                            && !answer.lifetime().isZero()
                            && !ErrorText.isTrace(response.text())
                            && ErrorText.isLike(documents.tree(response))
                            && !ErrorText.isLike(documents.tree(usual.response()));
            if (isLikeError) {
                findings.add(
                        where,
                        LeakCause.CACHED_ERROR,
                        "%s is answered with status %d and the text of an error"
                                .formatted(wrong.what(), response.status()),
                        "",
                        Map.of(
                                wrong.what(),
                                Findings.shortened(SingleAnswerChecks.words(response))),
                        answer.said(),
                        List.of(usual.user().name()));
            }
        }
    }

    /** All findings, in the order of targets, then of causes. */
    LeakReport report() {
        for (var rule : ignored.unmet()) {
            findings.note(rule + " selects nothing: remove it, or correct the selector");
        }
        return findings.report(users, checked);
    }
}
