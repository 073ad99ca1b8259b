package dev.quire.test;

import java.util.List;

/**
 * Assertions about the requests to the application caused by many simultaneous readers of one page.
 */
public final class StampedeAssert extends Claim<StampedeAssert, EsiSite> {
    private static final String WAS_STORED =
            "was it already stored? site.reset() clears the site. docs/testing.md#stampede";
    private static final String NOT_SHARED =
            "only public responses are fetched once for all readers. docs/testing.md#stampede";

    private final List<Page> pages;

    StampedeAssert(EsiSite actual, List<Page> pages) {
        super(actual, StampedeAssert.class, site -> pages.getFirst().trace());
        this.pages = pages;
    }

    /** The application got this many requests for {@code pathOrName}, from all readers together. */
    public StampedeAssert withRequests(String pathOrName, int times) {
        return requireRequests(
                stampede(), it().targetOf(pathOrName), times, requested(), WAS_STORED, NOT_SHARED);
    }

    /** The application got one request for each of these, and no others. */
    public StampedeAssert withRequestsOnly(String... pathsOrNames) {
        var expected = List.of(pathsOrNames).stream().map(it()::targetOf).toList();
        return requireRequestsOnly(stampede(), expected, requested(), WAS_STORED, NOT_SHARED);
    }

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
                "the trace of one of the pages is above");
    }

    private List<String> requested() {
        return SiteAssert.requested(pages.subList(0, 1));
    }

    private String stampede() {
        return "%d readers of %s".formatted(pages.size(), pages.getFirst().asked().target());
    }
}
