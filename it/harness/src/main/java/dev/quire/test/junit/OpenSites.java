package dev.quire.test.junit;

import dev.quire.test.EsiSite;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The sites opened by the tests of one top-level class, by owner. JUnit closes it after the last
 * test of that class. Thread-safe.
 */
final class OpenSites implements AutoCloseable {
    private final Map<Object, Opened> all = new LinkedHashMap<>();

    /** A site, and whether it stays open after the last test. */
    private record Opened(EsiSite site, boolean goesOn) {}

    /** The site of {@code what}, opened if necessary. */
    synchronized EsiSite of(Object what, Supplier<EsiSite> open, boolean goesOn) {
        var opened = all.get(what);
        if (opened == null) {
            opened = new Opened(open.get(), goesOn);
            all.put(what, opened);
        }
        return opened.site();
    }

    synchronized void requireFinished() {
        all.values().forEach(opened -> opened.site().requireFinished());
    }

    @Override
    public synchronized void close() {
        for (var opened : all.values()) {
            if (opened.goesOn()) {
                opened.site().reset();
            } else {
                opened.site().close();
            }
        }
        all.clear();
    }
}
