package dev.quire.proxy.memcached;

import dev.quire.proxy.store.ServerConnection;
import dev.quire.proxy.store.StoreFault;
import dev.quire.proxy.store.StoreServer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.util.function.Consumer;

/** How one server is reached, and what its errors mean. */
record MetaProtocol(
        MemcachedSettings settings,
        MemcachedSettings.Server address,
        Class<? extends SocketChannel> transport)
        implements StoreServer.Protocol<MetaConnection> {

    @Override
    public MetaConnection connection(EventLoop loop, ServerConnection.Listener listener) {
        return new MetaConnection(loop, address, transport, settings, listener);
    }

    @Override
    public boolean hasHandshake() {
        return false;
    }

    @Override
    public void tryOut(MetaConnection connection, Consumer<Boolean> ended) {
        connection.send(
                MetaRequest.noop(),
                answer -> {
                    answer.release();
                    ended.accept(answer instanceof MetaAnswer.Replies);
                },
                () -> {});
    }

    @Override
    public StoreFault ofConnection(String why) {
        return new StoreFault(
                "",
                "no connection to the store at " + address + ": " + why,
                "memcached 1.6 at the addresses of shared.servers",
                true);
    }

    @Override
    public StoreFault ofError(String error) {
        // It is full, or a value is too long for it: it can still be asked.
        boolean isOutage = !error.startsWith("SERVER_ERROR");
        return new StoreFault(
                error,
                "the store at " + address + " has answered: " + error,
                isOutage ? "memcached 1.6" : "enough memory, and items (-I) of shared.max-object",
                isOutage);
    }
}
