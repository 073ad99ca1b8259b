package dev.quire.proxy.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;

/** The carrier of the bytes of one end of a tunnel: a connection, or a stream of HTTP/2. */
public interface TunnelSide {

    EventLoop loop();

    /** Whether bytes can still be sent or received. */
    boolean isOpen();

    /** Whether its input has ended. */
    boolean isInputEnded();

    /** Bytes that the peer has not taken yet. */
    long pendingBytes();

    /** Reads, or stops reading once what has arrived is passed on. */
    void read(boolean isOn);

    /** Whether it takes more bytes without buffering. */
    boolean isWritable();

    /** Sends {@code bytes} with the next flush; takes over one reference. */
    void write(ByteBuf bytes);

    void flush();

    /** Ends the output once everything was sent; input goes on. */
    void endOutput();

    /** Closes it once everything was sent, or after a limit. */
    void close();

    /** Closes it likewise, and shows that the other end of the tunnel has broken off if it can. */
    default void abort() {
        close();
    }
}
