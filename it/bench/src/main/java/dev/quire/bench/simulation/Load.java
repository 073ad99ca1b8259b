package dev.quire.bench.simulation;

import java.time.Duration;

/**
 * The requests to a fleet, and its size.
 *
 * @param requestsPerSecond of all nodes
 * @param purgesPerSecond of the {@link #PURGED} most popular objects in turn, at any node
 * @param skew the exponent of Zipf's law, by which objects are requested
 * @param memory the objects that the memory of a node has room for
 * @param lifetime of each response
 * @param origin the time of a response of the origin
 * @param warmUp nothing is counted before. If it is as long as a lifetime, the first response for
 *     an object in its first half has a random age, so that they do not expire together
 * @param measured how long is counted then
 * @param shards stores with a part of the objects each; the first one has the log
 */
record Load(
        int nodes,
        int objects,
        double requestsPerSecond,
        double purgesPerSecond,
        double skew,
        int memory,
        int objectBytes,
        Duration lifetime,
        Duration origin,
        Duration warmUp,
        Duration measured,
        int shards,
        long seed) {

    static final int PURGED = 40;

    /** The same for another fleet. */
    Load of(int otherNodes, double otherRequestsPerSecond) {
        return new Load(
                otherNodes,
                objects,
                otherRequestsPerSecond,
                purgesPerSecond,
                skew,
                memory,
                objectBytes,
                lifetime,
                origin,
                warmUp,
                measured,
                shards,
                seed);
    }

    Load withMemory(int otherMemory) {
        return new Load(
                nodes,
                objects,
                requestsPerSecond,
                purgesPerSecond,
                skew,
                otherMemory,
                objectBytes,
                lifetime,
                origin,
                warmUp,
                measured,
                shards,
                seed);
    }

    Load withPurges(double otherPurgesPerSecond) {
        return new Load(
                nodes,
                objects,
                requestsPerSecond,
                otherPurgesPerSecond,
                skew,
                memory,
                objectBytes,
                lifetime,
                origin,
                warmUp,
                measured,
                shards,
                seed);
    }

    Load withSeed(long otherSeed) {
        return new Load(
                nodes,
                objects,
                requestsPerSecond,
                purgesPerSecond,
                skew,
                memory,
                objectBytes,
                lifetime,
                origin,
                warmUp,
                measured,
                shards,
                otherSeed);
    }

    Load during(Duration otherWarmUp, Duration otherMeasured) {
        return new Load(
                nodes,
                objects,
                requestsPerSecond,
                purgesPerSecond,
                skew,
                memory,
                objectBytes,
                lifetime,
                origin,
                otherWarmUp,
                otherMeasured,
                shards,
                seed);
    }

    /** Until when responses have a random age. */
    long spreadUntil() {
        return warmUp.compareTo(lifetime) < 0 ? 0 : warmUp.toNanos() / 2;
    }

    long end() {
        return warmUp.plus(measured).toNanos();
    }

    double measuredSeconds() {
        return measured.toNanos() / 1e9;
    }

    @Override
    public String toString() {
        return ("%,d nodes, %,.0f requests/s, %,d objects of %,d bytes (Zipf %.2f), lifetime %d s,"
                        + " memory of %,d objects a node, origin %d ms, %.1f purges/s, stores %d,"
                        + " seed %d")
                .formatted(
                        nodes,
                        requestsPerSecond,
                        objects,
                        objectBytes,
                        skew,
                        lifetime.toSeconds(),
                        memory,
                        origin.toMillis(),
                        purgesPerSecond,
                        shards,
                        seed);
    }
}
