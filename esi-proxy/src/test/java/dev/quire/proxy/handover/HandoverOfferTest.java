package dev.quire.proxy.handover;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.handover.ListeningSockets.Role;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both ends of a handover, in one process. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HandoverOfferTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final HostPort CLIENTS = HostPort.parse("localhost:8080");
    private static final HostPort PROBES = HostPort.parse("[::1]:0");

    /** The steps of both sides, in order: a name, or the number of an accepting side. */
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    private final List<EventLoopGroup> groups = new ArrayList<>();
    private long user;
    private volatile HandoverOffer.@Nullable Successor successor;

    @BeforeEach
    void needEpoll() throws IOException {
        assumeTrue(Takeover.obstacle().isEmpty());
        user = UnixUser.own();
    }

    @AfterEach
    void stop() {
        groups.forEach(
                each -> each.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly());
    }

    /** Notes who has accepted a connection. */
    private ServerBootstrap server(String side) {
        var group = HandoverOffer.newLoop();
        groups.add(group);
        return new ServerBootstrap()
                .group(group)
                .childHandler(
                        new ChannelInboundHandlerAdapter() {
                            @Override
                            public boolean isSharable() {
                                return true;
                            }

                            @Override
                            public void channelActive(ChannelHandlerContext context) {
                                events.add("accepted by " + side);
                            }
                        });
    }

    private Channel listen(boolean isAccepting) {
        return server("old")
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.AUTO_READ, isAccepting)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel();
    }

    private static Socket connect(Channel listening) throws IOException {
        var address = (InetSocketAddress) listening.localAddress();
        return new Socket(address.getAddress(), address.getPort());
    }

    private HandoverOffer offer(Duration patience, long ofUser, Channel... channels)
            throws IOException {
        return HandoverOffer.open(
                List.of(
                        ListeningSockets.of(Role.CLIENTS, CLIENTS, List.of(channels)),
                        ListeningSockets.of(Role.PROBES, PROBES, List.of(channels))),
                new HandoverOffer.Owner() {
                    @Override
                    public void stopListening(HandoverOffer.Successor given) {
                        successor = given;
                        for (var each : channels) {
                            each.close().syncUninterruptibly();
                        }
                        events.add("closed");
                    }

                    @Override
                    public void ended(@Nullable String failure) {
                        events.add(failure == null ? "given" : failure);
                    }
                },
                patience,
                ofUser);
    }

    private String event() throws InterruptedException {
        return Optional.ofNullable(events.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .orElse("nothing");
    }

    @Test
    void queuedConnectionsAreAcceptedByTheOtherProcess() throws Exception {
        // They never accept: whatever connects stays in a queue.
        var first = listen(false);
        var second = listen(false);
        try (var one = connect(first);
                var two = connect(second)) {
            var offer = offer(PATIENCE, user, first, second);
            var directory = offer.socket().getParent();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                    .isEqualTo("rwx------");

            try (var takeover = Takeover.from(offer.socket(), PATIENCE)) {
                assertThat(takeover.holds(Role.PROBES, PROBES)).isTrue();
                assertThat(takeover.holds(Role.ADMIN, PROBES)).isFalse();
                assertThat(takeover.holds(Role.CLIENTS, PROBES)).isFalse();
                var taken = takeover.take(Role.CLIENTS, CLIENTS).orElseThrow();
                assertThat(takeover.holds(Role.CLIENTS, CLIENTS)).isFalse();
                assertThat(taken.descriptors()).hasSize(2);
                for (var descriptor : taken.descriptors()) {
                    var adopted = taken.adopt(server("new"), descriptor);
                    assertThat(events).isEmpty();
                    ListeningSockets.beginAccepting(adopted);
                    assertThat(event()).isEqualTo("accepted by new");
                }
                takeover.complete();
            }

            assertThat(event()).isEqualTo("closed");
            assertThat(event()).isEqualTo("given");
            assertThat(directory).doesNotExist();
            try (var three = connect(first)) {
                assertThat(three.isConnected()).isTrue();
                assertThat(event()).isEqualTo("accepted by new");
            }
            assertThat(one.isConnected()).isTrue();
            assertThat(two.isConnected()).isTrue();
        }
    }

    @Test
    void processOfAnotherUserGetsNothing() throws Exception {
        var listening = listen(true);
        var offer = offer(PATIENCE, user + 1, listening);

        assertThatThrownBy(() -> Takeover.from(offer.socket(), PATIENCE, user))
                .isInstanceOf(HandoverFailed.class);

        assertThat(event())
                .isEqualTo(
                        "the other process runs as user %d (expected a process of the user %d)"
                                .formatted(user, user + 1));
        assertServes(listening);
    }

    @Test
    void socketsOfAnotherUserAreNotTaken() throws Exception {
        var listening = listen(true);
        var offer = offer(PATIENCE, user, listening);

        assertThatThrownBy(() -> Takeover.from(offer.socket(), PATIENCE, user + 1))
                .isInstanceOf(HandoverFailed.class)
                .hasMessage("the other process runs as user " + user);

        assertThat(event()).isEqualTo("the new process ended before it was ready");
        assertServes(listening);
    }

    @Test
    void processThatEndsBeforeItIsReadyChangesNothing() throws Exception {
        var listening = listen(true);
        var offer = offer(PATIENCE, user, listening);

        try (var takeover = Takeover.from(offer.socket(), PATIENCE)) {
            var taken = takeover.take(Role.CLIENTS, CLIENTS).orElseThrow();
            var adopted = taken.adopt(server("new"), taken.descriptors().getFirst());
            adopted.close().syncUninterruptibly();
        }

        assertThat(event()).isEqualTo("the new process ended before it was ready");
        assertThat(offer.socket().getParent()).doesNotExist();
        assertServes(listening);
    }

    @Test
    void offerEndsAfterItsTime() throws Exception {
        var listening = listen(true);
        var offer = offer(Duration.ofMillis(1_500), user, listening);

        try (var takeover = Takeover.from(offer.socket(), PATIENCE)) {
            assertThat(event()).isEqualTo("no new process was ready within 1 s");
            assertThatThrownBy(takeover::complete)
                    .isInstanceOf(HandoverFailed.class)
                    .hasMessage("the running proxy has withdrawn its offer");
        }

        assertThat(offer.socket().getParent()).doesNotExist();
        assertServes(listening);
    }

    @Test
    void secondConnectionIsClosed() throws Exception {
        var listening = listen(true);
        var offer = offer(PATIENCE, user, listening);

        try (var takeover = Takeover.from(offer.socket(), PATIENCE);
                var second = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            second.connect(UnixDomainSocketAddress.of(offer.socket()));
            assertThat(second.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            takeover.complete();
        }

        assertThat(event()).isEqualTo("closed");
        assertThat(event()).isEqualTo("given");
    }

    @Test
    void unknownMessageEndsTheOffer() throws Exception {
        var listening = listen(true);
        var offer = offer(PATIENCE, user, listening);

        try (var peer = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            peer.connect(UnixDomainSocketAddress.of(offer.socket()));
            peer.write(ByteBuffer.wrap("nonsense\n".getBytes(US_ASCII)));
            assertThat(event()).isEqualTo("the other process sent an unknown message");
        }

        assertServes(listening);
    }

    @Test
    void messagesReachTheNewProcessUntilAProcessEnds() throws Exception {
        var received = new ConcurrentLinkedQueue<String>();
        var first = new CompletableFuture<Boolean>();
        var offer = offer(PATIENCE, user, listen(false));
        CompletableFuture<Boolean> early;
        try (var takeover = Takeover.from(offer.socket(), PATIENCE)) {
            takeover.complete();
            early = pass("early");
            takeover.receive(message -> {
                var text = message.toString(US_ASCII);
                received.add(text);
                return text.equals("early")
                        ? first
                        : CompletableFuture.completedStage(text.equals("good"));
            });
        }

        var good = pass("good");
        var bad = pass("bad");
        while (received.size() < 3) {
            Thread.onSpinWait();
        }
        // They are answered in their order.
        assertThat(good).isNotDone();
        assertThat(bad).isNotDone();
        first.complete(true);

        assertThat(early.get()).isTrue();
        assertThat(good.get()).isTrue();
        assertThat(bad.get()).isFalse();
        assertThat(received).containsExactly("early", "good", "bad");
        offer.close();
        assertThat(pass("late").get()).isFalse();
    }

    @Test
    void messageThatTheNewProcessDoesNotKnowEndsThem() throws Exception {
        var offer = offer(PATIENCE, user, listen(false));
        try (var takeover = Takeover.from(offer.socket(), PATIENCE)) {
            takeover.complete();
            takeover.receive(message -> {
                throw new IllegalArgumentException(message.toString(US_ASCII));
            });
        }

        assertThat(pass("unknown").get()).isFalse();
        assertThat(pass("late").get()).isFalse();
    }

    @Test
    void newProcessWithoutMessagesConfirmsNone() throws Exception {
        var offer = offer(PATIENCE, user, listen(false));
        CompletableFuture<Boolean> early;
        try (var takeover = Takeover.from(offer.socket(), PATIENCE)) {
            takeover.complete();
            early = pass("early");
        }

        assertThat(early.get()).isFalse();
        assertThat(pass("late").get()).isFalse();
    }

    @Test
    void messagesOfAProcessThatIsNotReadyForThemHaveALimit() throws Exception {
        var offer = offer(PATIENCE, user, listen(false));
        try (var takeover = Takeover.from(offer.socket(), PATIENCE)) {
            takeover.complete();
            var waiting = pass("waits");
            assertThat(pass("x".repeat((int) PassedMessages.MAX_BYTES)).get()).isFalse();
            assertThat(waiting.get()).isFalse();
        }
    }

    @Test
    void answerWithoutAMessageEndsThem() throws Exception {
        var offer = offer(PATIENCE, user, listen(false));
        try (var peer = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            peer.connect(UnixDomainSocketAddress.of(offer.socket()));
            peer.write(ByteBuffer.wrap("ready\n".getBytes(US_ASCII)));
            assertThat(event()).isEqualTo("closed");
            assertThat(event()).isEqualTo("given");
            peer.write(ByteBuffer.wrap("pass\nconfirmed\n".getBytes(US_ASCII)));
            while (peer.read(ByteBuffer.allocate(100)) >= 0) {
                // Until it is closed.
            }
        }

        assertThat(pass("late").get()).isFalse();
    }

    private CompletableFuture<Boolean> pass(String text) {
        return requireNonNull(successor)
                .pass(Unpooled.copiedBuffer(text, US_ASCII))
                .toCompletableFuture();
    }

    private void assertServes(Channel listening) throws Exception {
        assertThat(events).isEmpty();
        try (var client = connect(listening)) {
            assertThat(client.isConnected()).isTrue();
            assertThat(event()).isEqualTo("accepted by old");
        }
    }
}
