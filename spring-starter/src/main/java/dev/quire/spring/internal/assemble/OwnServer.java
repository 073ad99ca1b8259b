package dev.quire.spring.internal.assemble;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** The server of this application, for fragment requests over HTTP. */
public interface OwnServer {

    /** Returns its plain HTTP address, or null if unknown. */
    @Nullable InetSocketAddress address();

    /** Returns the maximum number of concurrent requests. */
    int mostThreads();
}
