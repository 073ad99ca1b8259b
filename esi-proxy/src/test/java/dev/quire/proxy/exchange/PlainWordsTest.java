package dev.quire.proxy.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlainWordsTest {

    @ParameterizedTest
    @CsvSource({
        "finishConnect(..) failed with error(-111): Connection refused: /127.0.0.1:1,"
                + " connection refused",
        "finishConnect(..) failed with error(-111): Connection refused, connection refused",
        "syscall:read(..) failed: Connection reset by peer, connection reset by peer",
        "Connection refused: localhost/127.0.0.1:1, connection refused",
        "No route to host, no route to host",
        "HTTP version is unknown, HTTP version is unknown",
        "response must start with HTTP/, response must start with HTTP/"
    })
    void systemCallsAndAddressesAreLeftOut(String message, String words) {
        assertThat(PlainWords.of(new IOException(message))).isEqualTo(words);
    }

    @Test
    void faultsOfFilesAreNamedAsTheSystemDoes() {
        assertThat(PlainWords.of(new NoSuchFileException("/x")))
                .isEqualTo("no such file or directory");
        assertThat(PlainWords.of(new AccessDeniedException("/x"))).isEqualTo("permission denied");
        assertThat(PlainWords.of(new FileSystemException("/x", null, "Read-only file system")))
                .isEqualTo("read-only file system");
    }

    @Test
    void faultWithoutAMessageIsNamedByItsKind() {
        assertThat(PlainWords.of(new ClosedChannelException())).isEqualTo("closed channel");
        assertThat(PlainWords.of((Throwable) null)).isEqualTo("unknown fault");
    }

    @Test
    void addressesHaveNoSlashAndIpv6IsShort() {
        assertThat(PlainWords.of(new InetSocketAddress(NetUtil.LOCALHOST4, 80)))
                .isEqualTo("127.0.0.1:80");
        assertThat(PlainWords.of(new InetSocketAddress(NetUtil.LOCALHOST6, 80)))
                .isEqualTo("[::1]:80");
    }
}
