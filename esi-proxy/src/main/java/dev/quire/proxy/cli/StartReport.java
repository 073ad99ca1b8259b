package dev.quire.proxy.cli;

import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.HostPort;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Describes the proxy that has started, for people: each fact on one line of standard error. */
final class StartReport {
    private static final long PATIENCE_SECONDS = 3;
    private static final int MOST_ROUTES = 20;

    private final String version;
    private final Optional<Path> file;
    private final Configuration configuration;
    private final ListenAddresses addresses;

    StartReport(
            String version,
            Optional<Path> file,
            Configuration configuration,
            ListenAddresses addresses) {
        this.version = version;
        this.file = file;
        this.configuration = configuration;
        this.addresses = addresses;
    }

    /** Prints it once the first health check of each server has a result, or after a limit. */
    void print(List<ServerHealth> servers, PrintWriter to) {
        var results =
                servers.stream().map(ServerHealth::first).toArray(CompletableFuture<?>[]::new);
        var all = CompletableFuture.allOf(results);
        if (all.isDone()) {
            print(text(servers), to);
        } else {
            // The servers' own futures are not completed by the limit.
            all.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .whenCompleteAsync(
                            (none, late) -> print(text(servers), to),
                            task -> Thread.ofVirtual().name("quire-report").start(task));
        }
    }

    private static void print(String text, PrintWriter to) {
        to.print(text);
        to.flush();
    }

    private String text(List<ServerHealth> servers) {
        var text = new StringBuilder();
        line(text, version, "on Java " + Runtime.version());
        line(text, "configuration", file.map(Path::toString).orElse("none, all defaults"));
        for (var client : addresses.clients()) {
            line(text, "clients", client.shown() + (client.configured().isTls() ? " by TLS" : ""));
        }
        var admin = configuration.admin();
        line(
                text,
                "admin",
                address(admin.address(), addresses.admin())
                        + (admin.token().isPresent() ? " with a token" : ""));
        admin.probes()
                .ifPresent(probes ->
                        line(
                                text,
                                "probes",
                                address(probes, addresses.probes().orElse(addresses.admin()))));
        var cache = configuration.cache();
        line(
                text,
                "memory",
                "%s for stored responses, %s for bodies in transit, heap of at most %s"
                        .formatted(
                                mebibytes(cache.memoryBytes()),
                                mebibytes(configuration.transitBytes()),
                                mebibytes(Runtime.getRuntime().maxMemory())));
        var disk = configuration.disk();
        disk.path()
                .ifPresent(path ->
                        line(
                                text,
                                "disk",
                                "%s in %s, index of at most %s"
                                        .formatted(
                                                mebibytes(disk.sizeBytes()),
                                                path,
                                                mebibytes(disk.indexBytes()))));
        for (var server : servers) {
            line(
                    text,
                    "origin " + server.origin(),
                    server.url() + " " + server.first().getNow("no result yet"));
        }
        var routes = configuration.routes();
        routes.stream()
                .limit(MOST_ROUTES)
                .forEach(route ->
                        line(text, "route", route.host() + route.path() + " to " + route.origin()));
        if (routes.size() > MOST_ROUTES) {
            line(text, "route", "and " + (routes.size() - MOST_ROUTES) + " more");
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String name, String value) {
        text.append(name).append(": ").append(value).append(System.lineSeparator());
    }

    private static String address(HostPort configured, InetSocketAddress bound) {
        return new HostPort(configured.host(), bound.getPort()).toString();
    }

    private static String mebibytes(long bytes) {
        return (bytes >> 20) + " MiB";
    }
}
