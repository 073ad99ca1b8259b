package dev.quire.core.assemble;

/**
 * Is told what readers' pages are made of: for tests, and for tools that show it. Whoever assembles
 * pages makes no notes where nobody observes.
 */
@FunctionalInterface
public interface AssemblyObserver {

    /** Nobody observes. */
    AssemblyObserver NONE = page -> {};

    /**
     * A reader's request is over. Called on the thread that has assembled the page, which must not
     * be held up; at the latest when the last byte of the answer is on its way, so a reader may
     * have it already. Of work that no reader waits for, such as refreshes, nothing is told.
     */
    void assembled(Assembly page);
}
