package dev.quire.test.junit;

import dev.quire.test.EsiSite;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Whoever knows the site of tests that name none by {@link TestedSite}: an application framework
 * that has started the application. Found by {@link java.util.ServiceLoader}; must be loadable
 * where that framework is missing.
 */
public interface SiteSource {

    /**
     * Where the site of {@code test} comes from; empty if this source does not know. Asked of a
     * nested class first, then of those around it.
     *
     * @throws AssertionError if it should know, and what the test says does not fit together
     */
    Optional<Opening> find(ExtensionContext test);

    /**
     * How to open a site.
     *
     * @param of what the site belongs to: as long as this is the same, the site is used on
     * @param open called once, and the site closed behind the last test of the class
     */
    record Opening(Object of, Supplier<EsiSite> open) {}
}
