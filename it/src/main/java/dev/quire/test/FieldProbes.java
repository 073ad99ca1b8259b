package dev.quire.test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Whether an answer depends on a field of the request that it does not name. One thread. */
final class FieldProbes {
    /** Fields that are not part of an address, and other values of them. */
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
                    new Probe("Cookie", "theme=dark; consent=none; " + speaking("ko")),
                    new Probe("Cookie", "theme=light; consent=all; " + speaking("de")),
                    new Probe("Save-Data", "on"));

    private record Probe(String name, String value) {}

    /** Cookies in which applications keep a language: the last is Spring's, where none is named. */
    private static String speaking(String language) {
        return "lang=%1$s; locale=%1$s; org.springframework.web.servlet.i18n.CookieLocaleResolver.LOCALE=%1$s"
                .formatted(language);
    }

    private final ReaderProbe readers;
    private final AnswerDifferences documents;
    private final Findings findings;

    FieldProbes(ReaderProbe readers, AnswerDifferences documents, Findings findings) {
        this.readers = readers;
        this.documents = documents;
        this.findings = findings;
    }

    /** Asks with other values of one field of the request after the other. */
    void check(Findings.Place where, SharedAnswer usual, Map<String, List<DomDifference>> changes) {
        var reported = new TreeSet<String>();
        for (var probe : PROBES) {
            if (reported.contains(probe.name())) {
                continue;
            }
            var asking = ReaderProbe.with(usual.user(), probe.name(), probe.value());
            var answer = readers.ask(where, asking).filter(SharedAnswer::isShared).orElse(null);
            if (answer == null || answer.response().status() >= 400) {
                // that one is not kept, and what is kept is right for the others
                continue;
            }
            var mask = new ArrayList<>(changes.getOrDefault(usual.user().name(), List.of()));
            if (usual.agreedVary(answer).contains(probe.name().toLowerCase(Locale.ROOT))
                    || documents.unmasked(where, usual, answer, mask).isEmpty()) {
                continue;
            }
            readers.ask(where, usual.user())
                    .ifPresent(later -> mask.addAll(documents.differences(where, usual, later)));
            readers.ask(where, asking)
                    .ifPresent(later -> mask.addAll(documents.differences(where, answer, later)));
            for (var difference : documents.unmasked(where, usual, answer, mask)) {
                Map<String, String> sides = new LinkedHashMap<>();
                sides.put(
                        label(probe.name(), usual.user().fields().first(probe.name())),
                        Findings.shortened(difference.left()));
                sides.put(
                        label(probe.name(), probe.value()), Findings.shortened(difference.right()));
                findings.add(
                        where,
                        causeOf(probe.name()),
                        probe.name(),
                        difference.place(),
                        sides,
                        usual.said(),
                        List.of(usual.user().name()));
                reported.add(probe.name());
            }
        }
    }

    private static String label(String name, @Nullable String value) {
        if (value == null) {
            return name.equals("Accept") ? name + ": text/html" : "no " + name;
        }
        int end = value.length() > 24 ? 24 : value.length();
        return name + ": " + value.substring(0, end) + (end < value.length() ? "…" : "");
    }

    /** What it is called that answers depend on {@code field} and do not say so. */
    static LeakCause causeOf(String field) {
        return field.equalsIgnoreCase("Accept-Language")
                ? LeakCause.LOCALE_WITHOUT_VARY
                : LeakCause.HEADER_WITHOUT_VARY;
    }
}
