package dev.quire.bench.fleet;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The disturbances do what they say. */
@Timeout(300)
class DisturbancesIT {
    private static final String STORE = "redis-server";
    private static final String PONG = "+PONG\r\n";

    @TempDir private Path folder;

    @Test
    void aStoreIsSuspendedAndKilled() throws Exception {
        try (var store = Store.start(STORE, folder)) {
            store.cli("SET", "key", "value");
            store.suspend();
            try (var connection = connect(store.port())) {
                assertThatThrownBy(() -> ping(connection))
                        .isInstanceOf(SocketTimeoutException.class);
                store.resume();
                assertThat(answer(connection)).isEqualTo(PONG);
            }
            assertThat(store.cli("GET", "key")).isEqualTo("value");

            store.kill();
            store.restart();

            assertThat(store.cli("GET", "key")).isEmpty();
        }
    }

    @Test
    void aReplicaReplacesItsPrimaryServer() throws Exception {
        try (var group = StoreGroup.sentinels(STORE, folder)) {
            var failover = group.failover().orElseThrow();
            failover.awaitReady();
            var one = failover.primary();
            var other = failover.replica();
            one.cli("XADD", Store.LOG, "1-1", "entry", "first");

            failover.kill();

            assertThat(failover.primary()).isSameAs(other);
            assertThat(other.cli("ROLE")).startsWith("master");
            failover.restart();
            assertThat(one.cli("ROLE")).startsWith("slave");
            assertThat(one.cli("XLEN", Store.LOG)).isEqualTo("1");
            assertThat(failover.isBehind()).isFalse();

            failover.awaitReady();
            failover.separate();
            other.cli("XADD", Store.LOG, "1-2", "entry", "second");
            assertThat(failover.isBehind()).isTrue();
            failover.suspend();

            assertThat(one.cli("ROLE")).startsWith("master");
            failover.resume();
            assertThat(other.cli("ROLE")).startsWith("slave");
            assertThat(other.cli("XLEN", Store.LOG)).isEqualTo("1");
        }
    }

    @Test
    void recordsAreDamagedAndSwappedAndNothingElseIs() throws Exception {
        try (var store = Store.start(STORE, folder)) {
            store.cli("SET", "q1:{a}", "aaaa", "PX", "100000");
            store.cli("SET", "q1:{b}", "bbbb", "PX", "100000");
            store.cli("SET", "q1:{a}:l", "lease");
            store.cli("SET", "q1:{log}:e", "epoch");
            store.cli("XADD", "q1:{log}", "1-1", "entry", "purge");

            store.cli("EVAL", Nemeses.DAMAGE, "0");
            assertThat(store.cli("MGET", "q1:{a}", "q1:{b}", "q1:{a}:l", "q1:{log}:e"))
                    .isEqualTo("aaa?\nbbb?\nlease\nepoch");

            store.cli("EVAL", Nemeses.SWAP, "0");
            var swapped = store.cli("MGET", "q1:{a}", "q1:{b}", "q1:{a}:l", "q1:{log}:e");
            assertThat(swapped).isNotEqualTo("aaa?\nbbb?\nlease\nepoch").endsWith("lease\nepoch");
            assertThat(store.cli("XLEN", "q1:{log}")).isEqualTo("1");
            assertThat(Integer.parseInt(store.cli("TTL", "q1:{a}"))).isPositive();
        }
    }

    @Test
    void theNetworkIsCutOffAndHealed() throws Exception {
        var program = Toxiproxy.build(Path.of(""));
        assumeTrue(program.isPresent(), "Go is not installed, which builds toxiproxy");
        try (var store = Store.start(STORE, folder);
                var toxiproxy = Toxiproxy.start(program.get(), folder)) {
            int port = toxiproxy.lead(0, store.port());
            try (var connection = connect(port)) {
                assertThat(ping(connection)).isEqualTo(PONG);

                toxiproxy.cut(0);
                assertThatThrownBy(() -> ping(connection))
                        .isInstanceOf(SocketTimeoutException.class);
            }
            toxiproxy.heal(0);

            try (var connection = connect(port)) {
                assertThat(ping(connection)).isEqualTo(PONG);
            }
        }
    }

    @Test
    void aNamespaceIsCutOffAndHealed() throws Exception {
        assumeTrue(isRoot(), "network namespaces require root");
        try (var namespace = Namespace.create(2);
                var store = Store.start(STORE, folder, namespace);
                var cut = connect(namespace.address(0), store.port());
                var other = connect(namespace.address(1), store.port())) {
            assertThat(ping(cut)).isEqualTo(PONG);
            namespace.cut(0);
            assertThatThrownBy(() -> ping(cut)).isInstanceOf(SocketTimeoutException.class);
            assertThat(ping(other)).isEqualTo(PONG);
            assertThat(store.cli("PING")).isEqualTo("PONG");

            namespace.heal(0);

            cut.setSoTimeout(20_000);
            assertThat(answer(cut)).isEqualTo(PONG);
        }
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    private static Socket connect(int port) throws IOException {
        return connect("127.0.0.1", port);
    }

    private static Socket connect(String host, int port) throws IOException {
        var socket = new Socket(host, port);
        socket.setSoTimeout(500);
        return socket;
    }

    private static String ping(Socket connection) throws IOException {
        connection.getOutputStream().write("PING\r\n".getBytes(US_ASCII));
        return answer(connection);
    }

    private static String answer(Socket connection) throws IOException {
        return new String(connection.getInputStream().readNBytes(PONG.length()), US_ASCII);
    }
}
