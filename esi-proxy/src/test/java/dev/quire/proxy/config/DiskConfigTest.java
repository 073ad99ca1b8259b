package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The disk tier of a configuration, and the memory that it needs. */
class DiskConfigTest {
    private static final long MIB = 1 << 20;

    private static final String ON = "disk: { path: ./c }\n";

    @TempDir Path directory;

    @Test
    void withoutAPathThereIsNoTierAndNothingIsNeededForIt() throws Exception {
        for (var yaml : new String[] {"disk:", "disk: { path: }", "disk: { size: 1GiB }"}) {
            var configuration = read(yaml);

            assertThat(configuration.disk().isOn()).isFalse();
            assertThat(configuration.disk().neededBytes()).isZero();
            assertThat(configuration.transitBytes()).isEqualTo(128 * MIB);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 64", "1MiB, 64", "256MiB, 64", "260MiB, 65", "1GiB, 256"})
    void bodiesInTransitHaveAQuarterOfTheMemoryButTheQueueAtLeast(String memory, long mebibytes)
            throws Exception {
        var configuration = read("cache: { memory: " + memory + ", max-object: 1MiB }\n" + ON);

        assertThat(configuration.transitBytes()).isEqualTo(mebibytes * MIB);
    }

    @Test
    void withoutMemoryTheLargestBodyIsTheDefault() throws Exception {
        assertThat(read("cache: { memory: 0 }\n" + ON).cache().maxObjectBytes())
                .isEqualTo(16 * MIB);
        assertThat(read("cache: { memory: 0B, max-object: 16MiB }\n" + ON).cache().memoryBytes())
                .isZero();
    }

    @Test
    void valuesAreShownAsAFileHasThem() throws Exception {
        var yaml = "cache: { memory: 0 }\ndisk: { path: ./c, write-limit: 1536KiB/s }\n";
        var options = Options.NONE.withTo("http://a").withFile(file(yaml));
        var text = ConfigurationSource.text(options);

        var shown = EffectiveText.of(ConfigurationReader.shown(options, text, variable -> null));

        assertThat(shown).contains("  path: " + directory + "/./c\n", "  write-limit: 1536KiB/s\n");
        assertThat(shown).containsPattern("(?m)^  memory: '?0'?$");
        assertThat(Configuration.check(file(shown.replaceAll("(?m)^to: .*\\n", ""))).disk())
                .isEqualTo(read(yaml).disk());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "disk: { path: ./c, min-lifetime: 1s, write-limit: 1MiB/s, io-timeout: 1s };",
                "disk: { path: ./c, sendfile-from: 4KiB };",
                "disk: { path: c/../c/. };",
                "disk: { path: ./d }; disk.path",
                "disk: { path: }; disk.path",
                "disk: { path: ./c, size: 1GiB }; disk.size",
                "disk: { path: ./c, index: 1MiB }; disk.index",
                "disk: { path: ./c, io-threads: 5 }; disk.io-threads",
                "disk: { path: ./d, size: 1GiB, index: 2MiB, io-threads: 5 };"
                        + " disk.path disk.size disk.index disk.io-threads",
            })
    void someKeysNeedARestart(String yaml, String keys) throws Exception {
        var problems = read(ON).disk().changesThatNeedRestart(read(yaml).disk());

        assertThat(problems)
                .extracting(Problem::key)
                .containsExactly(keys == null ? new String[0] : keys.split(" "));
    }

    @Test
    void aTierIsNotOpenedByAReloadEither() throws Exception {
        assertThat(read("").disk().changesThatNeedRestart(read(ON).disk()))
                .extracting(Problem::toString)
                .containsExactly(
                        "disk.path: cannot be changed by a reload (expected null, or a restart)");
        assertThat(read("").disk().changesThatNeedRestart(read("disk: { size: 1GiB }").disk()))
                .isEmpty();
    }

    @Test
    void aChangeNamesTheValueInUse() throws Exception {
        var next = read("disk: { path: ./c, index: 1MiB, io-threads: 5 }").disk();

        assertThat(read(ON).disk().changesThatNeedRestart(next))
                .extracting(Problem::toString)
                .containsExactly(
                        "disk.index: cannot be changed by a reload (expected 128MiB, or a restart)",
                        "disk.io-threads: cannot be changed by a reload (expected 4, or a restart)");
    }

    @Test
    void theTierCountsInTheMemoryThatIsNeeded() throws Exception {
        var configuration = read("cache: { memory: 512MiB }\n" + ON);

        assertThat(configuration.lackOfMemory((512 + 128 + 128 + 64) * MIB)).isEmpty();
        assertThat(configuration.lackOfMemory((512 + 128 + 128 + 64) * MIB - 1).orElseThrow())
                .hasToString(
                        "cache.memory: 536870912 B plus 134217728 B for in-flight bodies and"
                                + " 201326592 B for the disk tier (disk.index and its queue)"
                                + " exceeds the JVM's direct memory limit of 872415231 B (expected"
                                + " at most 536870908 B, a smaller disk.index, or the JVM option"
                                + " -XX:MaxDirectMemorySize=872415232, which bin/quire takes from"
                                + " QUIRE_JVM_OPTIONS)");
    }

    /** It is not in the direct memory that is needed: heads are on the heap. */
    @Test
    void headsHaveAnEighthOfTheIndex() throws Exception {
        assertThat(read("disk: { path: ./c, index: 16MiB }").disk().headBytes()).isEqualTo(2 * MIB);
        assertThat(read(ON).disk().fileFromBytes()).isEqualTo(16 << 10);
    }

    @Test
    void theMemoryThatIsExpectedSuffices() throws Exception {
        for (long available : new long[] {257 * MIB, 300 * MIB, 513 * MIB, 600 * MIB}) {
            var lack = read("cache: { memory: 1GiB }\n" + ON).lackOfMemory(available).orElseThrow();
            var most = lack.expected().replaceAll("at most (\\d+) B.*", "$1");
            var fitting = "cache: { memory: " + most + "B, max-object: 1MiB }\n" + ON;

            assertThat(read(fitting).lackOfMemory(available)).describedAs(most).isEmpty();
        }
    }

    @Test
    void anIndexThatIsTooLargeIsNamedWithoutMemory() throws Exception {
        var configuration = read("cache: { memory: 0 }\n" + ON);

        assertThat(configuration.lackOfMemory(256 * MIB)).isEmpty();
        assertThat(configuration.lackOfMemory(256 * MIB - 1).orElseThrow())
                .hasToString(
                        "disk.index: 67108864 B for in-flight bodies and 201326592 B for the disk"
                                + " tier (disk.index and its queue) exceeds the JVM's direct memory"
                                + " limit of 268435455 B (expected a smaller disk.index, or the JVM"
                                + " option -XX:MaxDirectMemorySize=268435456, which bin/quire takes"
                                + " from QUIRE_JVM_OPTIONS)");
        assertThat(read(ON).lackOfMemory(100 * MIB).orElseThrow().expected())
                .startsWith("a smaller disk.index, or ");
    }

    private Configuration read(String yaml) throws Exception {
        return Configuration.check(file(yaml));
    }

    private Path file(String yaml) throws Exception {
        return Files.writeString(directory.resolve("quire.yml"), yaml);
    }
}
