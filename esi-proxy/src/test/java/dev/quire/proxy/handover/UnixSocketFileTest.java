package dev.quire.proxy.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnixSocketFileTest {
    @TempDir private Path directory;

    private static ServerSocketChannel bound(Path name) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(name));
    }

    @Test
    void aSocketOfAnEarlierAttemptIsReplaced() throws Exception {
        var path = directory.resolve("q");
        bound(directory.resolve("q~")).close();

        var file = UnixSocketFile.create(path, name -> bound(name).close());

        assertThat(path).exists();
        assertThat(directory.resolve("q~")).doesNotExist();
        file.delete();
        assertThat(path).doesNotExist();
    }

    @Test
    void aFileOfTheTemporaryNameStays() throws Exception {
        var other = Files.writeString(directory.resolve("q~"), "kept");

        assertThatThrownBy(() ->
                        UnixSocketFile.create(directory.resolve("q"), name -> bound(name).close()))
                .isInstanceOf(UnixSocketFile.Unusable.class)
                .hasMessageContaining(other + " is not a socket");

        assertThat(other).hasContent("kept");
    }
}
