package dev.quire.test.internal;

import dev.quire.core.assemble.Assembly;
import dev.quire.core.assemble.AssemblyObserver;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.internal.Watch;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Stores the reported assembly of each page by the port of the reader's connection, until it is
 * taken. Register one as a bean in an application that is to report the parts of its pages.
 * Thread-safe.
 */
public final class AssemblyRecorder implements AssemblyObserver {
    private final Watch watch = new Watch();
    private final Map<Integer, Assembly> told = new HashMap<>();

    @Override
    public void assembled(Assembly page) {
        watch.change(() -> told.put(page.readerPort(), page));
    }

    /**
     * Removes and returns the last assembly reported for a request from {@code readerPort}; empty
     * if absent.
     */
    public Optional<Assembly> take(int readerPort) {
        return watch.read(() -> Optional.ofNullable(told.remove(readerPort)));
    }

    /** The same, but waits for a report. */
    public Assembly await(int readerPort, Request asked) {
        watch.await(() -> told.containsKey(readerPort), () -> "expected a trace of " + asked);
        return take(readerPort).orElseThrow();
    }
}
