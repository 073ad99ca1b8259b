package dev.quire.test;

import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;

/**
 * Entry point of the assertions about pages, fragments and sites, and of AssertJ's own: one static
 * import of {@code assertThat} is enough. Each throws an {@link AssertionError} with the expected
 * and the actual value, the trace of the page, and the next step.
 */
public final class EsiAssertions extends Assertions {
    private EsiAssertions() {}

    /** Assertions about a page as its reader got it. */
    public static PageAssert assertThat(@Nullable Page page) {
        return new PageAssert(page);
    }

    public static FragmentAssert assertThat(@Nullable Fragment fragment) {
        return new FragmentAssert(fragment);
    }

    public static TraceAssert assertThat(@Nullable AssemblyTrace trace) {
        return new TraceAssert(trace, null);
    }

    public static SiteAssert assertThat(@Nullable EsiSite site) {
        return new SiteAssert(site);
    }
}
