package dev.quire.proxy.listen;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.text.Literal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageEncoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import io.netty.handler.codec.haproxy.HAProxySSLTLV;
import io.netty.handler.codec.haproxy.HAProxyTLV;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyHandshakeTest {
    private static final InetAddress PEER = Literal.address("10.0.0.1").orElseThrow();
    private static final byte CHECKSUM = 0x03;
    private static final String REST = "GET / HTTP/1.1\r\n\r\n";

    private final List<ProxyHeaderResult> results = new ArrayList<>();
    private final StringBuilder passedOn = new StringBuilder();
    private final List<String> events = new ArrayList<>();
    private @Nullable ProxyHeader read;
    private final EmbeddedChannel channel = new EmbeddedChannel();

    ProxyHandshakeTest() {
        channel.freezeTime();
        channel.pipeline()
                .addLast(
                        new ProxyHandshake(
                                PEER,
                                results::add,
                                header -> {
                                    read = header;
                                    channel.pipeline().addLast(new Rest());
                                }));
    }

    private final class Rest extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            events.add("active");
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            var bytes = (ByteBuf) message;
            passedOn.append(bytes.toString(US_ASCII));
            bytes.release();
        }
    }

    private void receive(byte[] bytes, int piece) {
        for (int i = 0; i < bytes.length; i += piece) {
            channel.writeInbound(
                    Unpooled.copiedBuffer(bytes, i, Math.min(piece, bytes.length - i)));
        }
    }

    private void receive(byte[] bytes) {
        receive(bytes, bytes.length);
    }

    private void receive(String text) {
        receive(text.getBytes(US_ASCII));
    }

    private static byte[] join(byte[] header, String rest) {
        return ByteBufUtil.getBytes(Unpooled.wrappedBuffer(header, rest.getBytes(US_ASCII)));
    }

    /** As Netty writes it. */
    private static byte[] version2(
            HAProxyProxiedProtocol family, String from, String to, HAProxyTLV... extensions) {
        var encoder = new EmbeddedChannel(HAProxyMessageEncoder.INSTANCE);
        encoder.writeOutbound(
                new HAProxyMessage(
                        HAProxyProtocolVersion.V2,
                        HAProxyCommand.PROXY,
                        family,
                        from,
                        to,
                        family == HAProxyProxiedProtocol.UNIX_STREAM ? 0 : 5000,
                        family == HAProxyProxiedProtocol.UNIX_STREAM ? 0 : 443,
                        List.of(extensions)));
        ByteBuf bytes = encoder.readOutbound();
        try {
            return ByteBufUtil.getBytes(bytes);
        } finally {
            bytes.release();
        }
    }

    private static byte[] ipv4(HAProxyTLV... extensions) {
        return version2(HAProxyProxiedProtocol.TCP4, "192.0.2.7", "192.0.2.1", extensions);
    }

    private void assertNamed(String address, int port) {
        assertThat(results).containsExactly(ProxyHeaderResult.NAMED);
        assertThat(client())
                .isEqualTo(new InetSocketAddress(Literal.address(address).orElseThrow(), port));
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.pipeline().get(ProxyHandshake.class)).isNull();
    }

    private @Nullable InetSocketAddress client() {
        return read == null ? null : read.client();
    }

    private void assertLocal() {
        assertThat(results).containsExactly(ProxyHeaderResult.LOCAL);
        assertThat(read).isNotNull();
        assertThat(client()).isNull();
        assertThat(channel.isOpen()).isTrue();
    }

    private void assertClosed(ProxyHeaderResult result) {
        assertThat(results).containsExactly(result);
        assertThat(read).isNull();
        assertThat(channel.isOpen()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 1000})
    void theBytesBehindAHeaderInPiecesArePassedOn(int piece) {
        receive(("PROXY TCP4 192.0.2.7 192.0.2.1 5000 443\r\n" + REST).getBytes(US_ASCII), piece);

        assertNamed("192.0.2.7", 5000);
        assertThat(passedOn).hasToString(REST);
        assertThat(events).containsExactly("active");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 1000})
    void soAreThoseBehindOneOfVersion2(int piece) {
        receive(join(ipv4(), REST), piece);

        assertNamed("192.0.2.7", 5000);
        assertThat(passedOn).hasToString(REST);
    }

    @Test
    void ipv6AddressesAreRead() {
        receive("PROXY TCP6 2001:db8::7 2001:db8::1 5000 443\r\n");

        assertNamed("2001:db8::7", 5000);
    }

    @Test
    void ipv6AddressesOfVersion2AreRead() {
        receive(version2(HAProxyProxiedProtocol.TCP6, "2001:db8::7", "2001:db8::1"));

        assertNamed("2001:db8::7", 5000);
    }

    @Test
    void aClientOfAUnixSocketIsNoLocalClient() {
        receive(version2(HAProxyProxiedProtocol.UNIX_STREAM, "/a", "/b"));

        assertNamed("0.0.0.0", 0);
    }

    @Test
    void unknownKeepsThePeer() {
        receive("PROXY UNKNOWN and whatever follows\r\n");

        assertLocal();
    }

    @Test
    void localKeepsThePeer() {
        var header = ipv4();
        header[12] = 0x20;
        receive(header);

        assertLocal();
    }

    /** Its block is ignored, whatever the family says (§2.2). */
    @ParameterizedTest
    @CsvSource({"0x12, 12", "0x11, 3", "0x32, 0", "0xff, 5"})
    void localIgnoresItsBlock(String family, int length) {
        var header = Arrays.copyOf(ipv4(), 16 + length);
        header[12] = 0x20;
        header[13] = Integer.decode(family).byteValue();
        header[15] = (byte) length;
        receive(header);

        assertLocal();
    }

    @Test
    void anUnspecifiedFamilyKeepsThePeer() {
        var header = Arrays.copyOf(ipv4(), 16);
        header[13] = 0;
        header[15] = 0;
        receive(header);

        assertLocal();
    }

    @Test
    void extensionsAreSkippedAndTlsIsNoted() {
        receive(
                join(
                        ipv4(
                                new HAProxyTLV((byte) 0xE0, Unpooled.wrappedBuffer(new byte[100])),
                                new HAProxySSLTLV(0, (byte) 1, List.of())),
                        REST));

        assertNamed("192.0.2.7", 5000);
        assertThat(read).matches(ProxyHeader::isTls);
        assertThat(passedOn).hasToString(REST);
    }

    private static byte[] summed() {
        var header = ipv4(new HAProxyTLV(CHECKSUM, Unpooled.wrappedBuffer(new byte[4])));
        var sum = new CRC32C();
        sum.update(header);
        Unpooled.wrappedBuffer(header).setInt(header.length - 4, (int) sum.getValue());
        return header;
    }

    @Test
    void aRightChecksumIsAccepted() {
        receive(summed());

        assertNamed("192.0.2.7", 5000);
    }

    @Test
    void aWrongChecksumClosesTheConnection() {
        var header = summed();
        header[16] ^= 1;
        receive(header);

        assertClosed(ProxyHeaderResult.MALFORMED);
    }

    @Test
    void aRequestWithoutAHeaderIsClosed() {
        receive("G");

        assertClosed(ProxyHeaderResult.ABSENT);
    }

    @Test
    void aHelloOfTlsWithoutAHeaderIsClosed() {
        receive(new byte[] {22, 3, 1});

        assertClosed(ProxyHeaderResult.ABSENT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PROXY TCP4 192.0.2.7 192.0.2.1 5000 443\n",
                "PROXY TCP4 192.0.2.7 192.0.2.1 5000\r\n",
                "PROXY TCP4 192.0.2.7 192.0.2.1 5000 443 1\r\n",
                "PROXY TCP4  192.0.2.1 5000 443\r\n",
                "PROXY TCP4 192.0.2.7 192.0.2.1 05000 443\r\n",
                "PROXY TCP4 192.0.2.7 192.0.2.1 65536 443\r\n",
                "PROXY TCP4 2001:db8::7 2001:db8::1 5000 443\r\n",
                "PROXY TCP6 192.0.2.7 192.0.2.1 5000 443\r\n",
                "PROXY TCP4 host 192.0.2.1 5000 443\r\n",
                "PROXY UDP4 192.0.2.7 192.0.2.1 5000 443\r\n",
                "PROXY TCP4 0.0.0.0 192.0.2.1 5000 443\r\n",
                "PROXY TCP6 :: 2001:db8::1 5000 443\r\n",
                "PROXY \r\n"
            })
    void aMalformedLineClosesTheConnection(String line) {
        receive(line);

        assertClosed(ProxyHeaderResult.MALFORMED);
    }

    @Test
    void aLineOf107BytesIsTheLongest() {
        receive("PROXY UNKNOWN " + "x".repeat(107 - 16) + "\r\n");

        assertLocal();
    }

    @Test
    void aLongerLineClosesTheConnectionBeforeItsEnd() {
        receive("PROXY UNKNOWN " + "x".repeat(107 - 14));

        assertClosed(ProxyHeaderResult.MALFORMED);
    }

    @Test
    void aHeaderOf536BytesIsTheLongest() {
        receive(ipv4(new HAProxyTLV((byte) 4, Unpooled.wrappedBuffer(new byte[536 - 28 - 3]))));

        assertNamed("192.0.2.7", 5000);
    }

    @Test
    void aLongerHeaderIsClosedByItsLength() {
        var header = ipv4(new HAProxyTLV((byte) 4, Unpooled.wrappedBuffer(new byte[536 - 28 - 2])));
        receive(Arrays.copyOf(header, 16));

        assertClosed(ProxyHeaderResult.MALFORMED);
    }

    @ParameterizedTest
    @CsvSource({"TCP4, 0.0.0.0, 192.0.2.1", "TCP6, ::, 2001:db8::1"})
    void theAddressOfNoClientIsMalformed(HAProxyProxiedProtocol family, String from, String to) {
        receive(version2(family, from, to));

        assertClosed(ProxyHeaderResult.MALFORMED);
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 13, 15, 30})
    void aMalformedHeaderClosesTheConnection(int changed) {
        var header = ipv4(new HAProxyTLV((byte) 4, Unpooled.wrappedBuffer(new byte[4])));
        header[changed] = 0x11 + 1;
        if (changed == 15) {
            header[changed] = 4;
        }
        receive(header);

        assertClosed(ProxyHeaderResult.MALFORMED);
    }

    @Test
    void anIncompleteHeaderIsClosedAfterThreeSeconds() {
        receive("PROXY TCP4 ");
        channel.advanceTimeBy(2_999, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.isOpen()).isTrue();

        channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();

        assertClosed(ProxyHeaderResult.LATE);
    }

    @Test
    void aConnectionClosedInsideTheHeaderIsCounted() {
        receive("PROXY TCP4 ");
        channel.close();

        assertThat(results).containsExactly(ProxyHeaderResult.CUT);
    }
}
