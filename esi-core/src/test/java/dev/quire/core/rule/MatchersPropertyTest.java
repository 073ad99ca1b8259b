package dev.quire.core.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Matchers against predicates written by hand, and keys of requests that rules changed. */
class MatchersPropertyTest {
    private static final int ROUNDS = 25_000;
    private static final List<String> HOSTS = List.of("a.example", "b.a.example", "c.test:8080");
    private static final List<String> PATHS = List.of("/", "/a", "/a/b.css", "/a/b/c", "/A", "/b");
    private static final List<String> METHODS = List.of("GET", "HEAD", "POST");
    private static final List<String> VALUES = List.of("", "x", "xy", "Yx", "abc");

    /** A matcher and what it must do. */
    private record Pair(Condition condition, Predicate<RuleValues> expected) {}

    @Test
    void aMatcherIsItsPredicate() {
        var random = new Random(1);
        int holding = 0;
        for (int i = 0; i < ROUNDS; i++) {
            var values = request(random);
            var pair = pair(random, true);

            boolean holds = pair.condition().holds(values);

            assertThat(holds)
                    .describedAs("round %s: %s", i, values.request())
                    .isEqualTo(pair.expected().test(values));
            holding += holds ? 1 : 0;
        }
        assertThat(holding).isBetween(ROUNDS / 10, ROUNDS * 9 / 10);
    }

    /**
     * The changes of rules to the origin's request are the same for all requests with one key, also
     * if the rules give different URLs the same key.
     */
    @Test
    void requestsThatRulesMadeDifferentShareNoKey() {
        var random = new Random(2);
        int compared = 0;
        int moved = 0;
        for (int i = 0; i < ROUNDS; i++) {
            var rules =
                    new RequestRules(
                            List.of(rule(random, 0), rule(random, 1), rule(random, 2)),
                            Set.of(),
                            List.of("0", "1", "2"));
            var first = request(random);
            var second =
                    random.nextBoolean()
                            ? ofSameHost(random, first.request())
                            : ofSameUrl(random, first.request());
            var one = ruled(rules, first, random.nextInt(2));
            var other = ruled(rules, second, random.nextInt(2));
            if (!one.key().equals(other.key()) || one.passes() || other.passes()) {
                continue;
            }
            compared++;
            moved += first.request().target().equals(second.request().target()) ? 0 : 1;
            for (var field : List.of("X-0", "X-1", "X-2", "X-Removed")) {
                boolean isNamed =
                        one.unkeyedFields().contains(field.toLowerCase(Locale.ROOT))
                                || other.unkeyedFields().contains(field.toLowerCase(Locale.ROOT));
                assertThat(
                                isNamed
                                        || one.head()
                                                .fields()
                                                .all(field)
                                                .equals(other.head().fields().all(field)))
                        .describedAs("round %s: %s, %s", i, one, other)
                        .isTrue();
            }
            assertThat(one.origin())
                    .describedAs("round %s: %s, %s", i, one, other)
                    .isEqualTo(other.origin());
        }
        assertThat(compared).isGreaterThan(ROUNDS / 8);
        assertThat(moved).isGreaterThan(ROUNDS / 100);
    }

    /**
     * A cache of a client that knows the URL and the fields in {@code Vary} has no response of
     * another key for a request, unless that response was private.
     */
    @Test
    void cachesOfClientsSeeInVaryWhatSelectsTheResponse() {
        var random = new Random(3);
        int compared = 0;
        for (int i = 0; i < ROUNDS; i++) {
            var rules =
                    new RequestRules(
                            List.of(
                                    rule(random, 0),
                                    rule(random, 1),
                                    rule(random, 2),
                                    rule(random, 3)),
                            Set.of(),
                            List.of("0", "1", "2", "3"));
            var request = request(random).request();
            var other = withFields(request, request(random).request().fields());
            var first = phase(rules, values(random, request), 0);
            var second = phase(rules, values(random, other), 0);
            boolean isReusable =
                    !first.inputs().hasOthers()
                            && first.inputs().fields().stream()
                                    .allMatch(name ->
                                            request.fields()
                                                    .all(name)
                                                    .equals(other.fields().all(name)));
            if (!isReusable) {
                continue;
            }
            compared++;

            assertThat(second.result().key())
                    .describedAs("round %s: %s, %s", i, first.result(), first.inputs())
                    .isEqualTo(first.result().key());
        }
        assertThat(compared).isGreaterThan(ROUNDS / 8);
    }

