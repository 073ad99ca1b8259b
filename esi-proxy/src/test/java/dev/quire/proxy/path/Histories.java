package dev.quire.proxy.path;

import dev.quire.proxy.path.History.Confirmed;
import dev.quire.proxy.path.History.Fault;
import dev.quire.proxy.path.History.NotModified;
import dev.quire.proxy.path.History.Reply;
import dev.quire.proxy.path.History.Step;
import dev.quire.proxy.reference.Lines;
import dev.quire.proxy.reference.Request;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Random histories with few names and times, so that events interact. */
final class Histories {
    private static final int MAX_STEPS = 14;

    private Histories() {}

    static Arbitrary<History> any() {
        return of(steps());
    }

    static Arbitrary<History> withRestarts() {
        return of(
                Arbitraries.frequencyOf(
                        Tuple.of(12, steps()), Tuple.of(1, Arbitraries.just(new Step.Restart()))));
    }

    private static Arbitrary<History> of(Arbitrary<Step> steps) {
        return steps.list().ofMinSize(1).ofMaxSize(MAX_STEPS).map(History::new);
    }

    private static Arbitrary<Step> steps() {
        return Arbitraries.frequencyOf(
                Tuple.of(12, gets()),
                Tuple.of(1, heads()),
                Tuple.of(1, unsafe()),
                Tuple.of(5, waits()),
                Tuple.of(1, purges()));
    }

    private static Arbitrary<Step> waits() {
        return Arbitraries.of(
                        500, 1_000, 2_000, 5_000, 9_500, 10_000, 11_000, 30_000, 59_000, 60_000,
                        61_000, 200_000)
                .map(millis -> new Step.Wait(Duration.ofMillis(millis)));
    }

    private static Arbitrary<Step> purges() {
        return Combinators.combine(
                        Arbitraries.of("/a", "/b", "x", "y"), Arbitraries.of(false, true))
                .as((what, isSoft) ->
                        what.startsWith("/")
                                ? new Step.PurgeTarget(what, isSoft)
                                : new Step.PurgeTag(what, isSoft));
    }

    private static Arbitrary<String> targets() {
        return Arbitraries.frequency(
                Tuple.of(6, "/a"), Tuple.of(2, "/b"), Tuple.of(1, "/a?q=1"), Tuple.of(1, "/A"));
    }

    private static Arbitrary<Step> gets() {
        return Combinators.combine(targets(), requestFields(), replies())
                .as((target, fields, reply) ->
                        new Step.Ask(new Request("GET", target, fields), reply));
    }

    private static Arbitrary<Step> heads() {
        return Combinators.combine(targets(), requestFields(), replies())
                .as((target, fields, reply) ->
                        new Step.Ask(new Request("HEAD", target, fields), reply));
    }

    private static Arbitrary<Step> unsafe() {
        return Combinators.combine(
                        Arbitraries.of("POST", "PUT", "DELETE", "BREW", "OPTIONS"),
                        targets(),
                        Arbitraries.of(200, 201, 204, 303, 400, 404, 500),
                        optional(
                                "Location",
                                "/a",
                                "/b",
                                "b",
                                "http://news.test/a",
                                "http://other.test/a"),
                        optional("Content-Location", "/b", "//news.test/a", "//other.test/b"),
                        Arbitraries.frequency(Tuple.of(8, Fault.NONE), Tuple.of(1, Fault.SILENT)))
                .as((method, target, status, location, contentLocation, fault) ->
                        new Step.Ask(
                                new Request(method, target, Lines.NONE),
                                new Reply(
                                        status,
                                        location.with(contentLocation),
                                        Optional.empty(),
                                        Duration.ZERO,
                                        fault)));
    }

    private static Arbitrary<Lines> requestFields() {
        return all(
                List.of(
                        often(12, "X-A", "1", "2"),
                        often(12, "Accept-Language", "en", "EN", "en, de", "en,de"),
                        often(30, "Cookie", "sid=1"),
                        often(30, "Authorization", "Basic eA=="),
                        often(10, "If-None-Match", "\"1\"", "W/\"1\"", "\"0\", \"2\"", "*"),
                        often(
                                20,
                                "If-Modified-Since",
                                "{now-100}",
                                "{rfc850 now-50}",
                                "{now+0}",
                                "never")));
    }

    private static Arbitrary<Reply> replies() {
        return Combinators.combine(
                        Arbitraries.frequency(
                                Tuple.of(24, 200),
                                Tuple.of(1, 203),
                                Tuple.of(1, 204),
                                Tuple.of(1, 206),
                                Tuple.of(1, 299),
                                Tuple.of(1, 301),
                                Tuple.of(1, 302),
                                Tuple.of(2, 404),
                                Tuple.of(1, 500),
                                Tuple.of(3, 503),
                                Tuple.of(1, 599)),
                        responseFields(),
                        notModified().optional(0.8),
                        Arbitraries.frequency(
                                Tuple.of(8, Duration.ZERO), Tuple.of(1, Duration.ofSeconds(3))),
                        Arbitraries.frequency(
                                Tuple.of(20, Fault.NONE),
                                Tuple.of(1, Fault.CUT),
                                Tuple.of(2, Fault.SILENT)))
                .as(Reply::new);
    }

