package dev.quire.proxy.listen;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;

/**
 * Event loops that close all their channels before they terminate, so that everything confined to
 * them is released.
 */
public final class EventLoops extends MultiThreadIoEventLoopGroup {

    /**
     * @param loops at least 1
     * @param threads prefix of the names of their threads, which are daemons
     */
    public EventLoops(int loops, String threads, IoHandlerFactory ioHandlers) {
        super(loops, new DefaultThreadFactory(threads, true), ioHandlers);
    }

    @Override
    protected IoEventLoop newChild(
            Executor executor, IoHandlerFactory ioHandlers, Object... unused) {
        return new Loop(this, executor, ioHandlers);
    }

    private static final class Loop extends SingleThreadIoEventLoop {

        Loop(EventLoops group, Executor executor, IoHandlerFactory ioHandlers) {
            super(group, executor, ioHandlers);
        }

        /**
         * Netty closes the channels before it runs tasks, and ends the loop after them: a shutdown
         * without a quiet period that begins during the tasks would leave all channels open. Their
         * events are tasks, which Netty still runs after this method.
         */
        @Override
        protected void run() {
            super.run();
            if (isShuttingDown()) {
                ioHandler().prepareToDestroy();
            }
        }
    }
}
