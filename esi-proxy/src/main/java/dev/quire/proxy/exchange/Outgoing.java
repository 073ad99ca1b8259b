package dev.quire.proxy.exchange;

import io.netty.channel.Channel;

/** The bytes that a connection still has to send. */
public final class Outgoing {
    private Outgoing() {}

    /**
     * Returns the bytes that were written and that the socket has not taken; 0 once closed. Netty
     * counts a message as pending until it is sent whole, so a client that takes a long one slowly
     * would seem to take nothing.
     */
    public static long pendingBytes(Channel channel) {
        var out = channel.unsafe().outboundBuffer();
        return out == null ? 0 : out.totalPendingWriteBytes() - out.currentProgress();
    }
}
