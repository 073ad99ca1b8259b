package dev.quire.proxy.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

/** RFC 8446 §4.1.2, RFC 7301 §3.1. */
class ClientHelloTest {
    private static final int SERVER_NAME = 0;
    private static final int ALPN = 16;

    private static ByteBuf hello(ByteBuf extensions) {
        var hello = Unpooled.buffer().writeShort(0x0303).writeZero(32);
        hello.writeByte(3).writeZero(3);
        hello.writeShort(4).writeZero(4);
        hello.writeByte(1).writeByte(0);
        return hello.writeShort(extensions.readableBytes()).writeBytes(extensions);
    }

    private static ByteBuf extension(int type, ByteBuf content) {
        return Unpooled.buffer()
                .writeShort(type)
                .writeShort(content.readableBytes())
                .writeBytes(content);
    }

    private static ByteBuf alpn(String... names) {
        var list = Unpooled.buffer();
        for (var name : names) {
            list.writeByte(name.length()).writeBytes(name.getBytes(US_ASCII));
        }
        return extension(ALPN, Unpooled.buffer().writeShort(list.readableBytes()).writeBytes(list));
    }

    @Test
    void protocolsHaveTheOrderOfTheClient() {
        var others = extension(SERVER_NAME, Unpooled.buffer().writeZero(9));
        var hello = hello(Unpooled.wrappedBuffer(others, alpn("h2", "http/1.1")));

        assertThat(ClientHello.protocols(hello)).containsExactly("h2", "http/1.1");
        assertThat(hello.readerIndex()).isZero();
    }

    @Test
    void withoutTheExtensionThereAreNone() {
        assertThat(ClientHello.protocols(hello(Unpooled.EMPTY_BUFFER))).isEmpty();
        assertThat(ClientHello.protocols(hello(extension(SERVER_NAME, Unpooled.EMPTY_BUFFER))))
                .isEmpty();
        // TLS 1.2 allows a ClientHello without the block of extensions.
        var bare = hello(Unpooled.EMPTY_BUFFER);
        assertThat(ClientHello.protocols(bare.slice(0, bare.readableBytes() - 2))).isEmpty();
    }

    @Test
    void aMessageThatIsCutOffHasNone() {
        var whole = hello(alpn("h2"));
        for (int length = 0; length < whole.readableBytes(); length++) {
            assertThat(ClientHello.protocols(whole.slice(0, length))).as("%s", length).isEmpty();
        }
    }

    @Test
    void aLengthThatIsWrongNeverReachesOverItsExtension() {
        var content = Unpooled.buffer().writeShort(200).writeByte(2).writeBytes(new byte[] {1, 2});
        var hello = hello(Unpooled.wrappedBuffer(extension(ALPN, content), alpn("h2")));

        assertThat(ClientHello.protocols(hello)).isEqualTo(List.of());
    }
}
