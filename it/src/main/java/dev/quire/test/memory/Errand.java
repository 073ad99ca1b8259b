package dev.quire.test.memory;

import java.util.concurrent.CompletableFuture;

/**
 * One who waits for a resource, and may leave before it is there. Any thread.
 *
 * @param running of whose request it is
 * @param gone complete once he has left
 */
record Errand(Running running, CompletableFuture<Void> gone) {

    Errand(Running running) {
        this(running, new CompletableFuture<>());
    }

    boolean hasLeft() {
        return gone.isDone();
    }
}
