package dev.quire.proxy.listen;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;

/**
 * Netty's epoll, which never removes an open socket from the epoll set. Netty 4.2.20 removes one
 * that waits for no event, such as a half-closed one, and then cannot add it again: reading or a
 * write that has to wait fails with ENOENT.
 *
 * @param netty does everything else
 */
record EpollHandler(IoHandler netty) implements IoHandler {

    static IoHandlerFactory newFactory() {
        var factory = EpollIoHandler.newFactory();
        return executor -> new EpollHandler(factory.newHandler(executor));
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return new Registration(netty.register(handle));
    }

    @Override
    public void initialize() {
        netty.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        return netty.run(context);
    }

    @Override
    public void prepareToDestroy() {
        netty.prepareToDestroy();
    }

    @Override
    public void destroy() {
        netty.destroy();
    }

    @Override
    public void wakeup() {
        netty.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
        return netty.isCompatible(type);
    }

    private record Registration(IoRegistration netty) implements IoRegistration {

        @Override
        public long submit(IoOps ops) {
            // Edge-triggered, because errors are always reported and would wake the loop forever.
            return netty.submit(ops.equals(EpollIoOps.NONE) ? EpollIoOps.EPOLLET : ops);
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // given by the interface
        public <T> T attachment() {
            return netty.attachment();
        }

        @Override
        public boolean isValid() {
            return netty.isValid();
        }

        @Override
        public boolean cancel() {
            return netty.cancel();
        }
    }
}
