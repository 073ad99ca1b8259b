package dev.quire.proxy.handover;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.exchange.PlainWords;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers the listening sockets of this process to one other process of the same user, for a limited
 * time. The first connection is the only one. Until the other process is ready, nothing changes in
 * this one. Then the connection carries messages to the other process until one of the two ends.
 * Its state is confined to its own event loop.
 */
public final class HandoverOffer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HandoverOffer.class);

    private static final int MAX_LINE = 512;
    private static final String FILE = "socket";
    private static final String ENDED = "the new process ended before it was ready";
    private static final String SAME_USER = "a process of the user ";

    private enum State {
        OFFERED,
        /** The other process is ready; this one closes its descriptors. */
        CLOSING,
        /** The other process accepts, and gets messages. */
        GIVEN,
        ENDED
    }

    private final List<ListeningSockets> sockets;
    private final Owner owner;
    private final long user;
    private final Path directory;
    private final EventLoopGroup group = newLoop();
    private final EventLoop loop = group.next();
    private final PassedMessages messages = new PassedMessages();
    private State state = State.OFFERED;
    private @Nullable Channel listening;
    private @Nullable Channel peer;
    private @Nullable ScheduledFuture<?> expiry;

    /** The process that takes over. */
    public interface Successor {
        /**
         * Passes {@code message}, which is released, as soon as the other process expects it. Never
         * blocks.
         *
         * @return completes with whether it has its effect there, which no restart undoes
         */
        CompletionStage<Boolean> pass(ByteBuf message);
    }

    /** The process as its sockets are handed over. */
    public interface Owner {
        /** Closes the listening sockets, as {@code successor} will accept. May block. */
        void stopListening(Successor successor);

        /**
         * The offer has ended, and another may follow.
         *
         * @param failure null if the other process has taken over
         */
        void ended(@Nullable String failure);
    }

    private HandoverOffer(List<ListeningSockets> sockets, Owner owner, long user, Path directory) {
        this.sockets = List.copyOf(sockets);
        this.owner = owner;
        this.user = user;
        this.directory = directory;
    }

    static EventLoopGroup newLoop() {
        return new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("quire-handover", true), EpollIoHandler.newFactory());
    }

    /**
     * Offers {@code sockets} on a Unix socket in a new directory that only this user can open. Its
     * owner is notified once.
     *
     * @param patience for the whole handover
     * @throws IOException if the directory or the socket cannot be created
     */
    public static HandoverOffer open(List<ListeningSockets> sockets, Owner owner, Duration patience)
            throws IOException {
        return open(sockets, owner, patience, UnixUser.own());
    }

    static HandoverOffer open(
            List<ListeningSockets> sockets, Owner owner, Duration patience, long user)
            throws IOException {
        var directory =
                Files.createTempDirectory(
                        "quire-handover-",
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
        var offer = new HandoverOffer(sockets, owner, user, directory);
        try {
            offer.listen(patience);
            return offer;
        } catch (IOException unusable) {
            offer.group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            offer.deleteDirectory();
            throw unusable;
        }
    }

    /** Returns the pipeline of both processes: messages are lines, which {@code reader} reads. */
    static ChannelInitializer<EpollDomainSocketChannel> lines(
            Function<EpollDomainSocketChannel, ChannelHandler> reader) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(EpollDomainSocketChannel channel) {
                channel.pipeline()
                        .addLast(
                                new LineBasedFrameDecoder(MAX_LINE),
                                new StringDecoder(US_ASCII),
                                reader.apply(channel));
            }
        };
    }

    private void listen(Duration patience) throws IOException {
        var binding =
                new ServerBootstrap()
                        .group(group)
                        .channel(EpollServerDomainSocketChannel.class)
                        .childHandler(lines(channel -> new Peer()))
                        .bind(new DomainSocketAddress(socket().toFile()))
                        .awaitUninterruptibly();
        if (!binding.isSuccess()) {
            throw new IOException(PlainWords.of(binding.cause()), binding.cause());
        }
        loop.execute(() -> {
            listening = binding.channel();
            expiry =
                    loop.schedule(
                            () ->
                                    fail(
                                            "no new process was ready within "
                                                    + patience.toSeconds()
                                                    + " s"),
                            patience.toNanos(),
                            TimeUnit.NANOSECONDS);
        });
    }

    /** The Unix socket. */
    public Path socket() {
        return directory.resolve(FILE);
    }

    /** The connection of the other process. */
    private final class Peer extends SimpleChannelInboundHandler<String> {

        @Override
        public void channelActive(ChannelHandlerContext context) throws IOException {
            var channel = (EpollDomainSocketChannel) context.channel();
            if (peer != null || state != State.OFFERED) {
                channel.close();
                return;
            }
            peer = channel;
            var mismatch = UnixUser.mismatch(channel, user);
            if (mismatch.isPresent()) {
                fail(mismatch.get() + " (expected " + SAME_USER + user + ")");
                return;
            }
            write(
                    sockets.stream()
                            .map(each -> each.line() + "\n")
                            .collect(Collectors.joining("", "", "\n")));
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, String line) {
            if (Message.SEND.is(line)) {
                sockets.stream()
                        .flatMap(each -> each.descriptors().stream())
                        .forEach(descriptor -> send(context, descriptor));
                context.flush();
            } else if (Message.READY.is(line) && state == State.OFFERED) {
                closeOwn();
            } else if (Message.PASS.is(line) && state == State.GIVEN) {
                messages.begin(context.channel());
            } else if (!isAnswer(line)) {
                fail("the other process sent an unknown message");
            }
        }

        private boolean isAnswer(String line) {
            boolean isConfirmed = Message.CONFIRMED.is(line);
            return (isConfirmed || Message.UNCONFIRMED.is(line)) && messages.answered(isConfirmed);
        }

        private static void send(ChannelHandlerContext context, FileDescriptor descriptor) {
            context.write(descriptor);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (context.channel().equals(peer)) {
                fail(ENDED);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (context.channel().equals(peer)) {
                fail(cause instanceof IOException ? ENDED : PlainWords.of(cause));
            }
        }
    }

    private void write(String text) {
        if (peer != null) {
            peer.writeAndFlush(Unpooled.copiedBuffer(text, US_ASCII));
        }
    }

    private void closeOwn() {
        state = State.CLOSING;
        if (expiry != null) {
            expiry.cancel(false);
        }
        Thread.ofVirtual()
                .name("quire-handover-close")
                .start(() -> {
                    try {
                        owner.stopListening(this::pass);
                    } finally {
                        loop.execute(() -> {
                            write(Message.CLOSED.line());
                            end(null);
                        });
                    }
                });
    }

    private CompletionStage<Boolean> pass(ByteBuf message) {
        var confirmed = new CompletableFuture<Boolean>();
        try {
            loop.execute(() -> {
                if (!messages.add(message, confirmed)) {
                    leave();
                }
            });
        } catch (RejectedExecutionException ended) {
            message.release();
            confirmed.complete(false);
        }
        return confirmed;
    }

    /** Ends the offer, or the connection to the process that has taken over. */
    private void fail(String why) {
        if (state == State.OFFERED) {
            write(Message.EXPIRED.line());
            end(why);
        } else if (state == State.GIVEN) {
            leave();
        }
    }

    private void end(@Nullable String failure) {
        if (expiry != null) {
            expiry.cancel(false);
        }
        if (listening != null) {
            listening.close();
        }
        deleteDirectory();
        state = State.GIVEN;
        if (failure != null || peer == null || !peer.isActive()) {
            leave();
        }
        Thread.ofVirtual().name("quire-handover-end").start(() -> owner.ended(failure));
    }

    private void leave() {
        state = State.ENDED;
        messages.end();
        // After what was written.
        if (peer != null) {
            peer.close();
        }
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private void deleteDirectory() {
        try {
            Files.deleteIfExists(socket());
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("event", "handover-directory-left")
                    .log("{} cannot be deleted: {}", directory, PlainWords.of(e));
        }
    }

    /** Withdraws the offer unless the other process is ready; then closes the connection to it. */
    @Override
    public void close() {
        try {
            loop.execute(() -> fail("this process ends"));
        } catch (RejectedExecutionException ended) {
            // The offer has ended before.
        }
    }
}
