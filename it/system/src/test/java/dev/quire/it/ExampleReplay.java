package dev.quire.it;

import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.RuleTest;
import dev.quire.proxy.config.RuleTest.Expectation;
import dev.quire.test.wire.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Compares the expectations of one test of an example with a running proxy. */
final class ExampleReplay {
    private static final Pattern TTL = Pattern.compile("quire; hit; ttl=(\\d+)");
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ExampleSite site;
    private final RuleTest test;
    private final Configuration configuration;
    private final Report report;

    /** The results of all tests of a file. */
    static final class Report {
        final List<String> differences = new ArrayList<>();

        /** Expectations about which the responses and the origins say nothing. */
        final List<String> unseen = new ArrayList<>();

        int compared;

        @Override
        public String toString() {
            return "%d expectations compared, %d not visible: %s"
                    .formatted(compared, unseen.size(), unseen);
        }
    }

    private ExampleReplay(
            ExampleSite site, RuleTest test, Configuration configuration, Report report) {
        this.site = site;
        this.test = test;
        this.configuration = configuration;
        this.report = report;
    }

    static void run(ExampleSite site, RuleTest test, Configuration configuration, Report report)
            throws Exception {
        new ExampleReplay(site, test, configuration, report).run();
    }

    private ExampleVisit visit() throws Exception {
        return new ExampleVisit(site, test, configuration);
    }

    private void run() throws Exception {
        try (var visit = visit()) {
            var response = visit.send();
            if (test.level() > 0 && response.status() != 200) {
                test.expected()
                        .forEach(expectation -> unseen(expectation, "the page is not assembled"));
                return;
            }
            var asked = visit.asked();
            var errorPage = visit.errorPage();
            var rules = visit.rules();
            boolean isRepeated = visit.send() != null && visit.fetches() > asked.size();
            for (var expectation : test.expected()) {
                compare(expectation, new Seen(response, asked, errorPage, rules, isRepeated));
            }
        }
    }

    /**
     * The first response.
     *
     * @param rules those that have applied
     * @param isRepeated whether the same request reached an origin again
     */
    private record Seen(
            Response response,
            List<ExampleSite.Asked> asked,
            Optional<String> errorPage,
            List<String> rules,
            boolean isRepeated) {

        Optional<ExampleSite.Asked> first() {
            return asked.stream().findFirst();
        }

        String cacheStatus() {
            return Objects.requireNonNullElse(response.field("Cache-Status"), "");
        }
    }

    private void unseen(Expectation expectation, String why) {
        report.unseen.add(expectation.key() + " (" + why + ")");
    }

    private void compare(Expectation expectation, Seen seen) throws Exception {
        var response = seen.response();
        if (test.level() > 0) {
            switch (expectation.result()) {
                case ORIGIN, ORIGIN_NAME, HOST, COOKIES, FIELD -> {}
                case CACHE -> {
                    fragmentCache(expectation, seen);
                    return;
                }
                default -> {
                    unseen(expectation, "of a fragment");
                    return;
                }
            }
        }
        switch (expectation.result()) {
            case STATUS -> same(expectation, Optional.of("" + response.status()));
            case ERROR_PAGE -> same(expectation, seen.errorPage());
            case LOCATION -> same(expectation, Optional.ofNullable(response.field("Location")));
            case BODY -> same(expectation, Optional.of(response.text()));
            case DELIVERED -> same(expectation, joined(response.fields().all(expectation.name())));
            case ORIGIN ->
                    same(
                            expectation,
                            seen.first()
                                    .map(asked ->
                                            asked.request().method()
                                                    + " "
                                                    + asked.request().target()));
            case ORIGIN_NAME -> same(expectation, seen.first().map(ExampleSite.Asked::name));
            case HOST ->
                    same(
                            expectation,
                            seen.first()
                                    .flatMap(
                                            asked -> joined(asked.request().fields().all("Host"))));
            case COOKIES -> same(expectation, seen.first().map(ExampleReplay::cookies));
            case FIELD ->
                    same(
                            expectation,
                            seen.first()
                                    .flatMap(asked ->
                                            joined(
                                                    asked.request()
                                                            .fields()
                                                            .all(expectation.name()))));
            case RULES -> same(expectation, Optional.of(RuleTest.text(rules(seen))));
            case CACHE -> same(expectation, Optional.of(use(seen)));
            case STORED -> stored(expectation, seen);
            case TAGS -> tags(expectation, seen);
            case KEY -> key(expectation, seen);
            case TTL -> ttl(expectation);
            case GRACE -> grace(expectation, seen);
            case STALE_IF_ERROR -> staleIfError(expectation, seen);
        }
    }

    private void same(Expectation expectation, Optional<String> seen) {
        report.compared++;
        if (!seen.equals(expectation.text())) {
            differs(expectation, seen.map(text -> "'" + text + "'").orElse("absent"));
        }
    }

    private void differs(Expectation expectation, String seen) {
        report.differences.add(
                "%s of %s %s: expected %s, found %s"
                        .formatted(
                                expectation.key(),
                                test.request().method(),
                                test.request().target(),
                                expectation.text().orElse("none"),
                                seen));
    }

