package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EventLoopsTest {
    private final EventLoops loops = new EventLoops(1, "test", LocalIoHandler.newFactory());
    private final LocalServerChannel channel = new LocalServerChannel();
    private final ByteBuf buffered = Unpooled.directBuffer(1);

    @Test
    void shutdownThatBeginsWithinATaskClosesTheChannels() throws Exception {
        channel.pipeline().addLast(new ReleasesAtTheEnd());
        loops.register(channel).sync();
        channel.bind(new LocalAddress(EventLoopsTest.class)).sync();

        loops.execute(() -> loops.shutdownGracefully(0, 1, TimeUnit.SECONDS));

        assertThat(loops.terminationFuture().await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(channel.isOpen()).isFalse();
        assertThat(buffered.refCnt()).isZero();
    }

    private final class ReleasesAtTheEnd extends ChannelInboundHandlerAdapter {
        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            buffered.release();
        }
    }
}
