package dev.quire.proxy.exchange;

import io.netty.channel.EventLoop;

/** Sends requests to one origin: over the network, or to an application in the same process. */
public interface OriginClient {

    /**
     * Sends {@code request} and passes the response to {@code sink}, on {@code loop} and never
     * within this call. While the flow is paused the sink receives only interim responses and the
     * head. {@link ResponseSink#sending} is called for each attempt. A response that exceeds the
     * origin's deadlines ends in a failure.
     *
     * <p>The request body is streamed once there is a connection. It may never be read, and is left
     * paused if the exchange ends before it does.
     *
     * @param loop the loop of the exchange, on which this is called
     * @return cancels the request at any time, also before the head
     */
    BodyFlow fetch(OriginRequest request, EventLoop loop, ResponseSink sink);
}
