package dev.quire.spring;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** The server this application runs in, as far as it can be asked for fragments over HTTP. */
interface OwnServer {

    /** Where it speaks plain HTTP, or null if it does not, or not yet. */
    @Nullable InetSocketAddress address();

    /** Most requests that it works on at a time. */
    int mostThreads();
}
