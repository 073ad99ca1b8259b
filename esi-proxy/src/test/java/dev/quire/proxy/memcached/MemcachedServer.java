package dev.quire.proxy.memcached;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.proxy.store.StoreProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** A memcached server of a test, on a port of the loopback address. */
public final class MemcachedServer extends StoreProcess {
    private final List<String> options;

    private MemcachedServer(int port, List<String> options) {
        super(port);
        this.options = List.copyOf(options);
    }

    /**
     * Starts a server.
     *
     * @param options as on its command line
     */
    public static MemcachedServer with(String... options) {
        var server = new MemcachedServer(freePort(), List.of(options));
        server.start();
        return server;
    }

    @Override
    protected List<String> command() {
        var command =
                new ArrayList<>(
                        List.of("memcached", "-l", "127.0.0.1", "-p", port() + "", "-U", "0"));
        command.addAll(List.of("-t", "2"));
        if (System.getProperty("user.name", "").equals("root")) {
            command.addAll(List.of("-u", "root"));
        }
        command.addAll(options);
        return command;
    }

    /** Sends one command and returns the reply, without the last line end. */
    public String tell(String command) {
        try (var socket = connect()) {
            socket.getOutputStream().write((command + "\r\nmn\r\n").getBytes(ISO_8859_1));
            var reply = new ByteArrayOutputStream();
            while (!reply.toString(ISO_8859_1).endsWith("MN\r\n")) {
                int next = socket.getInputStream().read();
                if (next < 0) {
                    throw new AssertionError(command + ": " + reply.toString(ISO_8859_1));
                }
                reply.write(next);
            }
            return reply.toString(ISO_8859_1).replaceFirst("\r\nMN\r\n$", "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The value of {@code key}; empty if it is absent. */
    public String value(String key) {
        var reply = tell("mg " + key + " v");
        return reply.startsWith("VA ") ? reply.substring(reply.indexOf('\n') + 1) : "";
    }

    /** The seconds that an item has left; -1 for one without an end. */
    public long lifetime(String key) {
        var reply = tell("mg " + key + " t");
        if (!reply.startsWith("HD t")) {
            throw new AssertionError(key + ": " + reply);
        }
        return Long.parseLong(reply.substring("HD t".length()).strip());
    }

    /** Stores a value without an end. */
    public void set(String key, String value) {
        var reply = tell("ms " + key + " " + value.length() + "\r\n" + value);
        if (!reply.equals("HD")) {
            throw new AssertionError(key + ": " + reply);
        }
    }

    /** Removes all that it has. */
    public void flush() {
        tell("flush_all");
    }
}
