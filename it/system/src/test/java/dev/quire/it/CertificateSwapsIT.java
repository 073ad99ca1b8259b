package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Certificates that are replaced while clients open connections, each with a handshake and a
 * request. The system property {@code quire.swaps.connections} sets their number.
 */
class CertificateSwapsIT {
    private static final int CONNECTIONS = Integer.getInteger("quire.swaps.connections", 2_500);
    private static final int CLIENTS = 8;
    private static final int VERSIONS = 6;

    /** The name of each certificate's host, and of its files. */
    private static final List<String> HOSTS =
            List.of("written.test", "renamed.test", "linked.test");

    @TempDir private Path directory;

    private final Origin origin = Origin.start();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicInteger opened = new AtomicInteger();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    @AfterEach
    void stop() {
        origin.close();
    }

    @Test
    void noConnectionFailsWhileCertificatesAreReplaced() throws Exception {
        origin.otherwise(request -> Answer.html("answered").field("Cache-Control", "max-age=600"));
        var certificates = new Certificates(directory);
        var versions = new ArrayList<X509Bundle>();
        for (int i = 0; i < VERSIONS; i++) {
            versions.add(certificates.server(false, HOSTS.toArray(String[]::new)));
        }
        write(versions.getFirst());
        linkTo(0, versions.getFirst());
        for (var part : List.of("crt", "key")) {
            Files.createSymbolicLink(
                    file("linked.test", part), Path.of("..data", "linked.test." + part));
        }
        try (var proxy = ReloadableProxy.start(directory, yaml())) {
            var clients = new ArrayList<Thread>();
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                // A resumed session would have the certificate of its beginning.
                var client = certificates.trusting().forgettingSessions();
                clients.add(Thread.ofPlatform().start(() -> ask(proxy, client, number)));
            }
            for (int i = 1; i < VERSIONS; i++) {
                awaitUse(i);
                write(versions.get(i));
                rename(versions.get(i));
                linkTo(i, versions.get(i));
                // The files are also read each second, between any two writes.
                assertThat(proxy.post("/v1/tls/reload").status()).isEqualTo(200);
            }
            awaitUse(VERSIONS);
            isOver.set(true);
            for (var client : clients) {
                client.join();
            }

            Figure.print(
                    "certificates",
                    "failed connections of %d during %d replacements of each certificate"
                            .formatted(opened.get(), VERSIONS - 1),
                    failures.size(),
                    0);
            assertThat(failures).isEmpty();
        }
    }

    /** Waits until clients have got so many certificates for each host, and for connections. */
    private void awaitUse(int versions) {
        int due = CONNECTIONS * versions / VERSIONS;
        ReloadableProxy.await(
                () -> seen.size() == HOSTS.size() * versions, "another certificate for each host");
        ReloadableProxy.await(() -> opened.get() >= due, "further connections");
    }

    private String yaml() {
        var pairs = new ArrayList<String>();
        for (var host : HOSTS) {
            pairs.add("{ cert: %1$s.crt, key: %1$s.key }".formatted(host));
        }
        return """
        listen: { http: "127.0.0.1:0", https: "127.0.0.1:0" }
        admin: { address: "127.0.0.1:0" }
        tls: { check-every: 1s, certificates: %s }
        log: { access: off }
        cache: { memory: 16MiB }
        origins: { o: { urls: ["%s"] } }
        routes: [ { path: "/**", origin: o } ]
        """
                .formatted(pairs, origin.url());
    }

    private Path file(String host, String part) {
        return directory.resolve(host + "." + part);
    }

    /** Overwrites both files in place: for a moment they do not fit, or are cut off. */
    private void write(X509Bundle bundle) throws IOException {
        for (var host : List.of("written.test", "renamed.test")) {
            if (host.equals("written.test") || !Files.exists(file(host, "crt"))) {
                Files.writeString(file(host, "crt"), bundle.getCertificatePathPEM());
                Files.writeString(file(host, "key"), bundle.getPrivateKeyPEM());
            }
        }
    }

    private void rename(X509Bundle bundle) throws IOException {
        var next = directory.resolve("next");
        Files.writeString(next, bundle.getCertificatePathPEM());
        Files.move(next, file("renamed.test", "crt"), StandardCopyOption.ATOMIC_MOVE);
        Files.writeString(next, bundle.getPrivateKeyPEM());
        Files.move(next, file("renamed.test", "key"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Replaces the link {@code ..data} to the folder of all files, as Kubernetes does. */
    private void linkTo(int version, X509Bundle bundle) throws IOException {
        var folder = Files.createDirectory(directory.resolve("..v" + version));
        Files.writeString(folder.resolve("linked.test.crt"), bundle.getCertificatePathPEM());
        Files.writeString(folder.resolve("linked.test.key"), bundle.getPrivateKeyPEM());
        var next = Files.createSymbolicLink(directory.resolve("..next"), folder.getFileName());
        Files.move(next, directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Opens connections for all hosts in turn until there are enough. */
    private void ask(ReloadableProxy proxy, Certificates.Client client, int first) {
        for (int i = first; !isOver.get() || opened.get() < CONNECTIONS; i++) {
            opened.incrementAndGet();
            var host = HOSTS.get(i % HOSTS.size());
            try (var socket = client.connect(proxy.addresses.https(), host);
                    var wire = HttpWire.to(proxy.addresses.https(), socket)) {
                seen.add(host + " " + Certificates.received(socket).getSerialNumber());
                var response = wire.get("/", "Host", host);
                if (response.status() != 200) {
                    failures.add(host + ": " + response.status());
                }
            } catch (IOException | UncheckedIOException | AssertionError e) {
                failures.add(host + ": " + e);
            }
        }
    }
}
