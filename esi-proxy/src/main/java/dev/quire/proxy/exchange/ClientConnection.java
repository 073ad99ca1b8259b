package dev.quire.proxy.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;

/** The way back to the client of one exchange. On the connection's loop. */
public interface ClientConnection {

    EventLoop loop();

    ByteBufAllocator alloc();

    /** Puts {@code bytes} behind what has been written; takes over one reference. */
    void write(ByteBuf bytes);

    /** As {@link #write(ByteBuf)}; {@code gone} runs once the bytes have left, or never will. */
    void write(ByteBuf bytes, Runnable gone);

    /** Sends what has been written, at the latest when the current batch of reads is done. */
    void flush();

    /** Whether the client takes more without our keeping it. */
    boolean isWritable();

    /** Whether the client is still there, as far as anyone can tell. */
    boolean isOpen();

    /** Whether no further request is taken on this connection. */
    boolean isClosing();

    /** The response is written; the next request of the connection may begin. */
    void finished(boolean keepAlive);

    /** The response cannot be finished: the client must see that it is cut. */
    void abort();
}
