package dev.quire.test.wire;

import dev.quire.test.wire.internal.Watch;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client's connection to a server in this JVM, without the operating system's network. */
final class LocalSocket extends Socket {
    private static final byte[] END = {};

    private final int port;
    private final Channel channel;
    private final BlockingQueue<byte[]> arrived = new LinkedBlockingQueue<>();
    private byte[] current = {};
    private int taken;

    LocalSocket(EventLoopGroup loops, LocalAddress server, int port) throws IOException {
        this.port = port;
        var connecting =
                new Bootstrap()
                        .group(loops)
                        .channel(LocalChannel.class)
                        .handler(new Arrivals())
                        .connect(server, addressOf(port))
                        .awaitUninterruptibly();
        if (!connecting.isSuccess()) {
            throw new IOException(connecting.cause());
        }
        channel = connecting.channel();
    }

    private static LocalAddress addressOf(int port) {
        return new LocalAddress(String.valueOf(port));
    }

    static int portOf(LocalAddress address) {
        return Integer.parseInt(address.id());
    }

    private final class Arrivals extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            var data = (ByteBuf) message;
            if (data.isReadable()) {
                arrived.add(ByteBufUtil.getBytes(data));
            }
            data.release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            arrived.add(END);
        }
    }

    @Override
    public int getLocalPort() {
        return port;
    }

    @Override
    public InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                var one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                if (taken == current.length) {
                    current = next();
                    taken = 0;
                }
                if (current.length == 0) {
                    arrived.add(END);
                    return -1;
                }
                int read = Math.min(length, current.length - taken);
                System.arraycopy(current, taken, into, offset, read);
                taken += read;
                return read;
            }
        };
    }

    private byte[] next() throws IOException {
        try {
            var next = arrived.poll(Watch.PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
            if (next == null) {
                throw new SocketTimeoutException();
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    @Override
    public OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int b) {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                channel.writeAndFlush(Unpooled.copiedBuffer(bytes, offset, length));
            }
        };
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
    }
}
