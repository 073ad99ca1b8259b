package dev.quire.proxy.config;

import dev.quire.proxy.tls.KeyPairFiles;
import dev.quire.proxy.tls.UnusableFile;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The {@code shared} section.
 *
 * @param servers of the store, or its sentinels; empty for no shared tier
 * @param master the name of the servers that the sentinels watch
 * @param username empty for the default user of the store
 * @param isTls whether connections are made with TLS
 * @param authorities of the servers' certificates; empty for those of the system
 * @param namespace begins all keys in the store
 * @param maxObjectBytes the longest record that is written
 * @param minLifetime responses with a shorter remaining lifetime are not written
 * @param maxTtl no record is kept longer
 * @param timeout how long a request waits for the store
 * @param queue limit of the requests that wait for the store
 * @param connections to each server at most; 0 for one of each event loop
 * @param lease how long others wait for a process that fetches
 * @param key signs records
 */
public record SharedConfig(
        Type type,
        List<HostPort> servers,
        Mode mode,
        String master,
        Optional<String> username,
        Optional<Secret> password,
        boolean isTls,
        List<X509Certificate> authorities,
        String namespace,
        int maxObjectBytes,
        Duration minLifetime,
        Duration maxTtl,
        Duration timeout,
        int queue,
        int connections,
        Duration lease,
        Optional<Secret> key) {

    /** Without a shared tier. */
    public static final SharedConfig DEFAULTS =
            new SharedConfig(
                    Type.REDIS,
                    List.of(),
                    Mode.STANDALONE,
                    "mymaster",
                    Optional.empty(),
                    Optional.empty(),
                    false,
                    List.of(),
                    "q1",
                    256 << 10,
                    Duration.ofSeconds(10),
                    Duration.ofHours(24),
                    Duration.ofMillis(20),
                    1_000,
                    0,
                    Duration.ofSeconds(2),
                    Optional.empty());

    private static final String TYPE_KEY = "type";
    private static final String SERVERS = "servers";
    private static final String MASTER = "master";
    private static final String USERNAME = "username";
    private static final String PASSWORD = "password-file";
    private static final String AUTHORITIES = "ca-file";
    private static final String KEY = "key-file";

    private static final ValueParser<Type> TYPE = ValueParser.oneOf(Type.class);
    private static final ValueParser<Mode> MODE = ValueParser.oneOf(Mode.class);
    private static final ValueParser<String> NAMESPACE =
            ValueParser.scalar(
                    "name",
                    "1 to 32 letters, digits, -, . and _, such as q1",
                    "[A-Za-z0-9._-]{1,32}",
                    text -> Optional.of(text).filter(it -> it.matches("[A-Za-z0-9._-]{1,32}")));
    private static final ValueParser<String> MASTER_NAME =
            ValueParser.scalar(
                    "name",
                    "1 to 128 letters, digits, -, . and _, such as mymaster",
                    "[A-Za-z0-9._-]{1,128}",
                    text -> Optional.of(text).filter(it -> it.matches("[A-Za-z0-9._-]{1,128}")));
    private static final ValueParser<String> USER =
            ValueParser.scalar(
                    "name",
                    "1 to 128 visible ASCII characters",
                    "[!-~]{1,128}",
                    text -> Optional.of(text).filter(it -> it.matches("[!-~]{1,128}")));
    private static final ValueParser<Integer> MAX_OBJECT = ValueParser.bytes(1 << 10, 16 << 20);
    private static final ValueParser<Integer> QUEUE = ValueParser.number(1, 100_000);
    private static final ValueParser<Integer> CONNECTIONS = ValueParser.number(0, 1_000);
    private static final ValueParser<Duration> TTL = ValueParser.duration(Duration.ofSeconds(1));
    private static final ValueParser<Duration> LEASE = ValueParser.duration(Duration.ofMillis(100));

    /** In Base64, 128 bits. */
    private static final int LEAST_KEY = 22;

    /** Limit of the responses that wait to be written, and of their records that are sent. */
    private static final long QUEUE_BYTES = 16L << 20;

    /** The records of that number of answers. */
    private static final long READING = 64;

    /** The kind of store. */
    public enum Type {
        /** Redis or Valkey. */
        REDIS,
        /** Memcached: records only, without a log of invalidations. */
        MEMCACHED
    }

    /** How the servers belong together. */
    public enum Mode {
        /** One server. */
        STANDALONE,
        /** The servers are sentinels, which know the primary one. */
        SENTINEL,
        /** Some servers of a cluster. */
        CLUSTER
    }

    public SharedConfig {
        servers = List.copyOf(servers);
        authorities = List.copyOf(authorities);
    }

    static SharedConfig read(Section section) {
        var type = section.value(TYPE_KEY, TYPE, DEFAULTS.type());
        var servers = section.list(SERVERS, ValueParser.ADDRESS, DEFAULTS.servers());
        var mode = section.value("mode", MODE, DEFAULTS.mode());
        var master = section.value(MASTER, MASTER_NAME, DEFAULTS.master());
        var username = section.optional(USERNAME, USER);
        var password = section.optional(PASSWORD, Secret.inFile(section.directory(), 1));
        boolean isTls = section.value("tls", ValueParser.SWITCH, DEFAULTS.isTls());
        var authorities = section.optional(AUTHORITIES, TlsReader.path(section));
        if (type == Type.MEMCACHED) {
            for (var key : List.of("mode", MASTER, USERNAME, PASSWORD, "tls", AUTHORITIES)) {
                if (section.has(key)) {
                    section.wrong(key, "does not apply to type: memcached", "type: redis");
                }
            }
        } else {
            checkNumber(section, servers, mode);
        }
        if (mode != Mode.SENTINEL && !master.equals(DEFAULTS.master())) {
            section.wrong(
                    MASTER,
                    "has no effect with mode: " + MODE.writing().apply(mode),
                    "mode: sentinel");
        }
        if (type == Type.REDIS && username.isPresent() && !section.has(PASSWORD)) {
            section.wrong(USERNAME, "is given alone", "password-file, the password of the user");
        }
        if (type == Type.REDIS && authorities.isPresent() && !isTls) {
            section.wrong(AUTHORITIES, "has no effect with tls: off", "tls: on");
        }
        return new SharedConfig(
                type,
                servers,
                mode,
                master,
                username,
                password,
                isTls,
                authorities
                        .filter(file -> isTls)
                        .map(file -> authorities(section, file))
                        .orElse(List.of()),
                section.value("namespace", NAMESPACE, DEFAULTS.namespace()),
                section.value("max-object", MAX_OBJECT, DEFAULTS.maxObjectBytes()),
                section.value(
                        "min-lifetime", ConfigurationReader.FROM_ZERO, DEFAULTS.minLifetime()),
                section.value("max-ttl", TTL, DEFAULTS.maxTtl()),
                section.value("timeout", ConfigurationReader.POSITIVE, DEFAULTS.timeout()),
                section.value("queue", QUEUE, DEFAULTS.queue()),
                section.value("connections", CONNECTIONS, DEFAULTS.connections()),
                section.value("lease", LEASE, DEFAULTS.lease()),
                section.optional(KEY, Secret.inFile(section.directory(), LEAST_KEY)));
    }

    /** Checks that {@code mode} may have so many {@code servers}. */
    static void checkNumber(Section section, List<HostPort> servers, Mode mode) {
        if (mode == Mode.STANDALONE && servers.size() > 1) {
            section.wrong(
                    SERVERS,
                    "are " + servers.size() + " servers with mode: standalone",
                    "one server, or shared.mode: sentinel or cluster");
        }
    }

    private static List<X509Certificate> authorities(Section section, Path file) {
        try {
            return KeyPairFiles.authorities(file);
        } catch (UnusableFile fault) {
            section.wrong(AUTHORITIES, fault.what(), fault.expected());
            return List.of();
        }
    }

    /** Whether there is a shared tier. */
    public boolean isOn() {
        return !servers.isEmpty();
    }

    /** Whether the store keeps no log of invalidations. */
    public boolean isWithoutLog() {
        return isOn() && type == Type.MEMCACHED;
    }

    /** Limit of the responses that wait to be written, and of their records that are sent. */
    public long queueBytes() {
        return isOn() ? QUEUE_BYTES : 0;
    }

    /** The direct memory that it needs. */
    public long neededBytes() {
        return isOn() ? 2 * QUEUE_BYTES + READING * maxObjectBytes : 0;
    }

    /**
     * Returns why a process with this section cannot continue with {@code next}.
     *
     * @param hasLog whether it has the log of a fleet, which is reached in the same way, with and
     *     without a shared tier
     */
    public List<Problem> changesThatNeedRestart(SharedConfig next, boolean hasLog) {
        var problems = new ArrayList<Problem>();
        var changes = new RestartChanges<>("shared", this, next, problems);
        changes.add(SERVERS, it -> it.servers.isEmpty() ? "none" : it.servers.toString());
        boolean hasTier = isOn() && next.isOn();
        if (hasTier) {
            changes.add(TYPE_KEY, it -> TYPE.writing().apply(it.type));
        }
        if (hasTier || hasLog) {
            changes.add("mode", it -> MODE.writing().apply(it.mode));
            changes.add(MASTER, it -> it.master);
            changes.add(USERNAME, it -> it.username.orElse("null"));
            changes.addHidden(PASSWORD, SharedConfig::password);
            changes.add("tls", it -> ValueParser.SWITCH.writing().apply(it.isTls));
            changes.addHidden(AUTHORITIES, SharedConfig::authorities);
            changes.add("namespace", SharedConfig::namespace);
            changes.add("max-ttl", it -> TTL.writing().apply(it.maxTtl));
        }
        if (hasTier) {
            changes.add("max-object", it -> MAX_OBJECT.writing().apply(it.maxObjectBytes));
            changes.add("timeout", it -> TTL.writing().apply(it.timeout));
            changes.add("queue", it -> QUEUE.writing().apply(it.queue));
            changes.add("connections", it -> CONNECTIONS.writing().apply(it.connections));
            changes.add("lease", it -> LEASE.writing().apply(it.lease));
            changes.addHidden(KEY, SharedConfig::key);
        }
        return problems;
    }
}