    private static RuledRequest ruled(RequestRules rules, RequestPhase values, int level) {
        return phase(rules, values, level).result();
    }

    private static RequestPhase phase(RequestRules rules, RequestPhase values, int level) {
        var request = values.request();
        var phase =
                rules.begin(
                        new RequestPhase.Subject(
                                new RequestHead(
                                        request.method(),
                                        request.scheme(),
                                        request.authority(),
                                        request.target(),
                                        new Fields.Builder()
                                                .addAll(request.fields())
                                                .add("X-Removed", "1")
                                                .build()),
                                values::client,
                                values.isTrusted(),
                                level,
                                "HTTP/1.1",
                                () -> Instant.EPOCH));
        assertThat(phase.run()).isNull();
        return phase;
    }

    private static RequestRule rule(Random random, int number) {
        var value =
                RequestPhaseTest.template(
                        one(
                                random,
                                List.of(
                                        "fixed",
                                        "{header.x-a}",
                                        "{header.x-0}",
                                        "{path}",
                                        "{target}",
                                        "{query.q}",
                                        "{host}",
                                        "{var.v}")),
                        false);
        boolean isRemoving = random.nextInt(4) == 0;
        return new RequestRule(
                "r" + number,
                random.nextInt(3) == 0 ? one(random, List.of(Audience.values())) : Audience.BOTH,
                random.nextInt(4) == 0
                        ? Matchers.variable("v", List.of(TextPattern.of("*x*", false)))
                        : pair(random, true).condition(),
                null,
                random.nextInt(3) == 0
                        ? Map.of(
                                "v",
                                RequestPhaseTest.template(
                                        one(random, List.of("x", "{header.x-a}", "{path}")), false))
                        : Map.of(),
                new FieldEdits(
                        Phase.REQUEST,
                        isRemoving ? List.of(TextPattern.of("x-removed", true)) : List.of(),
                        random.nextBoolean()
                                ? List.of(
                                        new FieldEdits.Line(
                                                one(random, List.of("X-" + number, "X-A")), value))
                                : List.of(),
                        List.of()),
                null,
                random.nextInt(4) == 0
                        ? new QueryEdit(
                                new NameFilter(List.of(TextPattern.of("q", false)), false), false)
                        : null,
                random.nextInt(4) == 0
                        ? new PathEdit(
                                null,
                                RequestPhaseTest.template(one(random, List.of("/a", "/b")), true))
                        : null,
                random.nextInt(6) == 0 ? RequestPhaseTest.template("a.example", true) : null,
                random.nextInt(3) == 0 ? "other" : null,
                false,
                random.nextInt(3) == 0 ? List.of(value) : List.of(),
                false,
                null,
                random.nextInt(4) == 0);
    }

