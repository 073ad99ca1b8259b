package dev.quire.test.junit;

import dev.quire.test.EsiSite;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The sites that the tests of one top-level class have opened, each by what it belongs to. JUnit
 * closes it behind the last test of that class. Any thread.
 */
final class OpenSites implements AutoCloseable {
    private final Map<Object, Opened> all = new LinkedHashMap<>();

    /** A site and what becomes of it behind the last test. */
    private record Opened(EsiSite site, boolean goesOn) {}

    /** That of {@code what}, opened if it is not open. */
    synchronized EsiSite of(Object what, Supplier<EsiSite> open, boolean goesOn) {
        var opened = all.get(what);
        if (opened == null) {
            opened = new Opened(open.get(), goesOn);
            all.put(what, opened);
        }
        return opened.site();
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
