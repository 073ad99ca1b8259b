package dev.quire.proxy.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.proxy.store.StoreProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A Redis or Valkey server of a test, on a port of the loopback address, without files. */
public final class RedisServer extends StoreProcess {
    /** The program of Redis. */
    public static final String REDIS = "redis-server";

    /** The program of Valkey. */
    public static final String VALKEY = "valkey-server";

    private final String program;
    private final @Nullable Path configuration;
    private final List<String> options;
    private final boolean isTls;

    private RedisServer(
            String program,
            @Nullable Path configuration,
            int port,
            List<String> options,
            boolean isTls) {
        super(port);
        this.program = program;
        this.configuration = configuration;
        this.options = List.copyOf(options);
        this.isTls = isTls;
    }

    /**
     * Starts a Redis server.
     *
     * @param options as on its command line, such as {@code --requirepass secret}
     */
    public static RedisServer redis(String... options) {
        return of(REDIS, options);
    }

    /** Starts a Redis server that takes connections with TLS only, and asks for no certificate. */
    public static RedisServer withTls(Path chain, Path key) {
        var options = List.of("--tls-cert-file", chain + "", "--tls-key-file", key + "");
        var server = new RedisServer(REDIS, null, freePort(), options, true);
        server.start();
        return server;
    }

    /** Starts {@code program}, a server with the options of Redis. */
    public static RedisServer of(String program, String... options) {
        var server = new RedisServer(program, null, freePort(), List.of(options), false);
        server.start();
        return server;
    }

    /** Starts {@code program} as a sentinel, whose settings and state are in a file. */
    static RedisServer sentinel(String program, Path configuration) {
        var options = List.of("--sentinel");
        var server = new RedisServer(program, configuration, freePort(), options, false);
        server.start();
        return server;
    }

    /** Starts {@code program} as a server of a cluster, whose state is in {@code file}. */
    static RedisServer ofCluster(String program, Path file) {
        int busPort = freePort();
        var options =
                List.of(
                        "--cluster-enabled",
                        "yes",
                        "--cluster-config-file",
                        file + "",
                        "--cluster-port",
                        busPort + "",
                        "--cluster-node-timeout",
                        "1000",
                        "--repl-diskless-sync-delay",
                        "0");
        var server = new RedisServer(program, null, freePort(), options, false);
        server.start();
        return server;
    }

    /** The port of the other servers of its cluster. */
    String busPort() {
        return options.get(options.indexOf("--cluster-port") + 1);
    }

    /** The way to it. */
    public RedisSettings settings() {
        return OpenStore.settings(port());
    }

    @Override
    protected List<String> command() {
        var command = new ArrayList<>(List.of(program));
        if (configuration != null) {
            command.add(configuration + "");
        }
        command.addAll(List.of("--bind", "127.0.0.1"));
        command.addAll(
                isTls
                        ? List.of("--port", "0", "--tls-port", port() + "")
                        : List.of("--port", port() + ""));
        command.addAll(isTls ? List.of("--tls-auth-clients", "no") : List.of());
        command.addAll(List.of("--save", "", "--appendonly", "no", "--daemonize", "no"));
        command.addAll(List.of("--dir", Path.of(System.getProperty("java.io.tmpdir")) + ""));
        // A replica has a file for a moment. Else the next server would read it.
        command.addAll(List.of("--rdb-del-sync-files", "yes", "--dbfilename", port() + ".rdb"));
        command.addAll(options);
        return command;
    }

    private static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Runs one command, as {@code redis-cli} does, and returns what that prints. */
    public String cli(String... words) {
        var command = new ArrayList<>(List.of("redis-cli", "-p", port() + ""));
        command.addAll(List.of(words));
        return run(command);
    }

    /** All that it has: strings, and entries of streams and hashes. */
    public List<byte[]> values() {
        return cli("--scan")
                .lines()
                .map(key -> {
                    var command =
                            switch (cli("TYPE", key)) {
                                case "stream" -> List.of("XRANGE", key, "-", "+");
                                case "hash" -> List.of("HGETALL", key);
                                default -> List.of("GET", key);
                            };
                    var raw = new ArrayList<>(List.of("redis-cli", "-p", port() + "", "--raw"));
                    raw.addAll(command);
                    return printed(raw);
                })
                .toList();
    }

    /** Runs one command until what it prints contains {@code text}. */
    public void awaitPrinted(String text, String... words) {
        long end = System.nanoTime() + LONGEST_START.toNanos();
        var printed = cli(words);
        while (!printed.contains(text)) {
            if (System.nanoTime() > end) {
                throw new AssertionError(List.of(words) + ": " + printed);
            }
            pause();
            printed = cli(words);
        }
    }

    /** Waits until it has all that its primary server has. */
    public void awaitCopyOf(RedisServer primary) {
        long end = System.nanoTime() + LONGEST_START.toNanos();
        while (!offset().equals(primary.offset())) {
            if (System.nanoTime() > end) {
                throw new AssertionError(offset() + " of " + primary.offset());
            }
            pause();
        }
    }

    private String offset() {
        return cli("INFO", "replication")
                .lines()
                .filter(line -> line.startsWith("master_repl_offset:"))
                .findFirst()
                .orElseThrow();
    }

    private static String run(List<String> command) {
        return new String(printed(command), UTF_8).strip();
    }

    private static byte[] printed(List<String> command) {
        try {
            var running = new ProcessBuilder(command).redirectErrorStream(true).start();
            var printed = running.getInputStream().readAllBytes();
            if (running.waitFor() != 0) {
                throw new AssertionError(command + ": " + new String(printed, UTF_8));
            }
            return printed;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
