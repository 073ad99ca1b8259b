package dev.quire.proxy.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes that a peer has taken do not count, also those of a message that is sent in part. */
class OutgoingTest {
    private static final int LONG_BYTES = 32 << 20;
    private static final int TAKEN_BYTES = 16 << 20;

    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    @TempDir private Path directory;
    private Socket peer;
    private Channel channel;

    @BeforeEach
    void connect() throws Exception {
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var connected =
                    new Bootstrap()
                            .group(loops)
                            .channel(NioSocketChannel.class)
                            .handler(new ChannelInboundHandlerAdapter())
                            .connect(listener.getLocalSocketAddress());
            peer = listener.accept();
            channel = connected.sync().channel();
        }
    }

    @AfterEach
    void close() throws IOException {
        channel.close().syncUninterruptibly();
        peer.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void partOfALongBufferIsTaken() throws IOException {
        channel.writeAndFlush(Unpooled.directBuffer().writeZero(LONG_BYTES));

        takePart();
    }

    @Test
    void partOfALongFileIsTaken() throws IOException {
        var file = directory.resolve("file");
        Files.write(file, new byte[LONG_BYTES]);
        channel.config().setMessageSizeEstimator(() -> message -> LONG_BYTES);
        channel.writeAndFlush(new DefaultFileRegion(FileChannel.open(file), 0, LONG_BYTES));

        takePart();
    }

    private void takePart() throws IOException {
        await(pending -> pending > 0);
        new DataInputStream(peer.getInputStream()).skipNBytes(TAKEN_BYTES);
        await(pending -> 0 < pending && pending <= LONG_BYTES - TAKEN_BYTES);
        new DataInputStream(peer.getInputStream()).skipNBytes(LONG_BYTES - TAKEN_BYTES);
        await(pending -> pending == 0);
    }

    private void await(LongPredicate expected) {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!expected.test(pending())) {
            assertThat(System.nanoTime()).as("pending: " + pending()).isLessThan(end);
            LockSupport.parkNanos(100_000);
        }
    }

    private long pending() {
        return channel.eventLoop()
                .submit(() -> Outgoing.pendingBytes(channel))
                .syncUninterruptibly()
                .getNow();
    }
}
