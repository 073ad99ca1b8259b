package dev.quire.test;

import dev.quire.core.assemble.Assembly;
import dev.quire.core.assemble.AssemblyObserver;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps what it is told of pages, each under the port from which it was asked for, until that is
 * taken. An application whose pages are to tell what they are made of registers one as a bean. Any
 * thread.
 */
public final class AssemblyRecorder implements AssemblyObserver {
    private final Watch watch = new Watch();
    private final Map<Integer, Assembly> told = new HashMap<>();

    @Override
    public void assembled(Assembly page) {
        watch.change(() -> told.put(page.readerPort(), page));
    }

    /**
     * What was told last of a page that was asked for from {@code readerPort}, once; empty if
     * nothing was.
     */
    public Optional<Assembly> take(int readerPort) {
        return watch.read(() -> Optional.ofNullable(told.remove(readerPort)));
    }

    /** The same, once something is told. */
    Assembly await(int readerPort, Request asked) {
        watch.await(
                () -> told.containsKey(readerPort),
                () -> "expected a trace of " + asked);
        return take(readerPort).orElseThrow();
    }
}
