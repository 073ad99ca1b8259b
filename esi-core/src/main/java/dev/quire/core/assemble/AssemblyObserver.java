package dev.quire.core.assemble;

/**
 * Receives the parts of each page served to a client: for tests, and for tools that display them.
 * Without an observer nothing is recorded.
 */
@FunctionalInterface
public interface AssemblyObserver {

    AssemblyObserver NONE = page -> {};

    /**
     * Called at the end of a client's request, on the thread that assembled the page, which must
     * not be blocked. Called at the latest when the last byte of the response is being sent, so the
     * client may already have it. Background work such as refreshes is not reported.
     */
    void assembled(Assembly page);
}
