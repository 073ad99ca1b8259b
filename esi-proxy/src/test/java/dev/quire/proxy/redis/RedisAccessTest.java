package dev.quire.proxy.redis;

import static dev.quire.proxy.redis.OpenStore.PLACE;
import static dev.quire.proxy.redis.OpenStore.VARIANT;
import static dev.quire.proxy.redis.OpenStore.bytes;
import static dev.quire.proxy.redis.OpenStore.record;
import static dev.quire.proxy.redis.OpenStore.settings;
import static dev.quire.proxy.redis.OpenStore.version;
import static dev.quire.proxy.redis.OpenStore.with;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.SharedRecords.Absent;
import dev.quire.proxy.cache.SharedRecords.Ending;
import dev.quire.proxy.cache.SharedRecords.None;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.redis.RedisSettings.Login;
import dev.quire.proxy.tls.OriginTls;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The user of the store and its permissions, and TLS. */
class RedisAccessTest {
    private static final Pattern USER = Pattern.compile("(?m)^ACL SETUSER (quire .*)$");

    @TempDir Path folder;

    /** The lines of the documentation: for each server, and in addition for those of a cluster. */
    private static List<String> lines() throws IOException {
        var lines = USER.matcher(Files.readString(Path.of("../docs/fleet.md")));
        var all = lines.results().map(line -> line.group(1)).toList();
        assertThat(all).describedAs("lines with ACL SETUSER in docs/fleet.md").hasSize(2);
        return all;
    }

    /** The first line, with a password in place of its placeholder. */
    private static String[] user(String password) throws IOException {
        return ("ACL SETUSER " + lines().getFirst().replace("PASSWORD", password)).split(" ");
    }

    private static void addUser(RedisServer server, boolean isOfCluster) throws IOException {
        server.cli(user("secret"));
        if (isOfCluster) {
            server.cli(("ACL SETUSER " + lines().getLast()).split(" "));
        }
        server.cli("ACL", "LOG", "RESET");
        server.cli("CONFIG", "RESETSTAT");
    }

    /** The commands of the documentation that no server has run. */
    private static List<String> unused(List<RedisServer> servers, boolean isOfCluster)
            throws IOException {
        var statistics =
                servers.stream()
                        .map(server -> server.cli("INFO", "commandstats"))
                        .collect(joining("\n"));
        return lines().subList(0, isOfCluster ? 2 : 1).stream()
                .flatMap(line -> Stream.of(line.split(" ")))
                .filter(word -> word.startsWith("+"))
                .filter(word -> !statistics.contains("cmdstat_" + word.substring(1) + ":"))
                .toList();
    }

    private static void useAllAsUser(
            List<RedisServer> servers, RedisSettings settings, boolean isOfCluster)
            throws Exception {
        for (var server : servers) {
            addUser(server, isOfCluster);
        }
        var user = asUser(settings, "secret");
        try (var store = OpenStore.open(user)) {
            store.awaitConnections(2);
            useAll(store);
            for (var server : servers) {
                server.cli("SCRIPT", "FLUSH");
            }
            assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
        }
        LogUse.all(user);
        for (var server : servers) {
            assertThat(server.cli("ACL", "LOG")).describedAs("refused commands").isEmpty();
        }
        assertThat(unused(servers, isOfCluster)).describedAs("superfluous").isEmpty();
    }

    private static RedisSettings asUser(RedisSettings given, String password) {
        return with(
                given, new Login(Optional.of("quire"), Optional.of(password)), Optional.empty());
    }

    private static void useAll(OpenStore store) {
        var record = record(version(1, 1), "page");
        assertThat(store.get(PLACE)).isEqualTo(new Absent());
        assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
        store.put(PLACE, version(1, 1), record);
        assertThat(bytes(store.get(PLACE))).isEqualTo(record);
        assertThat(bytes(store.lease(PLACE, null))).isEqualTo(record);
        for (var ending : Ending.values()) {
            store.records.release(VARIANT, ending);
        }
        store.records.remove(PLACE, version(1, 1), null);
        store.records.corrupt(PLACE);
        store.settle();
        assertThat(store.get(PLACE)).isEqualTo(new Absent());
        assertThat(store.records.count(TierWrite.STORED)).isEqualTo(1);
        assertThat(store.records.server().failure()).isEmpty();
    }

    @Test
    void theDocumentedUserIsAllowedAllThatIsNeededAndNoMore() throws Exception {
        try (var server = RedisServer.redis()) {
            useAllAsUser(List.of(server), server.settings(), false);
        }
    }

