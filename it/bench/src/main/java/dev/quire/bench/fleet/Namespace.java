package dev.quire.bench.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.bench.CannotMeasure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A network namespace for a store, which has a network interface for each node and one for this
 * process. The packets of an interface that is down are lost, and neither side is told. Requires
 * root. {@link #close} deletes it; so does the exit of this JVM, except by SIGKILL.
 */
final class Namespace implements Lines, AutoCloseable {
    /** Of those that are for benchmarks, 198.18.0.0/15. */
    private static final int NETWORKS = 256;

    /** Addresses of a line: its network, the two ends, and that of broadcasts. */
    private static final int ADDRESSES = 4;

    private static final String INSIDE = "n";

    private final String name = "quire" + ProcessHandle.current().pid();
    private final Thread hook = new Thread(this::delete, "delete-namespace");
    private final int lines;
    private final String network;

    private Namespace(int lines, String network) {
        this.lines = lines;
        this.network = network;
    }

    static Namespace create(int nodes) throws CannotMeasure, IOException, InterruptedException {
        var namespace = new Namespace(nodes + 1, freeNetwork());
        Runtime.getRuntime().addShutdownHook(namespace.hook);
        try {
            namespace.make();
            return namespace;
        } catch (IOException e) {
            namespace.close();
            throw new CannotMeasure(
                    "the network namespace cannot be made (expected root, and the Debian package"
                            + " iproute2): "
                            + e.getMessage());
        }
    }

    private static String freeNetwork() throws CannotMeasure, IOException, InterruptedException {
        int first = (int) (ProcessHandle.current().pid() % NETWORKS);
        for (int i = 0; i < NETWORKS; i++) {
            var network = "198.18." + (first + i) % NETWORKS;
            if (ip("-4", "addr", "show", "to", network + ".0/24").isEmpty()) {
                return network;
            }
        }
        throw new CannotMeasure("all networks of 198.18.0.0/16 are in use");
    }

    private void make() throws IOException, InterruptedException {
        ip("netns", "add", name);
        ip("-n", name, "link", "set", "lo", "up");
        for (int line = 0; line < lines; line++) {
            var inside = INSIDE + line;
            ip("link", "add", outside(line), "type", "veth", "peer", inside, "netns", name);
            ip("addr", "add", address(line, 1) + "/30", "dev", outside(line));
            ip("link", "set", outside(line), "up");
            ip("-n", name, "addr", "add", address(line, 2) + "/30", "dev", inside);
            ip("-n", name, "link", "set", inside, "up");
        }
    }

    private String outside(int line) {
        return "q%dn%d".formatted(ProcessHandle.current().pid(), line);
    }

    private String address(int line, int end) {
        return "%s.%d".formatted(network, ADDRESSES * line + end);
    }

    /** The address of the store for this process, whose line is never cut. */
    String address() {
        return address(0, 2);
    }

    /** The address of the store for {@code node}. */
    String address(int node) {
        return address(node + 1, 2);
    }

    /** The same command inside. */
    List<String> enter(List<String> command) {
        var entering = new ArrayList<>(List.of("ip", "netns", "exec", name));
        entering.addAll(command);
        return entering;
    }

    @Override
    public void cut(int node) throws IOException, InterruptedException {
        ip("-n", name, "link", "set", INSIDE + (node + 1), "down");
    }

    @Override
    public void heal(int node) throws IOException, InterruptedException {
        ip("-n", name, "link", "set", INSIDE + (node + 1), "up");
    }

    /** Returns what the command {@code ip} prints. */
    private static String ip(String... words) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var printed = process.getInputStream()) {
            var text = new String(printed.readAllBytes(), UTF_8).strip();
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + text);
            }
            return text;
        }
    }

    /** The lines end with the namespace only once the last process in it has ended. */
    private void delete() {
        for (int line = 0; line < lines; line++) {
            ignoreAbsent("link", "del", outside(line));
        }
        ignoreAbsent("netns", "del", name);
    }

    private static void ignoreAbsent(String... words) {
        try {
            ip(words);
        } catch (IOException absent) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        delete();
        Runtime.getRuntime().removeShutdownHook(hook);
    }
}
