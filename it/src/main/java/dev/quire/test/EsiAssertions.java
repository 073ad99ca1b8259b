package dev.quire.test;

import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;

/**
 * Where assertions begin, about pages, fragments and sites as about everything AssertJ knows: one
 * static import of {@code assertThat} is enough. Each throws an {@link AssertionError} that says
 * what was expected, what was seen, how the page came about, and what to look at next.
 */
public final class EsiAssertions extends Assertions {
    private EsiAssertions() {}

    /** Begins with a page as its reader got it. */
    public static PageAssert assertThat(@Nullable Page page) {
        return new PageAssert(page);
    }

    /** Begins with a fragment of a page. */
    public static FragmentAssert assertThat(@Nullable Fragment fragment) {
        return new FragmentAssert(fragment);
    }

    /** Begins with how a page came about. */
    public static TraceAssert assertThat(@Nullable AssemblyTrace trace) {
        return new TraceAssert(trace, null);
    }

    /** Begins with a site: what follows asks it for pages. */
    public static SiteAssert assertThat(@Nullable EsiSite site) {
        return new SiteAssert(site);
    }
}
