package dev.quire.proxy.handover;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.config.ListenAddress;
import dev.quire.proxy.exchange.PlainWords;
import dev.quire.proxy.handover.ListeningSockets.Announcement;
import dev.quire.proxy.handover.ListeningSockets.Role;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.DomainSocketReadMode;
import io.netty.channel.unix.FileDescriptor;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.string.StringDecoder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listening sockets that a running process offers to this one. Used by one thread. The running
 * process continues to accept until {@link #complete}, and after a {@link #close} without it.
 */
public final class Takeover implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Takeover.class);

    /** More than an invalidation has. */
    private static final int MAX_MESSAGE = 32 << 20;

    private static final String RUNNING = "a running proxy of this version";

    private final EventLoopGroup group = HandoverOffer.newLoop();
    private final Duration patience;
    private final long user;

    /** Completed with all sockets. */
    private final CompletableFuture<List<ListeningSockets>> received = new CompletableFuture<>();

    /** Completed with the last message of the running process; null if it has ended. */
    private final CompletableFuture<@Nullable Message> last = new CompletableFuture<>();

    private @Nullable Channel connection;
    private boolean isReceiving;

    /** Those that no listener of this process uses. */
    private final List<ListeningSockets> unused = new ArrayList<>();

    private Takeover(Duration patience, long user) {
        this.patience = patience;
        this.user = user;
    }

    /** Returns why this machine cannot pass sockets between processes, or nothing if it can. */
    public static Optional<String> obstacle() {
        return Epoll.isAvailable()
                ? Optional.empty()
                : Optional.of(
                        "native epoll is not available: "
                                + PlainWords.of(Epoll.unavailabilityCause()));
    }

    /**
     * Receives the sockets. Blocks.
     *
     * @param socket the Unix socket of {@link HandoverOffer}
     * @param patience for each of the two answers of the running process
     */
    public static Takeover from(Path socket, Duration patience)
            throws HandoverFailed, InterruptedException {
        try {
            return from(socket, patience, UnixUser.own());
        } catch (IOException e) {
            throw new HandoverFailed(PlainWords.of(e), "a readable /proc/self/status");
        }
    }

    static Takeover from(Path socket, Duration patience, long user)
            throws HandoverFailed, InterruptedException {
        var takeover = new Takeover(patience, user);
        try {
            takeover.receive(socket);
            return takeover;
        } catch (HandoverFailed | InterruptedException failed) {
            takeover.close();
            throw failed;
        }
    }

    private void receive(Path socket) throws HandoverFailed, InterruptedException {
        var connecting =
                new Bootstrap()
                        .group(group)
                        .channel(EpollDomainSocketChannel.class)
                        .handler(HandoverOffer.lines(Running::new))
                        .connect(new DomainSocketAddress(socket.toFile()))
                        .await();
        if (!connecting.isSuccess()) {
            throw new HandoverFailed(
                    "cannot connect to " + socket + ": " + PlainWords.of(connecting.cause()),
                    "a running proxy of the same user, with the same file system");
        }
        connection = connecting.channel();
        try {
            unused.addAll(received.get(patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            throw e.getCause() instanceof HandoverFailed failed
                    ? failed
                    : new HandoverFailed(PlainWords.of(e.getCause()), RUNNING);
        } catch (TimeoutException e) {
            throw new HandoverFailed("the running proxy sends no sockets", RUNNING);
        }
    }

    /** The connection to the running process. */
    private final class Running extends ChannelInboundHandlerAdapter {
        private final EpollDomainSocketChannel channel;
        private final List<Announcement> announced = new ArrayList<>();
        private final List<FileDescriptor> descriptors = new ArrayList<>();
        private boolean isAllAnnounced;
        private boolean isAsked;

        Running(EpollDomainSocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) throws IOException {
            UnixUser.mismatch(channel, user)
                    .ifPresent(mismatch -> fail(mismatch, "a running proxy of the user " + user));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            switch (message) {
                case FileDescriptor descriptor -> received(descriptor);
                case String line when line.isEmpty() -> isAllAnnounced = true;
                case String line when Message.CLOSED.is(line) -> last.complete(Message.CLOSED);
                case String line when Message.EXPIRED.is(line) -> {
                    last.complete(Message.EXPIRED);
                    fail("the running proxy has withdrawn its offer", RUNNING);
                }
                case String line when !isAllAnnounced -> announced.add(Announcement.read(line));
                default -> fail("the running proxy sent an unknown message", RUNNING);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            if (isAllAnnounced && !isAsked && !received.isDone()) {
                isAsked = true;
                // Not before: while Netty reads bytes, a descriptor among them would be lost.
                channel.config().setReadMode(DomainSocketReadMode.FILE_DESCRIPTORS);
                channel.writeAndFlush(Unpooled.copiedBuffer(Message.SEND.line(), US_ASCII));
            }
        }

        private void received(FileDescriptor descriptor) {
            descriptors.add(descriptor);
            if (descriptors.size() == announced.stream().mapToInt(Announcement::count).sum()) {
                channel.config().setReadMode(DomainSocketReadMode.BYTES);
                if (!received.complete(sockets())) {
                    ListeningSockets.closeAll(descriptors);
                }
            }
        }

        private List<ListeningSockets> sockets() {
            var sockets = new ArrayList<ListeningSockets>();
            int from = 0;
            for (var each : announced) {
                int to = from + each.count();
                sockets.add(
                        new ListeningSockets(
                                each.role(), each.address(), descriptors.subList(from, to)));
                from = to;
            }
            return sockets;
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            last.complete(null);
            fail("the running proxy has closed the connection", RUNNING);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail(PlainWords.of(cause), RUNNING);
        }

        /** Has no effect once all sockets are received. */
        private void fail(String what, String expected) {
            if (received.completeExceptionally(new HandoverFailed(what, expected))) {
                ListeningSockets.closeAll(descriptors);
                channel.close();
            }
        }
    }

    /** Whether the running process listens on the configured {@code address}. */
    public boolean holds(Role role, ListenAddress address) {
        return unused.stream().anyMatch(each -> isOf(each, role, address));
    }

    /** Returns the sockets of {@code address}, which then belong to the caller, or nothing. */
    public Optional<ListeningSockets> take(Role role, ListenAddress address) {
        var taken = unused.stream().filter(each -> isOf(each, role, address)).findFirst();
        taken.ifPresent(unused::remove);
        return taken;
    }

    private static boolean isOf(ListeningSockets sockets, Role role, ListenAddress address) {
        return sockets.role() == role && sockets.address().equals(address);
    }

    /**
     * Makes the running process stop listening, now that nothing can fail in this one. Returns when
     * it has; then this one must accept. Blocks.
     *
     * @throws HandoverFailed if the running process continues to accept
     */
    public void complete() throws HandoverFailed, InterruptedException {
        if (connection != null) {
            connection.writeAndFlush(Unpooled.copiedBuffer(Message.READY.line(), US_ASCII));
        }
        try {
            // If it has ended, its sockets are those of this process alone.
            if (last.get(patience.toNanos(), TimeUnit.NANOSECONDS) == Message.EXPIRED) {
                throw new HandoverFailed(
                        "the running proxy has withdrawn its offer", "a start within its limit");
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("the last message is never exceptional", e);
        } catch (TimeoutException e) {
            throw new HandoverFailed("the running proxy continues to listen", RUNNING);
        }
    }

    /** The messages of the process that this one has replaced. */
    public interface Receiver {
        /**
         * Gives {@code message} its effect. Does not wait. A message without one, or with another
         * than the sender expects, is an {@link IllegalArgumentException}.
         *
         * @return completes with whether no restart undoes it
         */
        CompletionStage<Boolean> receive(ByteBuf message);
    }

    /**
     * Gives {@code receiver} the messages of the other process until that ends, after {@link
     * #complete}. The connection stays open after {@link #close}.
     */
    public void receive(Receiver receiver) {
        var channel = connection;
        if (channel != null) {
            isReceiving = true;
            // First: the connection may have ended, and then its loop ends too.
            channel.eventLoop().execute(() -> begin(channel, receiver));
            channel.closeFuture().addListener(closed -> end());
        }
    }

    private static void begin(Channel channel, Receiver receiver) {
        if (channel.isActive()) {
            channel.pipeline().remove(LineBasedFrameDecoder.class);
            channel.pipeline().remove(StringDecoder.class);
            channel.pipeline().remove(Running.class);
            channel.pipeline()
                    .addLast(
                            new LengthFieldBasedFrameDecoder(
                                    MAX_MESSAGE, 0, Integer.BYTES, 0, Integer.BYTES),
                            new Messages(receiver));
            channel.writeAndFlush(Unpooled.copiedBuffer(Message.PASS.line(), US_ASCII));
        }
    }

    /** Answers each message, in their order. */
    private static final class Messages extends SimpleChannelInboundHandler<ByteBuf> {
        private final Receiver receiver;
        private CompletionStage<?> answered = CompletableFuture.completedStage(true);

        Messages(Receiver receiver) {
            this.receiver = receiver;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            answered =
                    answered.thenCombine(
                            receiver.receive(message),
                            (former, isConfirmed) -> answer(context, isConfirmed));
        }

        private static ChannelFuture answer(ChannelHandlerContext context, boolean isConfirmed) {
            var answer = isConfirmed ? Message.CONFIRMED : Message.UNCONFIRMED;
            return context.writeAndFlush(Unpooled.copiedBuffer(answer.line(), US_ASCII));
        }

        /** Later messages are not confirmed either. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (!(cause instanceof IOException)) {
                LOG.atWarn()
                        .addKeyValue("event", "handover-message")
                        .log(
                                "handover: invalidations of the process before are ignored: {}"
                                        + " (expected those of this version)",
                                PlainWords.of(cause));
            }
            context.close();
        }
    }

    /** Closes the connection, unless it has messages, and the sockets that were not taken. */
    @Override
    public void close() {
        unused.forEach(each -> each.close(0));
        unused.clear();
        if (!isReceiving) {
            end();
        }
    }

    private void end() {
        if (connection != null) {
            connection.close();
        }
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
