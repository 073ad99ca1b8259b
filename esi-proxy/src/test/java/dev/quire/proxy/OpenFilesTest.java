package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.config.Configuration;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenFilesTest {
    @TempDir private Path directory;

    /** With four event loops. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0; cache: { memory: 1MiB }",
                "6; shared: { servers: ['a:1'] }",
                "2; fleet: { name: news, servers: ['a:1'] }",
                "6; { shared: { servers: ['a:1'] }, fleet: { name: news, servers: ['b:1'] } }",
                "6; shared: { mode: sentinel, servers: ['a:1', 'b:1', 'c:1'] }",
                "21; shared: { mode: cluster, servers: ['a:1', 'b:1', 'c:1'] }",
                "8; shared: { type: memcached, servers: ['a:1', 'b:1'] }",
                "2; shared: { type: memcached, servers: ['a:1', 'b:1'], connections: 1 }",
                "4; shared: { servers: ['a:1'], connections: 2 }",
                "6; shared: { servers: ['a:1'], connections: 9 }",
                "7; { shared: { servers: ['a:1'] }, fleet: { replicas: 1 } }",
                "13; { shared: { mode: cluster, servers: ['a:1', 'b:1', 'c:1'], connections: 1 }, fleet: { replicas: 1 } }",
            })
    void connectionsToTheStoreCount(long connections, String yaml) throws Exception {
        var file = Files.writeString(directory.resolve("quire.yml"), yaml);

        assertThat(OpenFiles.connectionsToStore(Configuration.check(file), 4))
                .isEqualTo(connections);
    }
}