    private static Optional<String> joined(List<String> lines) {
        return lines.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", lines));
    }

    private static String cookies(ExampleSite.Asked asked) {
        return RuleTest.text(
                asked.request().fields().all("Cookie").stream()
                        .flatMap(line -> Stream.of(line.split(";")))
                        .map(pair -> pair.strip().split("=", 2)[0])
                        .toList());
    }

    /** Without an answer in the test, only the rules of requests are expected. */
    private List<String> rules(Seen seen) {
        var unexpected = new ArrayList<String>();
        if (test.answer().isEmpty() || seen.asked().isEmpty()) {
            unexpected.addAll(site.rules().response().names());
        }
        if (test.answer().isEmpty() && !seen.asked().isEmpty()) {
            unexpected.addAll(site.rules().deliver().names());
        }
        return seen.rules().stream().filter(rule -> !unexpected.contains(rule)).toList();
    }

    private static String use(Seen seen) {
        if (seen.asked().isEmpty()) {
            return "none";
        }
        if (seen.cacheStatus().contains("fwd=uri-miss")
                && seen.isRepeated() != seen.cacheStatus().contains("; stored")) {
            return "lookup";
        }
        if (seen.cacheStatus().matches("quire; fwd=(bypass|method).*") && seen.isRepeated()) {
            return "pass";
        }
        return "'%s', repeated: %s".formatted(seen.cacheStatus(), seen.isRepeated());
    }

    /** Cache-Status describes the page: the stored fragment is not fetched again. */
    private void fragmentCache(Expectation expectation, Seen seen) {
        same(
                expectation,
                Optional.of(
                        seen.asked().isEmpty() ? "none" : seen.isRepeated() ? "pass" : "lookup"));
    }

    private void stored(Expectation expectation, Seen seen) {
        same(expectation, Optional.of("" + !seen.isRepeated()));
    }

    /** A purge of each tag removes the response. */
    private void tags(Expectation expectation, Seen seen) throws Exception {
        if (seen.isRepeated()) {
            unseen(expectation, "not stored");
            return;
        }
        report.compared++;
        for (var tag : expectation.text().orElseThrow().split(", ", -1)) {
            try (var visit = visit()) {
                visit.send();
                visit.purgeTag(tag);
                visit.send();
                if (visit.fetches() != 2) {
                    differs(expectation, "no response with the tag " + tag);
                }
            }
        }
    }

    /** A request for the same URL without fields and cookies does not share the response. */
    private void key(Expectation expectation, Seen seen) throws Exception {
        if (seen.isRepeated()) {
            unseen(expectation, "not stored");
            return;
        }
        boolean isShared;
        try (var visit = visit()) {
            visit.send();
            visit.sendPlain();
            isShared = visit.fetches() == 1;
        }
        report.compared++;
        boolean isKeyed = !expectation.text().orElse("").isEmpty();
        if (isShared == isKeyed) {
            differs(expectation, isShared ? "one that others share" : "one of its own");
        }
    }

    private void ttl(Expectation expectation) throws Exception {
        var lifetime = lifetime(expectation);
        report.compared++;
        try (var visit = visit()) {
            visit.send();
            visit.advance(lifetime.minus(SECOND));
            visit.send();
            if (visit.fetches() != 1) {
                differs(expectation, "a shorter one");
                return;
            }
            visit.advance(SECOND.plus(SECOND));
            visit.send();
            if (visit.fetches() != 2) {
                differs(expectation, "a longer one");
            }
        }
    }

    private void grace(Expectation expectation, Seen seen) throws Exception {
        report.compared++;
        if (seen.isRepeated()) {
            differs(expectation, "a response that is not stored");
            return;
        }
        var grace = lifetime(expectation);
        if (!later(grace.minus(SECOND), false).text().equals("1")) {
            differs(expectation, "a shorter one");
        }
        if (!later(grace.plus(SECOND), false).text().equals("2")) {
            differs(expectation, "a longer one");
        }
    }

    private void staleIfError(Expectation expectation, Seen seen) throws Exception {
        report.compared++;
        if (seen.isRepeated()) {
            differs(expectation, "a response that is not stored");
            return;
        }
        var stale = lifetime(expectation);
        if (!later(stale.minus(SECOND), true).text().equals("1")) {
            differs(expectation, "a shorter one");
        }
        if (later(stale.plus(SECOND), true).status() < 500) {
            differs(expectation, "a longer one");
        }
    }

    /** The response at {@code past} the end of its lifetime. */
    private Response later(Duration past, boolean isBroken) throws Exception {
        try (var visit = visit()) {
            visit.send();
            var ttl = TTL.matcher(String.valueOf(visit.send().field("Cache-Status")));
            if (!ttl.find()) {
                throw new AssertionError("not stored: " + test.key());
            }
            if (isBroken) {
                visit.breakOrigins();
            }
            visit.advance(Duration.ofSeconds(Long.parseLong(ttl.group(1))).plus(past));
            var response = visit.send();
            visit.fetches();
            return response;
        }
    }

    /** The expected duration, in whole seconds. */
    private static Duration lifetime(Expectation expectation) {
        var text = expectation.text().orElseThrow();
        return Duration.parse("PT" + text);
    }
}
