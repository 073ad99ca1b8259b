package dev.quire.bench.simulation;

/**
 * The requests of a fleet to its store, and its memory, by formulas.
 *
 * @param hitRatio the share of requests that are answered from the memory of their node
 * @param fetchesPerSecond of the origin: an object in demand expires, or is purged
 * @param getsPerSecond requests for records or leases by requests that are not hits
 * @param requestsPerSecond of all kinds to the store
 * @param bytesPerSecond from and to the store
 * @param busy the share of the time that the busiest server of the store works
 * @param recordBytes memory of all records
 * @param logBytes memory of the log
 * @param connections of all nodes
 */
record Sizing(
        double hitRatio,
        double fetchesPerSecond,
        double getsPerSecond,
        double requestsPerSecond,
        double bytesPerSecond,
        double busy,
        double recordBytes,
        double logBytes,
        long connections) {

    /** Memory of a key, of its entry and of the time at which it expires. */
    private static final int KEY_MEMORY = 130;

    /** Memory of an invalidation in the log. */
    private static final int ENTRY_MEMORY = 200;

    /** The memory allocator of Redis has four sizes between two powers of two. */
    private static final int SIZES = 4;

    private static final double LONGEST_LOG = 1_000_000;
    private static final double LOG_SECONDS = 25 * 3600;

    /** For each fetch, in addition to the request that misses: the lease, and the write. */
    private static final int REQUESTS_OF_FETCH = 2;

    /** For messages of the log. */
    private static final int MESSAGES = 1;

    private static final double BYTE_SECONDS = 1e-9;

    /** A node in the reply to the question whether all have applied an invalidation. */
    private static final int MEMBER_BYTES = 120;

    /** That question in each node. */
    private static final int QUESTION_BYTES = 80;

    /** The question, and the answer to the node that has asked. */
    private static final int MESSAGES_OF_NODE = 2;

    /**
     * The settings of the fleet.
     *
     * @param loops event loops of a node
     * @param primaries of a cluster, each with a part of the records; one of them has the log. 1
     *     for one server without a cluster
     * @param hitRatio 0 to 1; negative if it is estimated
     * @param fleetPurgesPerSecond those purges that wait for all nodes
     */
    record Terms(int loops, int primaries, double hitRatio, double fleetPurgesPerSecond) {

        /**
         * Each loop, and the calls to the log, have a connection; in a cluster one to each primary
         * server and one that finds these.
         */
        long connectionsOfNode() {
            long ofEach = primaries == 1 ? 1 : primaries + 1L;
            return (loops + 1L) * ofEach + MESSAGES;
        }
    }

    /** Returns that of {@code load}, whose objects all have a record. */
    static Sizing of(Load load, Terms terms) {
        double lifetime = load.lifetime().toNanos() / 1e9;
        double sum = 0;
        for (int i = 0; i < load.objects(); i++) {
            sum += Math.pow(i + 1.0, -load.skew());
        }
        double hits = 0;
        double fetches = 0;
        for (int i = 0; i < load.objects(); i++) {
            double share = Math.pow(i + 1.0, -load.skew()) / sum;
            double all = share * load.requestsPerSecond();
            double ofNode = all / load.nodes();
            double purges =
                    i < Load.PURGED
                            ? load.purgesPerSecond() / Math.min(Load.PURGED, load.objects())
                            : 0;
            double period = 1 / (1 / lifetime + purges);
            fetches += all / (1 + all * period);
            if (i < load.memory()) {
                // All nodes have the response of one fetch, until that expires.
                double inPeriod = ofNode * period;
                hits += share * (1 - (1 - Math.exp(-inPeriod)) / inPeriod);
            }
        }
        double ratio = terms.hitRatio() < 0 ? hits : terms.hitRatio();
        double gets = load.requestsPerSecond() * (1 - ratio);
        double ofRecords = gets + REQUESTS_OF_FETCH * fetches;
        double questions = terms.fleetPurgesPerSecond() * load.nodes();
        double ofLog = load.nodes() + load.purgesPerSecond() + questions;
        double record = load.objectBytes() + (double) Stores.RECORD_BYTES;
        double recordBytes = (gets + fetches) * record + ofRecords * 2 * Stores.MESSAGE_BYTES;
        double logBytes =
                ofLog * 2 * Stores.MESSAGE_BYTES
                        + load.purgesPerSecond() * load.nodes() * Stores.ENTRY_BYTES
                        + questions * (MEMBER_BYTES + QUESTION_BYTES);
        double messages = load.purgesPerSecond() * load.nodes() + questions * MESSAGES_OF_NODE;
        double entries = Math.min(LONGEST_LOG, load.purgesPerSecond() * LOG_SECONDS);
        return new Sizing(
                ratio,
                fetches,
                gets,
                ofRecords + ofLog,
                recordBytes + logBytes,
                (ofRecords * Stores.SERVICE / 1e9 + recordBytes * BYTE_SECONDS) / terms.primaries()
                        + ofLog * Stores.SERVICE / 1e9
                        + logBytes * BYTE_SECONDS
                        + messages * Stores.PUBLISH / 1e9,
                load.objects() * (double) recordMemory(load.objectBytes()),
                entries * ENTRY_MEMORY,
                load.nodes() * terms.connectionsOfNode());
    }

    /** The memory of a record in the store. */
    static long recordMemory(int bodyBytes) {
        long bytes = (long) bodyBytes + Stores.RECORD_BYTES;
        long step = Math.max(16, Long.highestOneBit(bytes - 1) / SIZES);
        return (bytes + step - 1) / step * step + KEY_MEMORY;
    }
}
