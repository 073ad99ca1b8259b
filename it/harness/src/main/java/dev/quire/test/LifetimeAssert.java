package dev.quire.test;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import java.time.Duration;

/**
 * Assertions about the lifetime of a stored response. Each purges it, has it fetched, advances the
 * site's clock to just before the end and to the end, and checks whether the application is called.
 * Times are written {@code 30s}, {@code 5m}, {@code 1h} or {@code PT30S}.
 */
public final class LifetimeAssert extends Claim<LifetimeAssert, EsiSite> {
    private static final Duration MOMENT = Duration.ofMillis(1);

    private final String target;
    private String page;
    private Duration fresh = Duration.ZERO;

    LifetimeAssert(EsiSite actual, String target) {
        super(actual, LifetimeAssert.class);
        this.target = target;
        this.page = target;
    }

    /** Checks it as a part of this page, not alone. */
    public LifetimeAssert onPage(String pathOrName) {
        page = it().targetOf(pathOrName);
        return this;
    }

    /**
     * Its freshness lifetime is exactly this time: the application is called once, and again at the
     * end.
     */
    public LifetimeAssert freshFor(String time) {
        fresh = atLeastASecond(time);
        fetchAnew();
        var before = askAfter(fresh.minus(MOMENT));
        require(
                requests(before) == 0,
                "%s to be fresh for %s".formatted(target, text(fresh)),
                "a hit until " + text(fresh) + " after it was fetched",
                "already fetched again at " + text(fresh.minus(MOMENT)) + said(before),
                before.trace(),
                "which field sets its lifetime? docs/testing.md#lifetime");
        var after = askAfter(MOMENT);
        return require(
                requests(after) > 0,
                "%s to be fresh for %s".formatted(target, text(fresh)),
                "fetched again at " + text(fresh) + " after it was fetched",
                "still served from the cache: " + came(after) + said(after),
                after.trace(),
                "which field sets its lifetime? docs/testing.md#lifetime");
    }

    /**
     * After that it is served stale for exactly this time while it is refreshed; {@code 0s}: never.
     *
     * @throws AssertionError also if the assembler does not report parts
     */
    public LifetimeAssert thenServesStaleFor(String time) {
        requireFresh("thenServesStaleFor(\"60s\")");
        var stale = TextDuration.of(time);
        var end = fresh.plus(stale);
        if (!stale.isZero()) {
            fetchAnew();
            var before = askAfter(end.minus(MOMENT));
            require(
                    outcome(before) == CacheOutcome.STALE,
                    staleClaim(stale),
                    "served stale until " + text(end) + " after it was fetched",
                    "%s at %s%s".formatted(came(before), text(end.minus(MOMENT)), said(before)),
                    before.trace(),
                    "a response with must-revalidate, no-cache or s-maxage is never served stale. docs/testing.md#lifetime");
            require(
                    requests(before) > 0,
                    staleClaim(stale),
                    "refreshed as soon as it is served stale",
                    "the application was not asked" + said(before),
                    before.trace(),
                    "is the surrogate able to refresh in the background? docs/testing.md#lifetime");
        }
        fetchAnew();
        var after = askAfter(end);
        require(
                outcome(after) != CacheOutcome.STALE,
                staleClaim(stale),
                "fetched before it is served, from " + text(end) + " on",
                "served stale " + text(end) + " after it was fetched" + said(after),
                after.trace(),
                "without an explicit value the surrogate's default applies (10s). docs/testing.md#lifetime");
        return require(
                requests(after) > 0,
                staleClaim(stale),
                "fetched before it is served, from " + text(end) + " on",
                came(after) + ", and the application was not asked" + said(after),
                after.trace(),
                "is it stored for longer than declared? docs/testing.md#lifetime");
    }

    /**
     * After that it is served stale for exactly this time when the application answers with an
     * error; {@code 0s}: never.
     *
     * @throws AssertionError also if the assembler does not report parts
     */
    public LifetimeAssert thenStandsInForErrorsFor(String time) {
        requireFresh("thenStandsInForErrorsFor(\"1h\")");
        var standIn = TextDuration.of(time);
        var end = fresh.plus(standIn);
        var claim =
                "%s to be served stale on errors for %s after its lifetime of %s"
                        .formatted(target, text(standIn), text(fresh));
        var broken = it().with(Faults.none().fail(target, 503));
        if (!standIn.isZero()) {
            fetchAnew();
            it().clock().advance(end.minus(MOMENT));
            var before = broken.get(page);
            require(
                    outcome(before) == CacheOutcome.STALE,
                    claim,
                    "served stale instead of the error until %s after it was fetched"
                            .formatted(text(end)),
                    "%s at %s%s".formatted(came(before), text(end.minus(MOMENT)), said(before)),
                    before.trace(),
                    "a response with must-revalidate, no-cache or s-maxage is never served stale. docs/testing.md#lifetime");
        }
        fetchAnew();
        it().clock().advance(end);
        var after = broken.get(page);
        return require(
                outcome(after) != CacheOutcome.STALE && !seen(after).wasKept(),
                claim,
                "the error, and nothing stale, from " + text(end) + " on",
                "%s at %s%s".formatted(came(after), text(end), said(after)),
                after.trace(),
                "which field sets stale-if-error? docs/testing.md#lifetime");
    }

    private void fetchAnew() {
        it().purge(target);
        var first = ask();
        require(
                requests(first) == 1,
                "%s to be fetched once after a purge".formatted(target),
                "one request",
                requests(first) + " requests: " + came(first),
                first.trace(),
                requests(first) == 0
                        ? page.equals(target)
                                ? "was its stored response really purged?"
                                : "does %s include it?".formatted(page)
                        : "a response that is included twice or not stored is fetched more than once. docs/testing.md#lifetime");
    }

    private void requireFresh(String claim) {
        if (fresh.isZero()) {
            throw new IllegalStateException(
                    "freshFor(...) is missing (expected it first: keeps(\"/live\").freshFor(\"30s\").%s)"
                            .formatted(claim));
        }
    }

    private Page askAfter(Duration time) {
        it().clock().advance(time);
        return ask();
    }

    private Page ask() {
        return it().get(page);
    }

    private long requests(Page asked) {
        return asked.trace().requests().stream()
                .filter(request -> Targets.isMeant(target, request.target()))
                .count();
    }

    private CacheOutcome outcome(Page asked) {
        return seen(asked).part().outcome();
    }

    private Fragment seen(Page asked) {
        return page.equals(target) ? asked.document() : asked.fragment(target);
    }

    private String came(Page asked) {
        return asked.trace().parts().isEmpty() ? "unknown" : seen(asked).toString();
    }

    private String said(Page asked) {
        if (asked.trace().parts().isEmpty()) {
            return "";
        }
        var terms = seen(asked).terms();
        return "\n"
                + terms.whyPrivate().map(why -> "not stored: " + why + "\n").orElse("")
                + String.join("\n", terms.saidOfKeeping());
    }

    private String staleClaim(Duration stale) {
        return "%s to be served stale for %s after its lifetime of %s"
                .formatted(target, text(stale), text(fresh));
    }

    private static Duration atLeastASecond(String time) {
        var length = TextDuration.of(time);
        if (length.toSeconds() == 0) {
            throw new IllegalArgumentException(
                    "'%s' is not a whole number of seconds (for a response that is not stored: assertThat(page).fragment(...).isPrivate())"
                            .formatted(time));
        }
        return length;
    }

    private static String text(Duration time) {
        return TextDuration.text(time);
    }
}
