package dev.quire.proxy.exchange;

import io.netty.channel.EventLoop;

/** Sends requests to one origin: over the network, or to an application in the same process. */
public interface OriginClient {

    /**
     * Sends {@code request} and hands the response to {@code sink}, on {@code loop} and never from
     * within this call. While the flow is paused the sink gets nothing but interim responses and
     * the head; a response that takes longer than the origin's deadlines ends in a failure.
     *
     * <p>The request's body flows once a connection stands; it may never be asked for, and is left
     * paused if the exchange ends before it does.
     *
     * @param loop of the exchange that asks, and the caller's own
     * @return ends the request at any time, also before there is a head
     */
    BodyFlow fetch(OriginRequest request, EventLoop loop, ResponseSink sink);
}
