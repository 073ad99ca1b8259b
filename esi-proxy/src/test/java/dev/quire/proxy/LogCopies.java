package dev.quire.proxy;

import dev.quire.proxy.fleet.LogId;
import dev.quire.proxy.redis.RedisServer;

/** The log of a fleet, and a copy of it in the same server, as if that was of another server. */
record LogCopies(RedisServer redis) {
    static final String LOG = "q1:{log}";
    static final String EPOCH = LOG + ":e";
    private static final String COPY = "q1:copy:{log}";
    private static final String COPY_OF_EPOCH = "q1:copy:{log}:e";
    private static final String EXCHANGED = "q1:exchanged:{log}";

    /** Copies the entries. */
    void copy() {
        redis.cli("COPY", LOG, COPY, "REPLACE");
    }

    /** The log has the entries of the copy. */
    void bringBack() {
        redis.cli("COPY", COPY, LOG, "REPLACE");
    }

    /** Copies the entries and the epoch. */
    void copyWithEpoch() {
        copy();
        redis.cli("COPY", EPOCH, COPY_OF_EPOCH, "REPLACE");
    }

    /** The log has the entries and the epoch of the copy. */
    void bringBackWithEpoch() {
        bringBack();
        redis.cli("COPY", COPY_OF_EPOCH, EPOCH, "REPLACE");
    }

    /** Exchanges the entries of the log and those of the copy. */
    void exchange() {
        redis.cli("RENAME", LOG, EXCHANGED);
        redis.cli("RENAME", COPY, LOG);
        redis.cli("RENAME", EXCHANGED, COPY);
    }

    /**
     * A primary server and its replica are both written: each of the nodes purges a tag. The log is
     * that of the primary server, and {@code ofReplica} is cut off.
     */
    void fork(FleetNode ofPrimary, FleetNode ofReplica) {
        copy();
        ofPrimary.server.cut();
        ofReplica.purge("of replica");
        ofReplica.awaitLog();
        ofReplica.server.cut();
        exchange();
        ofPrimary.server.heal();
        ofPrimary.purge("of primary");
        ofPrimary.awaitLog();
    }

    /** Appends an entry without an effect. */
    void append(long id) {
        redis.cli("XADD", LOG, LogId.text(id), "e", "\u0003");
    }

    /** The epoch began with that entry. */
    void begin(long epoch, long id) {
        redis.cli("HSET", EPOCH, "epoch", epoch + "", "fleet", "test", "schema", "1");
        redis.cli("HSET", EPOCH, "start", LogId.text(id));
    }
}