    @Test
    void theSameHoldsBehindSentinels() throws Exception {
        try (var servers = WatchedServers.start("redis-server", folder)) {
            var all = List.of(servers.primary(), servers.replica());
            useAllAsUser(all, servers.settings(), false);
        }
    }

    @Test
    void inAClusterItIsAllowedWhatFindsTheServersToo() throws Exception {
        try (var cluster = ClusterServers.start("redis-server", folder, false)) {
            useAllAsUser(cluster.servers(), cluster.settings(), true);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "FLUSHALL",
                "FLUSHDB",
                "KEYS *",
                "SCAN 0",
                "CONFIG GET maxmemory",
                "GET other",
                "GET q2:x",
                "SET other x",
                "EVAL return(redis.call('GET','other')) 0",
                "SUBSCRIBE other",
                "ACL LIST",
                "SHUTDOWN",
                "REPLICAOF NO ONE"
            })
    void theDocumentedUserIsAllowedNothingElse(String command) throws Exception {
        try (var server = RedisServer.redis()) {
            server.cli(user("secret"));
            var words = new ArrayList<>(List.of("--user", "quire", "--pass", "secret"));
            words.add("--no-auth-warning");
            words.addAll(List.of(command.split(" ")));

            assertThat(server.cli(words.toArray(String[]::new)))
                    .containsAnyOf(
                            "NOPERM", "can't access", "has no permissions", "No permissions");
        }
    }

    @ParameterizedTest
    @CsvSource({"-evalsha, NOPERM", "-set, The user executing the script can't run"})
    void aMissingPermissionIsNamed(String missing, String error) throws Exception {
        try (var server = RedisServer.redis()) {
            server.cli(user("secret"));
            server.cli("ACL", "SETUSER", "quire", missing);
            try (var store = OpenStore.of(server, given -> asUser(given, "secret"))) {
                assertThat(store.lease(PLACE, null)).isInstanceOf(None.class);

                assertThat(store.records.server().failure().orElseThrow())
                        .startsWith("a permission is missing in the store: ")
                        .containsAnyOf(error, "ACL failure in script")
                        .endsWith(
                                "(expected the permissions for shared.username in docs/fleet.md)");
            }
        }
    }

    @Test
    void aServerWithTlsIsCheckedByItsAuthorityAndItsNames() throws Exception {
        var authority = certificate("authority").setIsCertificateAuthority(true).buildSelfSigned();
        var stranger = certificate("stranger").setIsCertificateAuthority(true).buildSelfSigned();
        var own = certificate("127.0.0.1").addSanIpAddress("127.0.0.1").buildIssuedBy(authority);
        var other = certificate("other").addSanDnsName("other.example").buildIssuedBy(authority);

        try (var server = withTls(own);
                var named = OpenStore.of(server, given -> trusting(given, authority));
                var unknown = OpenStore.open(trusting(settings(server.port()), stranger));
                var plain = OpenStore.open(settings(server.port()))) {
            useAll(named);
            for (var refused : List.of(unknown, plain)) {
                refused.await(() -> refused.records.server().failure().isPresent());
                assertThat(refused.records.server().failure().orElseThrow())
                        .startsWith("no connection to the store: ");
                assertThat(refused.get(PLACE)).isInstanceOf(None.class);
            }
        }
        try (var server = withTls(other);
                var store = OpenStore.open(trusting(settings(server.port()), authority))) {
            store.await(() -> store.records.server().failure().isPresent());
            assertThat(store.records.server().failure().orElseThrow())
                    .contains("it is for [other.example], not for 127.0.0.1");
        }
    }

    private static CertificateBuilder certificate(String name) {
        return new CertificateBuilder()
                .subject("CN=" + name)
                .notBefore(Instant.now().minus(Duration.ofDays(1)))
                .notAfter(Instant.now().plus(Duration.ofDays(1)))
                .ecp256();
    }

    private static RedisSettings trusting(RedisSettings given, X509Bundle authority) {
        var tls =
                new OriginTls(
                        List.<X509Certificate>of(authority.getCertificate()),
                        Optional.empty(),
                        Optional.empty(),
                        true);
        return with(given, Login.NONE, Optional.of(tls));
    }

    private RedisServer withTls(X509Bundle bundle) throws Exception {
        var chain = Files.writeString(folder.resolve("chain.pem"), bundle.getCertificatePathPEM());
        var key = Files.writeString(folder.resolve("key.pem"), bundle.getPrivateKeyPEM());
        return RedisServer.withTls(chain, key);
    }
}
