package dev.quire.bench.fleet;

import dev.quire.bench.CannotMeasure;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A primary server that is lost, and replaced by its replica. One thread. */
final class Failover {
    /** The name of the servers at the sentinels. */
    static final String NAME = "test";

    /** Of the servers. By default a replica waits for five seconds until it is sent anything. */
    static final List<String> OPTIONS =
            List.of("--repl-diskless-sync-delay", "0", "--rdb-del-sync-files", "yes");

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(20);

    private final List<Store> sentinels;
    private Store primary;
    private Store replica;

    Failover(Store primary, Store replica, List<Store> sentinels) {
        this.primary = primary;
        this.replica = replica;
        this.sentinels = List.copyOf(sentinels);
    }

    /** The configuration of a sentinel that watches {@code primary}. */
    static String configuration(Store primary) {
        return """
        sentinel monitor %1$s 127.0.0.1 %2$d 2
        sentinel down-after-milliseconds %1$s 1000
        sentinel failover-timeout %1$s 3000
        """
                .formatted(NAME, primary.port());
    }

    /** Waits until the sentinels know one another and the replica, which has all. */
    void awaitReady() throws CannotMeasure, IOException, InterruptedException {
        awaitLink(replica);
        for (var sentinel : sentinels) {
            await(sentinel, "num-other-sentinels\n2\n", "SENTINEL", "MASTER", NAME);
            await(sentinel, "num-slaves\n1\n", "SENTINEL", "MASTER", NAME);
        }
    }

    Store primary() {
        return primary;
    }

    Store replica() {
        return replica;
    }

    /** Ends the replication. The replica lacks all later writes. */
    void separate() throws IOException, InterruptedException {
        primary.cli("ACL", "SETUSER", "default", "-psync", "-sync");
        primary.cli("CLIENT", "KILL", "TYPE", "replica");
    }

    /** Whether the replica lacks entries of the log. */
    boolean isBehind() throws IOException, InterruptedException {
        return !lastEntry(primary).equals(lastEntry(replica));
    }

    private static String lastEntry(Store server) throws IOException, InterruptedException {
        return server.cli("XREVRANGE", Store.LOG, "+", "-", "COUNT", "1");
    }

    /** Kills the primary server, and waits until all sentinels name its former replica instead. */
    void kill() throws CannotMeasure, IOException, InterruptedException {
        primary.kill();
        awaitPromotion();
    }

    /** Starts the server that was killed again, empty, as the replica of the other one. */
    void restart() throws CannotMeasure, IOException, InterruptedException {
        replica.restart("--replicaof", "127.0.0.1 " + primary.port());
        awaitLink(replica);
    }

    /** Stops the primary server, and waits until all sentinels name its former replica instead. */
    void suspend() throws CannotMeasure, IOException, InterruptedException {
        primary.suspend();
        awaitPromotion();
    }

    /**
     * Resumes the server that was stopped, and waits until it is a replica. Until the sentinels
     * make it one it answers as a primary server.
     */
    void resume() throws CannotMeasure, IOException, InterruptedException {
        replica.resume();
        awaitLink(replica);
        replica.cli("ACL", "SETUSER", "default", "+psync", "+sync");
    }

    private void awaitPromotion() throws CannotMeasure, IOException, InterruptedException {
        var former = primary;
        primary = replica;
        replica = former;
        for (var sentinel : sentinels) {
            await(
                    sentinel,
                    Integer.toString(primary.port()),
                    "SENTINEL",
                    "GET-MASTER-ADDR-BY-NAME",
                    NAME);
        }
    }

    /** Waits until {@code replica} has all that its primary server had a moment ago. */
    static void awaitLink(Store replica) throws CannotMeasure, IOException, InterruptedException {
        await(replica, "master_link_status:up", "INFO", "replication");
    }

    /** Runs a command until what it prints contains {@code text}. */
    private static void await(Store server, String text, String... words)
            throws CannotMeasure, IOException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        var printed = server.cli(words);
        while (!printed.contains(text)) {
            if (System.nanoTime() - end > 0) {
                throw new CannotMeasure(
                        "%s: expected '%s', found '%s'"
                                .formatted(List.of(words), text.strip(), printed));
            }
            Thread.sleep(POLL);
            printed = server.cli(words);
        }
    }
}
