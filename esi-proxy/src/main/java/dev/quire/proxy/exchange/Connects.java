package dev.quire.proxy.exchange;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;

/** Connecting, also if there is no socket, such as without a file descriptor. */
public final class Connects {
    private Connects() {}

    /**
     * Runs {@code step} on {@code loop} when {@code connect} ends: without a socket it has none.
     */
    public static void whenEnded(ChannelFuture connect, EventLoop loop, Runnable step) {
        if (connect.isDone() && !connect.channel().isRegistered()) {
            loop.execute(step);
        } else {
            connect.addListener(done -> {
                if (loop.inEventLoop()) {
                    step.run();
                } else {
                    loop.execute(step);
                }
            });
        }
    }

    /** Closes {@code channel}, which may be without a loop: then it is not open. */
    public static void close(Channel channel) {
        if (channel.isRegistered()) {
            channel.close();
        }
    }
}
