package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.LoadedConfiguration;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.store.StoreProcess;
import io.netty.pkitesting.CertificateBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Internal errors while a configuration replaces another one. */
class FailedReplacementTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir private Path directory;
    private volatile boolean isOutOfMemory;

    private final Time time =
            new Time() {
                @Override
                public Instant now() {
                    return Instant.now();
                }

                @Override
                public Instant wall() {
                    if (isOutOfMemory) {
                        throw new OutOfMemoryError("for the test");
                    }
                    return Instant.now();
                }
            };

    private Configuration configuration(int adminPort, String more) throws Exception {
        var file = directory.resolve("quire.yml");
        Files.writeString(
                file,
                """
                listen: { http: '127.0.0.1:0' }
                admin: { address: '127.0.0.1:%d' }
                origins: { a: { urls: ['http://a'] } }
                routes: [ { origin: a } ]
                """
                                .formatted(adminPort)
                        + more);
        return LoadedConfiguration.of(Options.NONE.withFile(file), warning -> {}).configuration();
    }

    @Test
    void portsOfAConfigurationThatCannotBeUsedAreClosed() throws Exception {
        var pair =
                new CertificateBuilder()
                        .subject("CN=a.test")
                        .addSanDnsName("a.test")
                        .setIsCertificateAuthority(true)
                        .ecp256()
                        .buildSelfSigned();
        Files.writeString(directory.resolve("a.pem"), pair.getCertificatePathPEM());
        Files.writeString(directory.resolve("a.key"), pair.getPrivateKeyPEM());
        int port = StoreProcess.freePort();
        var next = configuration(port, "tls: { certificates: [ { cert: a.pem, key: a.key } ] }\n");
        try (var proxy = new Proxy(configuration(StoreProcess.freePort(), ""), time)) {
            proxy.start();
            isOutOfMemory = true;

            assertThatThrownBy(() -> proxy.replace(next)).isInstanceOf(OutOfMemoryError.class);
            isOutOfMemory = false;

            assertThat(isFreeSoon(port)).isTrue();
        }
    }

    private static boolean isFreeSoon(int port) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - end < 0) {
            try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.isBound();
            } catch (IOException inUse) {
                LockSupport.parkNanos(1_000_000);
            }
        }
        return false;
    }
}
