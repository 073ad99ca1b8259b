package dev.quire.test;

import java.util.List;

/**
 * Assertions about the requests to the application caused by many simultaneous readers of one page.
 */
public final class StampedeAssert extends Claim<StampedeAssert, EsiSite> {
    private final List<Page> pages;

    StampedeAssert(EsiSite actual, List<Page> pages) {
        super(actual, StampedeAssert.class);
        this.pages = pages;
    }

    /** The application got this many requests for {@code pathOrName}, from all readers together. */
    public StampedeAssert withRequests(String pathOrName, int times) {
        var target = it().targetOf(pathOrName);
        long seen = requested().stream().filter(each -> Targets.isMeant(target, each)).count();
        return require(
                seen == times,
                "%s to request %s from the application %s"
                        .formatted(stampede(), target, times(times)),
                times(times),
                times(seen) + "\nrequests: " + Targets.listed(requested()),
                pages.getFirst().trace(),
                next(seen < times));
    }

    /** The application got one request for each of these, and no others. */
    public StampedeAssert withRequestsOnly(String... pathsOrNames) {
        var expected = List.of(pathsOrNames).stream().map(it()::targetOf).toList();
        var missing = Targets.missing(expected, requested());
        var beyond = Targets.beyond(expected, requested());
        return require(
                missing.isEmpty() && beyond.isEmpty(),
                "%s to request %s from the application"
                        .formatted(stampede(), Targets.listed(expected)),
                Targets.listed(expected),
                "%s\nmissing: %s; unexpected: %s"
                        .formatted(
                                Targets.listed(requested()),
                                Targets.listed(missing),
                                Targets.listed(beyond)),
                pages.getFirst().trace(),
                next(beyond.isEmpty()));
    }

    /** Each reader got a page with this status. */
    public StampedeAssert withStatus(int status) {
        var others =
                pages.stream()
                        .filter(page -> page.status() != status)
                        .map(page -> String.valueOf(page.status()))
                        .toList();
        return require(
                others.isEmpty(),
                "%s to receive status %d".formatted(stampede(), status),
                String.valueOf(status),
                Targets.listed(others),
                pages.getFirst().trace(),
                "the trace of one of the pages is above");
    }

    private List<String> requested() {
        return SiteAssert.requested(pages.subList(0, 1));
    }

    private String stampede() {
        return "%d readers of %s".formatted(pages.size(), pages.getFirst().asked().target());
    }

    private static String next(boolean isTooFew) {
        return isTooFew
                ? "was it already stored? site.reset() clears the site. docs/testing.md#stampede"
                : "only public responses are fetched once for all readers. docs/testing.md#stampede";
    }

    private static String times(long times) {
        return times == 1 ? "once" : times == 0 ? "not at all" : times + " times";
    }
}
