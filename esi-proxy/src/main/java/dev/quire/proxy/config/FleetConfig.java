package dev.quire.proxy.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The {@code fleet} section.
 *
 * @param name of the fleet; empty for the usual one
 * @param node the name of this process; empty for the name of its machine
 * @param servers of the log; empty for those of the shared tier
 * @param ack how far an invalidation has come when it is answered
 * @param ackTimeout how long an answer waits for that
 * @param lease how long a process may go without the log before it counts as cut off
 * @param partition the use of stored responses by a process that is cut off
 * @param replicas of the store that have an invalidation when it is answered
 * @param journal limit of the invalidations that wait for the log
 * @param bound how long a process may use records that a purge of another one has covered, in a
 *     store without a log
 */
public record FleetConfig(
        Optional<String> name,
        Optional<String> node,
        List<HostPort> servers,
        Ack ack,
        Duration ackTimeout,
        Duration lease,
        Partition partition,
        int replicas,
        int journal,
        Duration bound) {

    /** Without a fleet. */
    public static final FleetConfig DEFAULTS =
            new FleetConfig(
                    Optional.empty(),
                    Optional.empty(),
                    List.of(),
                    Ack.LOG,
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(5),
                    Partition.SERVE,
                    0,
                    10_000,
                    Duration.ofSeconds(1));

    private static final String NAME = "name";
    private static final String NODE = "node";
    private static final String SERVERS = "servers";
    private static final String ACK = "ack";
    private static final String ACK_TIMEOUT = "ack-timeout";
    private static final String LEASE_KEY = "lease";
    private static final String PARTITION = "partition";
    private static final String REPLICAS_KEY = "replicas";
    private static final String JOURNAL_KEY = "journal";
    private static final ValueParser<Duration> LEASE = ValueParser.duration(Duration.ofSeconds(2));
    private static final String BOUND = "bound";
    private static final ValueParser<Duration> BOUND_TIME =
            ValueParser.duration(Duration.ofMillis(100));
    private static final ValueParser<Integer> REPLICAS = ValueParser.number(0, 100);
    private static final ValueParser<Integer> JOURNAL = ValueParser.number(1, 1_000_000);
    private static final ValueParser<String> NODE_NAME =
            ValueParser.scalar(
                    "name",
                    "1 to 128 letters, digits, -, . and _, such as a host name",
                    "[A-Za-z0-9._-]{1,128}",
                    text -> Optional.of(text).filter(it -> it.matches("[A-Za-z0-9._-]{1,128}")));

    /** How far an invalidation has come when it is answered. */
    public enum Ack {
        /** It holds in this process. */
        LOCAL,
        /** It is in the log of the fleet. */
        LOG,
        /** It holds in all live processes of the fleet. */
        FLEET
    }

    /** The use of stored responses without a connection to the log. */
    public enum Partition {
        SERVE,
        /** Each is validated first. */
        REVALIDATE
    }

    public FleetConfig {
        servers = List.copyOf(servers);
    }

    /**
     * @param shared the shared tier, whose mode is also that of the servers of the log
     */
    static FleetConfig read(Section section, SharedConfig shared) {
        var ack = section.value(ACK, ValueParser.oneOf(Ack.class), DEFAULTS.ack());
        var bound = section.value(BOUND, BOUND_TIME, DEFAULTS.bound());
        if (shared.isWithoutLog()) {
            checkWithoutLog(section, ack);
        } else if (!bound.equals(DEFAULTS.bound())) {
            section.wrong(BOUND, "has no effect without such a store", "shared.type: memcached");
        }
        var name = section.optional(NAME, ValueParser.NAME);
        var servers = section.list(SERVERS, ValueParser.ADDRESS, DEFAULTS.servers());
        if (name.isEmpty() && !servers.isEmpty()) {
            section.wrong(SERVERS, "has no effect without a name", "fleet.name");
        }
        SharedConfig.checkNumber(section, servers, shared.mode());
        var read =
                new FleetConfig(
                        name,
                        section.optional(NODE, NODE_NAME),
                        servers,
                        ack,
                        section.value(
                                ACK_TIMEOUT, ConfigurationReader.POSITIVE, DEFAULTS.ackTimeout()),
                        section.value(LEASE_KEY, LEASE, DEFAULTS.lease()),
                        section.value(
                                PARTITION,
                                ValueParser.oneOf(Partition.class),
                                DEFAULTS.partition()),
                        section.value(REPLICAS_KEY, REPLICAS, DEFAULTS.replicas()),
                        section.value(JOURNAL_KEY, JOURNAL, DEFAULTS.journal()),
                        bound);
        if (servers.isEmpty() && !shared.isOn()) {
            read.checkWithoutStore(section);
        }
        return read;
    }

    /** Memcached has no log: each process is on its own. */
    private static void checkWithoutLog(Section section, Ack ack) {
        for (var key :
                List.of(NAME, NODE, SERVERS, LEASE_KEY, PARTITION, REPLICAS_KEY, JOURNAL_KEY)) {
            if (section.has(key)) {
                section.wrong(
                        key, "does not apply to shared.type: memcached", "shared.type: redis");
            }
        }
        if (section.has(ACK) && ack != Ack.LOCAL) {
            section.wrong(ACK, "needs a log, and memcached does not keep one", "local");
        }
    }

    /** A process without a store is not in a fleet. */
    private void checkWithoutStore(Section section) {
        var values =
                Map.<String, Function<FleetConfig, Object>>of(
                        NAME, FleetConfig::name,
                        NODE, FleetConfig::node,
                        ACK, FleetConfig::ack,
                        ACK_TIMEOUT, FleetConfig::ackTimeout,
                        LEASE_KEY, FleetConfig::lease,
                        PARTITION, FleetConfig::partition,
                        REPLICAS_KEY, FleetConfig::replicas,
                        JOURNAL_KEY, FleetConfig::journal);
        values.forEach((key, value) -> {
            if (!value.apply(this).equals(value.apply(DEFAULTS))) {
                section.wrong(
                        key, "has no effect without a store", "shared.servers or fleet.servers");
            }
        });
    }

    /** Whether this process belongs to a fleet. */
    public boolean isOn() {
        return name.isPresent();
    }

    /**
     * Returns why a process with this section cannot continue with {@code next}.
     *
     * @param hasStore whether it has a shared tier
     */
    public List<Problem> changesThatNeedRestart(FleetConfig next, boolean hasStore) {
        var problems = new ArrayList<Problem>();
        var changes = new RestartChanges<>("fleet", this, next, problems);
        changes.add(NAME, it -> it.name.orElse("null"));
        if (hasStore || (isOn() && next.isOn())) {
            changes.add(NODE, it -> it.node.orElse("null"));
            changes.add(SERVERS, it -> it.servers.toString());
            changes.add(LEASE_KEY, it -> LEASE.writing().apply(it.lease));
            changes.add(REPLICAS_KEY, it -> REPLICAS.writing().apply(it.replicas));
            changes.add(JOURNAL_KEY, it -> JOURNAL.writing().apply(it.journal));
            changes.add(BOUND, it -> BOUND_TIME.writing().apply(it.bound));
        }
        return problems;
    }
}
