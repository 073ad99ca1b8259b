package dev.quire.proxy.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Calls whose receiver fails. */
class StoreCallTest {
    private final List<String> heard = new ArrayList<>();

    private final StoreCall.Observer observer =
            new StoreCall.Observer() {
                @Override
                public void answered(StoreReply reply) {
                    heard.add("answered");
                }

                @Override
                public void ended() {
                    heard.add("ended");
                }
            };

    @Test
    void aCallWhoseReceiverFailsEnds() {
        var codec = new StoreCodec();
        var output = new ReplyOutput(codec, UnpooledByteBufAllocator.DEFAULT);
        var loop = new EmbeddedChannel().eventLoop();
        var call =
                new StoreCall(
                        StoreRequest.read(new byte[] {1}, 1),
                        codec,
                        output,
                        loop,
                        0,
                        reply -> {
                            reply.release();
                            throw new OutOfMemoryError("expected no more memory");
                        },
                        observer);
        call.sent();
        output.set(ByteBuffer.wrap(new byte[] {2}));

        assertThatThrownBy(call::complete).hasMessage("expected no more memory");
        assertThat(heard).containsExactly("answered", "ended");
    }

    @Test
    void anErrorWhenConnectingIsItsOutcome() {
        var begun =
                StoreConnector.begun(() -> {
                    throw new StackOverflowError("expected no deeper stack");
                });

        assertThat(begun.toCompletableFuture()).isCompletedExceptionally();
    }
}
