package dev.quire.spring.internal.assemble;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.AbstractProtocol;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;

/** Tomcat, through its connector; available once that is created. Thread-safe. */
public final class TomcatServer implements OwnServer {

    private volatile @Nullable Connector connector;

    /** Sets the connector of this application. */
    public void serves(Connector main) {
        connector = main;
    }

    @Override
    public @Nullable InetSocketAddress address() {
        var main = connector;
        if (main == null || main.getSecure() || main.getLocalPort() <= 0) {
            return null;
        }
        var bound = main.getProperty("address");
        var host =
                bound instanceof InetAddress address && !address.isAnyLocalAddress()
                        ? address
                        : InetAddress.getLoopbackAddress();
        return new InetSocketAddress(host, main.getLocalPort());
    }

    /** Unlimited if the executor is not a thread pool, as with virtual threads. */
    @Override
    public int mostThreads() {
        var main = connector;
        return main != null
                        && main.getProtocolHandler() instanceof AbstractProtocol<?> protocol
                        && protocol.getExecutor() instanceof ThreadPoolExecutor pool
                ? pool.getMaximumPoolSize()
                : Integer.MAX_VALUE;
    }
}
