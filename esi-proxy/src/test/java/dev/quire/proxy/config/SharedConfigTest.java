package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The shared store and the fleet of a configuration. */
class SharedConfigTest {
    private static final String ON = "shared: { servers: [\"store:6379\"] }\n";

    @TempDir Path directory;

    @Test
    void withoutAServerThereIsNoSharedTier() throws Exception {
        for (var yaml : new String[] {"", "shared:", "shared: { servers: [], queue: 10 }"}) {
            assertThat(read(yaml).shared().isOn()).isFalse();
            assertThat(read(yaml).shared().neededBytes()).isZero();
            assertThat(read(yaml).fleet().isOn()).isFalse();
        }
        // The values that "quire check --effective" shows.
        assertThat(read("fleet: { ack: log, lease: 5s, partition: serve }").fleet())
                .isEqualTo(FleetConfig.DEFAULTS);
        assertThat(read(ON).shared().isOn()).isTrue();
    }

    @Test
    void secretsAreReadFromFilesAndNotShown() throws Exception {
        Files.writeString(directory.resolve("password"), "open sesame\n".replace(' ', '-'));
        Files.writeString(directory.resolve("key"), "0123456789abcdefghijkl");
        var yaml =
                "shared: { servers: [\"store:6379\"], username: quire, password-file: password,"
                        + " key-file: key }\n";

        var shared = read(yaml).shared();

        assertThat(shared.username()).contains("quire");
        assertThat(shared.password().orElseThrow().text()).isEqualTo("open-sesame");
        assertThat(shared.key().orElseThrow().text()).isEqualTo("0123456789abcdefghijkl");
        assertThat(shared.toString()).doesNotContain("sesame", "0123456789");
        var options = Options.NONE.withTo("http://a").withFile(file(yaml));
        var shown =
                EffectiveText.of(
                        ConfigurationReader.shown(
                                options, ConfigurationSource.text(options), variable -> null));
        assertThat(shown).contains("username: quire").doesNotContain("sesame", "0123456789");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sentinel", "cluster"})
    void sentinelsAndClustersHaveSeveralServers(String mode) throws Exception {
        var servers = "servers: ['a:1', 'b:2'] }\n";
        var configuration =
                read("shared: { mode: " + mode + ", " + servers + "fleet: { name: a, " + servers);

        assertThat(configuration.shared().servers()).hasSize(2);
        assertThat(configuration.shared().master()).isEqualTo("mymaster");
        assertThat(configuration.logServers()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "shared: { mode: replica }; shared.mode: invalid value 'replica' (expected standalone | sentinel | cluster)",
                "shared: { master: news }; shared.master: has no effect with mode: standalone (expected mode: sentinel)",
                "shared: { mode: cluster, master: news }; shared.master: has no effect with mode: cluster (expected mode: sentinel)",
                "shared: { mode: sentinel, master: a b }; shared.master: invalid value 'a b' (expected 1 to 128 letters, digits, -, . and _, such as mymaster)",
                "shared: { type: file }; shared.type: invalid value 'file' (expected redis | memcached)",
                "shared: { type: memcached, mode: standalone }; shared.mode: does not apply to type: memcached (expected type: redis)",
                "shared: { type: memcached, username: quire }; shared.username: does not apply to type: memcached (expected type: redis)",
                "shared: { type: memcached, tls: off }; shared.tls: does not apply to type: memcached (expected type: redis)",
                "shared: { type: memcached, ca-file: ca.pem }; shared.ca-file: does not apply to type: memcached (expected type: redis)",
                "{ shared: { type: memcached, servers: ['a:1'] }, fleet: { ack: log } }; fleet.ack: needs a log, and memcached does not keep one (expected local)",
                "{ shared: { type: memcached, servers: ['a:1'] }, fleet: { lease: 9s } }; fleet.lease: does not apply to shared.type: memcached (expected shared.type: redis)",
                "{ shared: { type: memcached, servers: ['a:1'] }, fleet: { name: news } }; fleet.name: does not apply to shared.type: memcached (expected shared.type: redis)",
                "fleet: { bound: 2s }; fleet.bound: has no effect without such a store (expected shared.type: memcached)",
                "shared: { servers: [store] }; shared.servers[0]: invalid value 'store' (expected",
                "shared: { servers: ['a:1', 'b:1'] }; shared.servers: are 2 servers with mode: standalone (expected one server, or shared.mode: sentinel or cluster)",
                "shared: { username: quire }; shared.username: is given alone (expected password-file, the password of the user)",
                "shared: { password-file: /nowhere }; shared.password-file: invalid value '/nowhere' (expected a readable file that contains only 1 to 4096 visible ASCII characters)",
                "shared: { ca-file: ca.pem }; shared.ca-file: has no effect with tls: off (expected tls: on)",
                "shared: { tls: on, ca-file: /no/ca.pem }; shared.ca-file: /no/ca.pem cannot be read: no such file or directory (expected a readable file)",
                "shared: { namespace: '{a}' }; shared.namespace: invalid value '{a}' (expected 1 to 32 letters, digits, -, . and _, such as q1)",
                "shared: { max-object: 17MiB }; shared.max-object: invalid value '17MiB'",
                "shared: { lease: 1ms }; shared.lease: invalid value '1ms' (expected a duration such as 200ms, 15s, 5m, 1h or 7d, at least 100ms)",
                "shared: { compress: off }; shared.compress: is an unknown key",
                "shared: { connections: -1 }; shared.connections: invalid value '-1' (expected a whole number from 0 to 1000)",
                "fleet: { name: news }; fleet.name: has no effect without a store (expected shared.servers or fleet.servers)",
                "fleet: { node: a }; fleet.node: has no effect without a store (expected shared.servers or fleet.servers)",
                "fleet: { ack-timeout: 2s }; fleet.ack-timeout: has no effect without a store (expected shared.servers or fleet.servers)",
                "fleet: { lease: 9s }; fleet.lease: has no effect without a store (expected shared.servers or fleet.servers)",
                "fleet: { partition: revalidate }; fleet.partition: has no effect without a store (expected shared.servers or fleet.servers)",
                "fleet: { journal: 5 }; fleet.journal: has no effect without a store (expected shared.servers or fleet.servers)",
                "fleet: { replicas: 1 }; fleet.replicas: has no effect without a store (expected shared.servers or fleet.servers)",
                "{ shared: { type: memcached, servers: ['a:1'] }, fleet: { replicas: 1 } }; fleet.replicas: does not apply to shared.type: memcached (expected shared.type: redis)",
                "fleet: { ack: fleet }; fleet.ack: has no effect without a store (expected shared.servers or fleet.servers)",
                "fleet: { servers: ['a:1'] }; fleet.servers: has no effect without a name (expected fleet.name)",
                "fleet: { name: a, servers: ['a:1', 'b:1'] }; fleet.servers: are 2 servers with mode: standalone (expected one server, or shared.mode: sentinel or cluster)",
                "fleet: { ack: all }; fleet.ack: invalid value 'all' (expected local | log | fleet)",
            })
    void faultsSayWhatIsExpected(String yaml, String problem) throws Exception {
        var file = file(yaml);

        var invalid =
                catchThrowableOfType(InvalidConfiguration.class, () -> Configuration.check(file));

        assertThat(invalid.problems()).singleElement().asString().contains(": " + problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "shared: { servers: ['store:6379'], min-lifetime: 1s };",
                "shared: { servers: ['store:6380'] }; shared.servers",
                "shared: { queue: 2 }; shared.servers",
                "shared: { servers: ['store:6379'], mode: sentinel, master: news };"
                        + " shared.mode shared.master",
                "shared: { servers: ['store:6379'], tls: on, namespace: q2, max-object: 1KiB };"
                        + " shared.tls shared.namespace shared.max-object",
                "shared: { servers: ['store:6379'], max-ttl: 1h, timeout: 30ms, queue: 2,"
                        + " connections: 1, lease: 1s };"
                        + " shared.max-ttl shared.timeout shared.queue shared.connections"
                        + " shared.lease",
                "shared: { servers: ['store:6379'], password-file: secret, key-file: secret };"
                        + " shared.password-file shared.key-file",
            })
    void mostKeysNeedARestart(String yaml, String keys) throws Exception {
        Files.writeString(directory.resolve("secret"), "0123456789abcdefghijkl");
        var problems = read(ON).shared().changesThatNeedRestart(read(yaml).shared(), false);

        assertThat(problems)
                .extracting(Problem::key)
                .containsExactly(keys == null ? new String[0] : keys.split(" "));
    }

    @Test
    void theWayToTheLogOfAFleetNeedsARestartWithoutATier() throws Exception {
        var mode = read("shared: { mode: cluster, max-object: 1KiB, max-ttl: 1h }").shared();

        assertThat(read("").shared().changesThatNeedRestart(mode, true))
                .extracting(Problem::key)
                .containsExactly("shared.mode", "shared.max-ttl");
        assertThat(read("").shared().changesThatNeedRestart(mode, false)).isEmpty();
    }

    @Test
    void memcachedHasSeveralServersAndABound() throws Exception {
        var given =
                "shared: { type: memcached, servers: ['a:1', 'b:1'] }\n"
                        + "fleet: { bound: 3s, ack: local, ack-timeout: 2s }";

        assertThat(read(given).shared().isWithoutLog()).isTrue();
        assertThat(read(given).shared().servers()).hasSize(2);
        assertThat(read(given).fleet().bound()).isEqualTo(Duration.ofSeconds(3));
        assertThat(read(given).fleet().isOn()).isFalse();
        var other = read(given.replace("3s", "4s")).fleet();
        assertThat(read(given).fleet().changesThatNeedRestart(other, true))
                .extracting(Problem::key)
                .containsExactly("fleet.bound");
    }

    @Test
    void theNameAndTheLogOfAFleetNeedARestart() throws Exception {
        var on = "fleet: { name: news, servers: ['log:1'] }";
        var other =
                "fleet: { name: sport, servers: ['log:2'], node: b, lease: 9s,"
                        + " replicas: 2, journal: 1, ack: local, ack-timeout: 9s, partition: revalidate }";

        assertThat(read(on).fleet().changesThatNeedRestart(read(other).fleet(), false))
                .extracting(Problem::key)
                .containsExactly(
                        "fleet.name",
                        "fleet.node",
                        "fleet.servers",
                        "fleet.lease",
                        "fleet.replicas",
                        "fleet.journal");
        assertThat(
                        read(ON).fleet()
                                .changesThatNeedRestart(
                                        read(ON + "fleet: { lease: 9s }").fleet(), true))
                .extracting(Problem::key)
                .containsExactly("fleet.lease");
        assertThat(read("").fleet().changesThatNeedRestart(read(on).fleet(), false))
                .extracting(Problem::toString)
                .containsExactly(
                        "fleet.name: cannot be changed by a reload (expected null, or a restart)");
    }

    @Test
    void theStoreCountsInTheMemoryThatIsNeeded() throws Exception {
        long mib = 1 << 20;
        var configuration = read("cache: { memory: 512MiB }\n" + ON);

        assertThat(configuration.lackOfMemory((512 + 128 + 48) * mib)).isEmpty();
        assertThat(configuration.lackOfMemory((512 + 128 + 48) * mib - 1).orElseThrow().toString())
                .startsWith(
                        "cache.memory: 536870912 B plus 134217728 B for in-flight bodies and"
                                + " 50331648 B for the shared tier exceeds the JVM's direct memory"
                                + " limit of")
                .contains("-XX:MaxDirectMemorySize=721420288");
        var without = read("cache: { memory: 0 }\n" + ON);
        assertThat(without.transitBytes()).isEqualTo(16 * mib);
        assertThat(without.lackOfMemory((16 + 48) * mib)).isEmpty();
        assertThat(without.lackOfMemory((16 + 48) * mib - 1).orElseThrow().toString())
                .startsWith(
                        "cache.memory: 16777216 B for in-flight bodies and 50331648 B for the"
                                + " shared tier exceeds");
    }

    private Configuration read(String yaml) throws Exception {
        return Configuration.check(file(yaml));
    }

    private Path file(String yaml) throws Exception {
        return Files.writeString(directory.resolve("quire.yml"), yaml);
    }
}