    private static Arbitrary<Lines> responseFields() {
        return all(
                List.of(
                        cacheControl(),
                        often(
                                8,
                                "Expires",
                                "{now+30}",
                                "{rfc850 now+30}",
                                "{asctime now+30}",
                                "{now+0}",
                                "{now-10}",
                                "{zoned now+30}",
                                "0"),
                        often(3, "Date", "{now+0}", "{now-20}", "{now+20}", "{rfc850 now-5}"),
                        often(6, "Age", "5", "0", "40", "7, 0", "0, 7", "-3", "5.0", "2147483648"),
                        often(2, "ETag", "\"1\"", "\"2\"", "W/\"1\"", "2"),
                        often(
                                4,
                                "Last-Modified",
                                "{now-100}",
                                "{now-1000}",
                                "{asctime now-50}",
                                "{now+50}",
                                "once"),
                        often(
                                5,
                                "Vary",
                                "X-A",
                                "Accept-Language",
                                "x-a, Accept-Language",
                                "Accept-Language, X-A",
                                "*",
                                ", X-A,",
                                "X-A, *"),
                        often(40, "Set-Cookie", "a=1"),
                        often(6, "Surrogate-Key", "x", "x y"),
                        often(20, "X-Secret", "1")));
    }

    /** For a 304: all of its fields must be worth an update. */
    private static Arbitrary<NotModified> notModified() {
        return Combinators.combine(
                        Arbitraries.frequency(
                                Tuple.of(6, Confirmed.SAME),
                                Tuple.of(3, Confirmed.NONE),
                                Tuple.of(1, Confirmed.WEAKENED),
                                Tuple.of(1, Confirmed.OTHER)),
                        all(
                                List.of(
                                        Arbitraries.frequencyOf(
                                                Tuple.of(2, Arbitraries.just(Lines.NONE)),
                                                Tuple.of(1, cacheControl())),
                                        often(6, "Expires", "{now+30}", "{now+0}"),
                                        often(3, "Date", "{now+0}", "{now-20}"),
                                        often(6, "Age", "5", "40"),
                                        often(15, "Vary", "X-A", "Accept-Language"),
                                        often(8, "X-Secret", "1"))))
                .as(NotModified::new);
    }

    private static Arbitrary<Lines> cacheControl() {
        var directive =
                Arbitraries.frequencyOf(
                        Tuple.of(
                                10,
                                Arbitraries.of(
                                        "max-age=10", "max-age=60", "MAX-AGE=1", "max-age=0")),
                        Tuple.of(
                                2,
                                Arbitraries.of(
                                        "max-age=\"60\"",
                                        "max-age=99999999999",
                                        "max-age=0060",
                                        "max-age=60a",
                                        "max-age=-60",
                                        "max-age='60'",
                                        "max-age=60.0",
                                        "max-age=",
                                        "max-age",
                                        "max-age= 60",
                                        "max-age =60",
                                        "extension=\"max-age=3600, no-store\"",
                                        "foobar",
                                        "immutable")),
                        Tuple.of(3, Arbitraries.of("s-maxage=30", "s-maxage=0", "s-maxage=x")),
                        Tuple.of(
                                4,
                                Arbitraries.of(
                                        "no-cache", "no-store", "private", "public", "No-Cache")),
                        Tuple.of(
                                3,
                                Arbitraries.of(
                                        "must-revalidate", "proxy-revalidate", "must-understand")),
                        Tuple.of(
                                2,
                                Arbitraries.of(
                                        "stale-while-revalidate=30",
                                        "stale-while-revalidate=0",
                                        "stale-if-error=30",
                                        "stale-if-error=100")),
                        Tuple.of(
                                1,
                                Arbitraries.of(
                                        "private=\"X-Secret\"", "no-cache=\"x-other, x-secret\"")));
        return Combinators.combine(directive.list().ofMaxSize(3), Arbitraries.of(false, true))
                .as((directives, isOneLine) -> {
                    if (directives.isEmpty()) {
                        return Lines.NONE;
                    }
                    if (isOneLine) {
                        return Lines.NONE.with("Cache-Control", String.join(", ", directives));
                    }
                    var lines = Lines.NONE;
                    for (var each : directives) {
                        lines = lines.with("Cache-Control", each);
                    }
                    return lines;
                });
    }

    private static Arbitrary<Lines> optional(String name, String... values) {
        return often(3, name, values);
    }

    /** True once in {@code rarity} times. */
    private static Arbitrary<Lines> often(int rarity, String name, String... values) {
        return Arbitraries.frequencyOf(
                Tuple.of(rarity - 1, Arbitraries.just(Lines.NONE)),
                Tuple.of(1, Arbitraries.of(values).map(value -> Lines.NONE.with(name, value))));
    }

    private static Arbitrary<Lines> all(List<Arbitrary<Lines>> parts) {
        return Combinators.combine(parts)
                .as(lines -> lines.stream().reduce(Lines.NONE, Lines::with));
    }
}
