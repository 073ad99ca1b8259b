package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.peers.Outcome;
import java.io.IOException;
import java.util.List;

/**
 * A load that each arm gets in turn.
 *
 * @param title in tables and pictures
 * @param clients number of connections at once
 * @param threads number of threads of the load generator
 * @param bodyBytes mean size of the bodies; NaN if it is not checked
 * @param paths whose bodies are compared before the rounds and after them
 */
record Step(String title, int clients, int threads, double bodyBytes, List<Body> paths, Load load) {

    /** Returns this load, for so few responses that the mean of their sizes says nothing. */
    Step ofAnySize() {
        return new Step(title, clients, threads, Double.NaN, paths, load);
    }

    /** A path and the expected body. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Body(String path, byte[] bytes) {}

    /** Runs a load generator against an arm. */
    @FunctionalInterface
    interface Load {
        Outcome run(Arm arm) throws CannotMeasure, IOException, InterruptedException;
    }
}
