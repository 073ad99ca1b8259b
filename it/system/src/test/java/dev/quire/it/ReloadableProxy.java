package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.proxy.Proxy;
import dev.quire.proxy.cli.ListenAddresses;
import dev.quire.proxy.config.LoadedConfiguration;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.exchange.Time;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Response;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A proxy with a configuration file, which it can read again. */
final class ReloadableProxy implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    final Proxy proxy;
    final ListenAddresses addresses;
    private final Path file;

    private ReloadableProxy(Proxy proxy, ListenAddresses addresses, Path file) {
        this.proxy = proxy;
        this.addresses = addresses;
        this.file = file;
    }

    /** Starts it with {@code yaml} as the whole file. */
    static ReloadableProxy start(Path directory, String yaml) throws Exception {
        return start(directory, yaml, Options.NONE);
    }

    static ReloadableProxy start(Path directory, String yaml, Options options) throws Exception {
        var file = directory.resolve("quire.yml");
        Files.writeString(file, yaml);
        var loaded = LoadedConfiguration.of(options.withFile(file), warning -> {});
        var proxy = new Proxy(loaded, Time.system());
        return new ReloadableProxy(proxy, proxy.start(), file);
    }

    /** Changes the file. */
    void write(String yaml) {
        try {
            Files.writeString(file, yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path file() {
        return file;
    }

    HttpWire connect() {
        return HttpWire.to(addresses.http());
    }

    Response get(String target) {
        try (var client = connect()) {
            return client.get(target);
        }
    }

    /** Posts to {@code target} of the admin port, without a body. */
    Response post(String target, String... fields) {
        return post(addresses.admin(), target, "application/json", "", fields);
    }

    static Response post(
            InetSocketAddress admin, String target, String type, String body, String... fields) {
        try (var operator = HttpWire.to(admin)) {
            var all = new String[fields.length + 2];
            System.arraycopy(fields, 0, all, 0, fields.length);
            all[fields.length] = "Content-Type";
            all[fields.length + 1] = type;
            return operator.request("POST", target, body.getBytes(UTF_8), all).response();
        }
    }

    Response ask(String target, String... fields) {
        try (var operator = HttpWire.to(addresses.admin())) {
            return operator.get(target, fields);
        }
    }

    /** Reads the file again, successfully. */
    void reload() {
        var answer = post("/v1/config/reload");
        if (answer.status() != 200) {
            throw new AssertionError("expected a reload, found " + answer.text());
        }
    }

    String generation() {
        return metric("quire_config_generation");
    }

    /** The value of the only line that begins with {@code name}. */
    String metric(String name) {
        return ask("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElse("absent");
    }

    static void await(BooleanSupplier reached, String expected) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("expected " + expected);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void close() {
        proxy.close();
    }
}
