package dev.quire.bench.fleet;

import java.io.IOException;

/** The ways from the nodes to the store, of which each can be cut. */
interface Lines {
    /** From now on {@code node} and the store get nothing from each other. */
    void cut(int node) throws IOException, InterruptedException;

    /** Undoes all that was done to the line of {@code node}. */
    void heal(int node) throws IOException, InterruptedException;
}
