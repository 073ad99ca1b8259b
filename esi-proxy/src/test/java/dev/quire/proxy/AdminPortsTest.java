package dev.quire.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.proxy.admin.AdminActions;
import dev.quire.proxy.cli.CannotStart;
import dev.quire.proxy.config.Admin;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.Token;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.listen.Transport;
import dev.quire.proxy.store.StoreProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The admin port while a reload changes it. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdminPortsTest {
    private static final int EARLY_MILLIS = 300;
    private static final int PATIENCE_MILLIS = 20_000;
    private static final String FIRST = "first-token-of-the-test";
    private static final String OTHER = "other-token-of-the-test";

    private final Admin loopback =
            new Admin(
                    new HostPort("127.0.0.1", StoreProcess.freePort()),
                    Optional.empty(),
                    Optional.empty());
    private final HostPort everywhere = new HostPort("0.0.0.0", StoreProcess.freePort());
    private final Admin guarded = guarded(FIRST);
    private final Proxy proxy = new Proxy(Configuration.DEFAULTS, Time.system());
    private final CountDownLatch isHeld = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final AdminPorts ports = new AdminPorts(Transport.ofThisMachine(), holding());

    /** The operations of the proxy, where {@code /v1/tls} waits until it is released. */
    private AdminActions holding() {
        return (AdminActions)
                java.lang.reflect.Proxy.newProxyInstance(
                        AdminActions.class.getClassLoader(),
                        new Class<?>[] {AdminActions.class},
                        (self, method, arguments) -> {
                            if (method.getName().equals("certificates")) {
                                isHeld.countDown();
                                release.await();
                            }
                            return method.invoke(proxy.administration(), arguments);
                        });
    }

    @AfterEach
    void stop() {
        release.countDown();
        ports.close();
        proxy.close();
    }

    private Admin guarded(String token) {
        return new Admin(everywhere, Optional.of(new Token(token)), Optional.empty());
    }

    private void use(Admin admin) throws CannotStart {
        ports.open(admin).commit();
        ports.beginAccepting();
    }

    /** A connection to a port. */
    private static final class Asking implements AutoCloseable {
        private final Socket socket;

        Asking(Admin admin) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), admin.address().port());
        }

        Asking get(String target, String token) throws IOException {
            var request =
                    """
                    GET %s HTTP/1.1\r
                    Host: localhost\r
                    Authorization: Bearer %s\r
                    \r
                    """
                            .formatted(target, token);
            socket.getOutputStream().write(request.getBytes(UTF_8));
            return this;
        }

        /** The status. */
        String answer(int withinMillis) throws IOException {
            socket.setSoTimeout(withinMillis);
            var start = new String(socket.getInputStream().readNBytes(12), UTF_8);
            return start.substring(start.length() - 3);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static String answer(Admin admin, String token) throws IOException {
        try (var asking = new Asking(admin)) {
            return asking.get("/v1/bans", token).answer(PATIENCE_MILLIS);
        }
    }

    @Test
    void newPortAnswersOnceItIsInUse() throws Exception {
        use(loopback);
        var change = ports.open(guarded);
        try (var early = new Asking(guarded)) {
            early.get("/v1/bans", OTHER);
            assertThatThrownBy(() -> early.answer(EARLY_MILLIS))
                    .isInstanceOf(SocketTimeoutException.class);

            change.commit();
            ports.beginAccepting();

            assertThat(early.answer(PATIENCE_MILLIS)).isEqualTo("401");
            assertThat(answer(guarded, FIRST)).isEqualTo("200");
        }
    }

    @Test
    void portOfARefusedChangeNeverAnswers() throws Exception {
        use(loopback);
        var change = ports.open(guarded);
        try (var early = new Asking(guarded)) {
            early.get("/v1/bans", FIRST);
            change.discard();

            assertThatThrownBy(() -> early.answer(PATIENCE_MILLIS)).isNotNull();
            assertThat(answer(loopback, "")).isEqualTo("200");
        }
    }

    @Test
    void portThatIsReplacedNeedsItsTokenToTheEnd() throws Exception {
        use(guarded);
        try (var idle = new Asking(guarded);
                var asking = new Asking(guarded).get("/v1/tls", FIRST)) {
            isHeld.await();

            use(loopback);

            assertThat(answer(loopback, OTHER)).isEqualTo("200");
            assertThat(idle.get("/v1/bans", OTHER).answer(PATIENCE_MILLIS)).isEqualTo("401");
            release.countDown();
            assertThat(asking.answer(PATIENCE_MILLIS)).isEqualTo("200");
        }
    }

    @Test
    void portThatStaysNeedsTheNewToken() throws Exception {
        use(guarded);
        assertThat(answer(guarded, FIRST)).isEqualTo("200");

        use(guarded(OTHER));

        assertThat(answer(guarded, FIRST)).isEqualTo("401");
        assertThat(answer(guarded, OTHER)).isEqualTo("200");
    }

    /** A port of the proxy itself is in the way, which stays open until the change is complete. */
    @Test
    void addressThatThePortBeforeBlocksIsRefusedWithItsName() throws Exception {
        var probes = new HostPort("127.0.0.1", StoreProcess.freePort());
        use(new Admin(loopback.address(), Optional.empty(), Optional.of(probes)));
        var token = Optional.of(new Token(FIRST));
        var wide = new HostPort("0.0.0.0", loopback.address().port());
        var wideProbes = new HostPort("0.0.0.0", probes.port());

        assertThatThrownBy(() -> ports.open(new Admin(wide, token, Optional.of(probes))))
                .isInstanceOf(CannotStart.class)
                .hasMessage(
                        "admin.address: %s is in use by Quire itself, which listens on %s (expected"
                                + " another port, or a restart)",
                        wide, loopback.address());
        assertThatThrownBy(() ->
                        ports.open(
                                new Admin(
                                        loopback.address(),
                                        Optional.empty(),
                                        Optional.of(wideProbes))))
                .isInstanceOf(CannotStart.class)
                .hasMessageContaining("admin.probes: " + wideProbes + " is in use by Quire itself");
        assertThat(answer(loopback, "")).isEqualTo("200");
    }

    @Test
    void addressThatAnotherProgramHasIsRefused() throws Exception {
        use(loopback);
        try (var other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.2"))) {
            var taken = new HostPort("127.0.0.2", other.getLocalPort());

            assertThatThrownBy(
                            () -> ports.open(new Admin(taken, Optional.empty(), Optional.empty())))
                    .isInstanceOf(CannotStart.class)
                    .hasMessage("admin.address: %s is in use (expected a free port)", taken);
        }
    }
}