    private static Pair pair(Random random, boolean mayCombine) {
        return switch (random.nextInt(mayCombine ? 12 : 9)) {
            case 0 -> {
                var methods = some(random, METHODS);
                yield new Pair(
                        Matchers.method(methods),
                        values -> methods.contains(values.request().method()));
            }
            case 1 -> {
                var scheme = one(random, List.of(Scheme.values()));
                yield new Pair(
                        Matchers.scheme(scheme), values -> values.request().scheme() == scheme);
            }
            case 2 ->
                    new Pair(
                            Matchers.host(
                                    List.of(
                                            new HostPattern("*.example"),
                                            new HostPattern("c.test"))),
                            values ->
                                    values.request()
                                            .authority()
                                            .matches(".*[.]example|c[.]test:8080"));
            case 3 -> {
                boolean isDeep = random.nextBoolean();
                yield new Pair(
                        Matchers.path(List.of(new PathPattern(isDeep ? "/a/**" : "/*")), List.of()),
                        values ->
                                values.path().startsWith("/a/")
                                        ? isDeep
                                        : !isDeep && values.path().indexOf('/', 1) < 0);
            }
            case 4 ->
                    new Pair(
                            Matchers.path(List.of(), List.of(TextPattern.of("~[.]css$", false))),
                            values -> values.path().endsWith(".css"));
            case 5 -> {
                var text = one(random, VALUES);
                yield new Pair(
                        Matchers.header("X-A", List.of(TextPattern.of(text, false))),
                        values -> values.request().fields().all("x-a").contains(text));
            }
            case 6 ->
                    new Pair(
                            Matchers.cookie("c", List.of(TextPattern.of("x*", false))),
                            values -> cookie(values).startsWith("x"));
            case 7 -> {
                var text = one(random, VALUES);
                yield new Pair(
                        Matchers.query("q", List.of(TextPattern.of(text, false))),
                        values -> values.request().target().endsWith("?q=" + text));
            }
            case 8 -> {
                boolean isTrusted = random.nextBoolean();
                yield new Pair(
                        Matchers.trusted(isTrusted), values -> values.isTrusted() == isTrusted);
            }
            case 9 -> {
                var inner = pair(random, false);
                yield new Pair(
                        Condition.not(inner.condition()), values -> !inner.expected().test(values));
            }
            default -> {
                var first = pair(random, false);
                var second = pair(random, false);
                yield new Pair(
                        Condition.all(List.of(first.condition(), second.condition())),
                        first.expected().and(second.expected()));
            }
        };
    }

    private static String cookie(RuleValues values) {
        var line = values.request().fields().first("Cookie");
        return line == null ? "" : line.substring(line.indexOf("c=") + 2);
    }

    private static RequestPhase request(Random random) {
        var fields = new Fields.Builder();
        if (random.nextBoolean()) {
            fields.add("X-A", one(random, VALUES));
        }
        if (random.nextBoolean()) {
            fields.add("Cookie", "b=1; c=" + one(random, VALUES));
        }
        var head =
                new RequestHead(
                        one(random, METHODS),
                        one(random, List.of(Scheme.values())),
                        one(random, HOSTS),
                        one(random, PATHS)
                                + (random.nextBoolean() ? "?q=" + one(random, VALUES) : ""),
                        fields.build());
        return values(random, head);
    }

    private static RequestHead withFields(RequestHead request, Fields fields) {
        return new RequestHead(
                request.method(), request.scheme(), request.authority(), request.target(), fields);
    }

    private static RequestPhase ofSameUrl(Random random, RequestHead url) {
        var other = request(random).request();
        return values(
                random,
                new RequestHead(
                        other.method(),
                        url.scheme(),
                        url.authority(),
                        url.target(),
                        other.fields()));
    }

    private static RequestPhase ofSameHost(Random random, RequestHead url) {
        var other = request(random).request();
        return values(
                random,
                new RequestHead(
                        other.method(),
                        url.scheme(),
                        url.authority(),
                        other.target(),
                        other.fields()));
    }

    private static RequestPhase values(Random random, RequestHead head) {
        boolean isTrusted = random.nextBoolean();
        return RequestRules.NONE.begin(
                new RequestPhase.Subject(
                        head,
                        MatchersPropertyTest::address,
                        isTrusted,
                        0,
                        "HTTP/1.1",
                        () -> Instant.EPOCH));
    }

    private static InetAddress address() {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static <T> T one(Random random, List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static <T> List<T> some(Random random, List<T> values) {
        var some = new ArrayList<T>();
        some.add(one(random, values));
        some.add(one(random, values));
        return some;
    }
}
