package dev.quire.proxy.handover;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a replaced process to the new one, which answers each in turn. Confined to the
 * event loop of their connection.
 */
final class PassedMessages {
    /** In memory, of messages without an answer. */
    static final long MAX_BYTES = 32 << 20;

    /** About the size of a short message and its future. */
    private static final int LEAST_BYTES = 256;

    /** In the order in which they are answered. */
    private final Queue<Message> unanswered = new ArrayDeque<>();

    private final Queue<ByteBuf> unsent = new ArrayDeque<>();
    private long bytes;
    private @Nullable Channel receiver;
    private boolean hasEnded;

    private record Message(long bytes, CompletableFuture<Boolean> confirmed) {}

    /** Sends {@code message}, now or later. Returns false if there are too many. */
    boolean add(ByteBuf message, CompletableFuture<Boolean> confirmed) {
        if (hasEnded) {
            message.release();
            confirmed.complete(false);
            return true;
        }
        var added = new Message(LEAST_BYTES + message.readableBytes(), confirmed);
        unanswered.add(added);
        bytes += added.bytes();
        unsent.add(message);
        send();
        return bytes <= MAX_BYTES;
    }

    /** The new process expects messages. */
    void begin(Channel to) {
        receiver = to;
        send();
    }

    private void send() {
        var to = receiver;
        if (to == null) {
            return;
        }
        while (!unsent.isEmpty()) {
            var message = unsent.remove();
            to.write(Unpooled.copyInt(message.readableBytes()));
            to.write(message);
        }
        to.flush();
    }

    /** Receives the next answer. Returns false if all are answered already. */
    boolean answered(boolean isConfirmed) {
        var message = unanswered.poll();
        if (message == null) {
            return false;
        }
        bytes -= message.bytes();
        message.confirmed().complete(isConfirmed);
        return true;
    }

    /** No message is confirmed any more. */
    void end() {
        hasEnded = true;
        unsent.forEach(ByteBuf::release);
        unsent.clear();
        unanswered.forEach(message -> message.confirmed().complete(false));
        unanswered.clear();
    }
}
