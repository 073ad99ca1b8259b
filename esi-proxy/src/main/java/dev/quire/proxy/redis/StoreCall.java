package dev.quire.proxy.redis;

import dev.quire.proxy.cache.SharedRecords.Reason;
import dev.quire.proxy.exchange.PlainWords;
import dev.quire.proxy.store.Deadlines;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.Command;
import io.netty.channel.EventLoop;
import java.util.function.Consumer;

/**
 * A command in flight. It ends once: with its reply, or with its connection. Before that its
 * deadline may pass; then a reply is released. Confined to the loop of the connection, even if
 * Lettuce ends it elsewhere.
 */
final class StoreCall extends Command<byte[], StoredValue, StoreReply> implements Deadlines.Call {

    /** Receives what became of the call. */
    interface Observer {
        /** The first of its reply and its deadline. */
        void answered(StoreReply reply);

        /** It does not use the connection any longer. Called once, after {@link #answered}. */
        void ended();
    }

    private final EventLoop loop;
    private final ReplyOutput reply;
    private final Consumer<StoreReply> then;
    private final Observer observer;
    private final long deadline;
    private boolean isSending = true;
    private boolean isAnswered;
    private boolean hasEnded;

    /**
     * @param then receives the reply, or the failure at the deadline
     * @param deadline in nanoseconds
     */
    StoreCall(
            StoreRequest request,
            RedisCodec<byte[], StoredValue> codec,
            ReplyOutput reply,
            EventLoop loop,
            long deadline,
            Consumer<StoreReply> then,
            Observer observer) {
        super(request.command(), reply, request.arguments(codec));
        this.loop = loop;
        this.reply = reply;
        this.deadline = deadline;
        this.then = then;
        this.observer = observer;
    }

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public boolean isAnswered() {
        return isAnswered;
    }

    /** From now on its end is passed on at once: the method that has begun it has returned. */
    void sent() {
        isSending = false;
    }

    @Override
    public void expire() {
        answer(new StoreReply.Failure(Reason.TIMEOUT, "no reply in time"));
    }

    @Override
    public void complete() {
        super.complete();
        end(() -> answer(reply.take()));
    }

    @Override
    public boolean completeExceptionally(Throwable fault) {
        boolean isFirst = super.completeExceptionally(fault);
        fail(PlainWords.of(fault));
        return isFirst;
    }

    @Override
    public void cancel() {
        super.cancel();
        fail("the connection was closed");
    }

    private void fail(String why) {
        end(() -> answer(new StoreReply.Failure(Reason.CLOSED, why)));
    }

    private void end(Runnable answer) {
        if (isSending || !loop.inEventLoop()) {
            loop.execute(() -> endNow(answer));
        } else {
            endNow(answer);
        }
    }

    private void endNow(Runnable answer) {
        if (!hasEnded) {
            hasEnded = true;
            try {
                answer.run();
            } finally {
                reply.release();
                observer.ended();
            }
        }
    }

    private void answer(StoreReply received) {
        if (isAnswered) {
            received.release();
            return;
        }
        isAnswered = true;
        try {
            observer.answered(received);
        } finally {
            then.accept(received);
        }
    }
}
