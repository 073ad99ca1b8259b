package dev.quire.test.junit.internal;

import dev.quire.test.EsiSite;
import dev.quire.test.junit.TestedSite;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Provides the site of tests without a {@link TestedSite}, from an application framework that has
 * started the application. Found by {@link java.util.ServiceLoader}; must be loadable without that
 * framework.
 */
public interface SiteSource {

    /**
     * Finds the site of {@code test}; empty if this source has none. Called for a nested class
     * first, then for its enclosing classes.
     *
     * @throws AssertionError if the test's configuration for this source is inconsistent
     */
    Optional<Opening> find(ExtensionContext test);

    /**
     * How to open a site.
     *
     * @param of the owner of the site, which is reused as long as this is equal
     * @param open called once; the site is closed after the last test of the class
     */
    record Opening(Object of, Supplier<EsiSite> open) {}
}
