package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Queries to a name server, here one in this JVM. */
@Timeout(20)
class DnsLookupTest {
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final List<Reply> replies = new ArrayList<>();
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private final Channel server =
            new Bootstrap()
                    .group(loops)
                    .channel(NioDatagramChannel.class)
                    .handler(
                            new ChannelInitializer<>() {
                                @Override
                                protected void initChannel(Channel opened) {
                                    opened.pipeline()
                                            .addLast(
                                                    new DatagramDnsQueryDecoder(),
                                                    new DatagramDnsResponseEncoder(),
                                                    new Server());
                                }
                            })
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .syncUninterruptibly()
                    .channel();

    /** A record for a name; {@code target} is an address or another name. */
    private record Reply(String name, DnsRecordType type, int ttl, String target) {}

    private final class Server extends SimpleChannelInboundHandler<DatagramDnsQuery> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, DatagramDnsQuery query)
                throws Exception {
            DnsQuestion question = query.recordAt(DnsSection.QUESTION);
            asked.add(question.type().name() + " " + question.name());
            var response =
                    new DatagramDnsResponse(
                            /* sender= */ query.recipient(),
                            /* recipient= */ query.sender(),
                            query.id());
            response.addRecord(
                    DnsSection.QUESTION, new DefaultDnsQuestion(question.name(), question.type()));
            boolean isKnown = false;
            for (var reply : replies) {
                boolean isOfName = reply.name().equals(question.name());
                isKnown |= isOfName;
                if (isOfName
                        && (reply.type().equals(question.type())
                                || reply.type().equals(DnsRecordType.CNAME))) {
                    response.addRecord(
                            DnsSection.ANSWER,
                            new DefaultDnsRawRecord(
                                    reply.name(),
                                    reply.type(),
                                    reply.ttl(),
                                    Unpooled.wrappedBuffer(data(reply))));
                }
            }
            if (!isKnown) {
                response.setCode(DnsResponseCode.NXDOMAIN);
            }
            ctx.writeAndFlush(response);
        }

        private byte[] data(Reply reply) throws Exception {
            if (!reply.type().equals(DnsRecordType.CNAME)) {
                return InetAddress.getByName(reply.target()).getAddress();
            }
            var name = Unpooled.buffer();
            for (var label : reply.target().split("\\.", -1)) {
                name.writeByte(label.length());
                name.writeCharSequence(label, StandardCharsets.US_ASCII);
            }
            var bytes = new byte[name.readableBytes()];
            name.readBytes(bytes);
            return bytes;
        }
    }

    @AfterEach
    void stop() throws Exception {
        server.close().sync();
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }

    private String found(DnsLookup lookup) {
        var result = new CompletableFuture<String>();
        lookup.ask(
                loops.next(),
                new NamedAddresses.Lookup.Result() {
                    @Override
                    public void found(List<InetAddress> addresses, Duration kept) {
                        var texts = addresses.stream().map(InetAddress::getHostAddress).toList();
                        result.complete(texts + " for " + kept.toSeconds() + " s");
                    }

                    @Override
                    public void notFound(String detail) {
                        result.complete("not found: " + detail);
                    }
                });
        return result.join();
    }

    private DnsLookup lookup(String host) {
        return new DnsLookup(
                host,
                NioSocketChannel.class,
                NioDatagramChannel.class,
                new SingletonDnsServerAddressStreamProvider(
                        (InetSocketAddress) server.localAddress()));
    }

    @Test
    void allAddressesAreFoundForTheShortestTimeOneIsGoodFor() {
        replies.add(new Reply("news.test.", DnsRecordType.A, 60, "127.0.0.1"));
        replies.add(new Reply("news.test.", DnsRecordType.A, 7, "127.0.0.2"));
        try (var lookup = lookup("news.test")) {
            assertThat(found(lookup)).isEqualTo("[127.0.0.1, 127.0.0.2] for 7 s");
        }
    }

    @Test
    void aNameOnTheWayCountsToo() {
        replies.add(new Reply("news.test.", DnsRecordType.CNAME, 5, "blue.test."));
        replies.add(new Reply("blue.test.", DnsRecordType.A, 600, "127.0.0.3"));
        try (var lookup = lookup("news.test")) {
            assertThat(found(lookup)).isEqualTo("[127.0.0.3] for 5 s");
        }
    }

    @Test
    void whatHasChangedIsSeenByTheNextQuestion() {
        replies.add(new Reply("news.test.", DnsRecordType.A, 600, "127.0.0.1"));
        try (var lookup = lookup("news.test")) {
            var before = found(lookup);

            replies.set(0, new Reply("news.test.", DnsRecordType.A, 600, "127.0.0.9"));

            assertThat(before).isEqualTo("[127.0.0.1] for 600 s");
            assertThat(found(lookup)).isEqualTo("[127.0.0.9] for 600 s");
        }
    }

    @Test
    void anUnknownNameIsNotFound() {
        try (var lookup = lookup("nowhere.test")) {
            assertThat(found(lookup)).startsWith("not found: ").contains("nowhere.test");
        }
    }

    @Test
    void localhostIsKnownWithoutAsking() {
        try (var lookup = lookup("localhost")) {
            assertThat(found(lookup)).startsWith("[127.0.0.1");
            assertThat(asked).isEmpty();
        }
    }

    @Test
    void whereNoNameServerIsNamedNoneIsAsked(@TempDir Path etc) throws Exception {
        var resolvConf = etc.resolve("resolv.conf");
        Files.writeString(resolvConf, "# none\nsearch test\n");

        try (var lookup = lookup("news.test", resolvConf)) {
            assertThat(found(lookup))
                    .isEqualTo(
                            "not found: not in the hosts file, and /etc/resolv.conf lists no name"
                                    + " server");
        }
        try (var lookup = lookup("news.test", etc.resolve("missing"))) {
            assertThat(found(lookup)).endsWith("lists no name server");
        }
        try (var lookup = lookup("localhost", resolvConf)) {
            assertThat(found(lookup)).isEqualTo("[127.0.0.1] for 30 s");
        }
    }

    @Test
    void nameServersThatAreNamedLaterAreAsked(@TempDir Path etc) throws Exception {
        var resolvConf = etc.resolve("resolv.conf");
        Files.writeString(resolvConf, "");
        replies.add(new Reply("news.test.", DnsRecordType.A, 60, "127.0.0.1"));
        try (var lookup = lookup("news.test", resolvConf)) {
            var before = found(lookup);

            int port = ((InetSocketAddress) server.localAddress()).getPort();
            Files.writeString(resolvConf, "port " + port + "\nnameserver 127.0.0.1\n");

            assertThat(before).startsWith("not found");
            assertThat(found(lookup)).isEqualTo("[127.0.0.1] for 60 s");
        }
    }

    private static DnsLookup lookup(String host, Path resolvConf) {
        return new DnsLookup(
                host, NioSocketChannel.class, NioDatagramChannel.class, resolvConf.toFile());
    }

    @Test
    void aClosedLookupFindsNothing() {
        var lookup = lookup("localhost");
        lookup.close();

        assertThat(found(lookup)).isEqualTo("not found: the proxy is shutting down");
    }
}
