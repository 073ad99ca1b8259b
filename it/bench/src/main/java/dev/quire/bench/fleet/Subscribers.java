package dev.quire.bench.fleet;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.fleet.LogId;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connections that receive the messages of a fleet's log, as further nodes would. They read no more
 * than the ids, so that a thousand of them take little of the time of this machine.
 */
final class Subscribers implements AutoCloseable {

    /*
     * A message is "*3", "$7", "message", "$8", the channel, "$LENGTH" and the text, a line each. The
     * text of an entry is "e PREVIOUS ID ENTRY", and its entry may have any bytes.
     */

    private static final boolean HAS_EPOLL = Epoll.isAvailable();
    private static final String CHANNEL = "q1:{log}";
    private static final byte[] BEFORE_LENGTH =
            ("*3\r\n$7\r\nmessage\r\n$8\r\n" + CHANNEL + "\r\n$").getBytes(US_ASCII);
    private static final byte[] SUBSCRIBED =
            ("*3\r\n$9\r\nsubscribe\r\n$8\r\n" + CHANNEL + "\r\n:1\r\n").getBytes(US_ASCII);
    private static final byte CR = '\r';
    private static final byte BLANK = ' ';
    private static final int LONGEST_IDS = 60;

    /** Of several messages. */
    private static final int BUFFER_BYTES = 1 << 10;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(
                    1, HAS_EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    private final int count;
    private final CountDownLatch subscribed;

    /** The receipts of the message of an entry, by its id. */
    private final Map<Long, Receipts> byId = new ConcurrentHashMap<>();

    /** Of one message. */
    private static final class Receipts {
        private final AtomicInteger count = new AtomicInteger();
        private final CompletableFuture<Long> last = new CompletableFuture<>();
    }

    private Subscribers(int count) {
        this.count = count;
        this.subscribed = new CountDownLatch(count);
    }

    /** Subscribes {@code count} connections. */
    static Subscribers subscribe(int port, int count) throws IOException, InterruptedException {
        var subscribers = new Subscribers(count);
        var client =
                new Bootstrap()
                        .group(subscribers.loops)
                        .channel(HAS_EPOLL ? EpollSocketChannel.class : NioSocketChannel.class)
                        .option(
                                ChannelOption.RECVBUF_ALLOCATOR,
                                new FixedRecvByteBufAllocator(BUFFER_BYTES))
                        .handler(
                                new ChannelInitializer<SocketChannel>() {
                                    @Override
                                    protected void initChannel(SocketChannel channel) {
                                        channel.pipeline().addLast(subscribers.new Receiver());
                                    }
                                });
        for (int i = 0; i < count; i++) {
            client.connect("127.0.0.1", port).sync();
        }
        if (!subscribers.subscribed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            subscribers.close();
            throw new IOException(
                    "expected %,d subscriptions, %,d are missing"
                            .formatted(count, subscribers.subscribed.getCount()));
        }
        return subscribers;
    }

    private final class Receiver extends ByteToMessageDecoder {
        /** Of the message whose ids were read. */
        private int rest;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            var request = ("SUBSCRIBE " + CHANNEL + "\r\n").getBytes(US_ASCII);
            context.writeAndFlush(Unpooled.wrappedBuffer(request), context.voidPromise());
        }

        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
            if (rest > 0) {
                int skipped = Math.min(rest, in.readableBytes());
                in.skipBytes(skipped);
                rest -= skipped;
                return;
            }
            int start = in.readerIndex();
            int first = in.readableBytes() > 5 ? in.getByte(start + 5) : 0;
            if (first == '9' && in.readableBytes() >= SUBSCRIBED.length) {
                in.skipBytes(SUBSCRIBED.length);
                subscribed.countDown();
            } else if (first == '7') {
                message(in, start + BEFORE_LENGTH.length);
            }
        }

        private void message(ByteBuf in, int lengthAt) {
            int end = lengthAt < in.writerIndex() ? in.indexOf(lengthAt, in.writerIndex(), CR) : -1;
            if (end < 0) {
                return;
            }
            int length = Integer.parseInt(text(in, lengthAt, end));
            int textAt = end + 2;
            if (in.writerIndex() - textAt < Math.min(length, LONGEST_IDS)) {
                return;
            }
            if (in.getByte(textAt) == 'e') {
                int previous = textAt + 2;
                int id = in.indexOf(previous, in.writerIndex(), BLANK) + 1;
                received(LogId.of(text(in, id, in.indexOf(id, in.writerIndex(), BLANK))));
            }
            rest = length + 2;
            in.readerIndex(textAt);
        }

        private static String text(ByteBuf in, int from, int to) {
            return in.toString(from, to - from, US_ASCII);
        }
    }

    private void received(long id) {
        var receipts = receipts(id);
        if (receipts.count.incrementAndGet() == count) {
            receipts.last.complete(System.nanoTime());
        }
    }

    private Receipts receipts(long id) {
        return byId.computeIfAbsent(id, absent -> new Receipts());
    }

    /** Waits until all have the message of the entry; returns the time of the last receipt. */
    long last(long id) throws InterruptedException {
        var receipts = receipts(id);
        try {
            return receipts.last.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(
                    "expected message %s at %,d subscribers, found it at %,d"
                            .formatted(LogId.text(id), count, receipts.count.get()),
                    e);
        }
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
