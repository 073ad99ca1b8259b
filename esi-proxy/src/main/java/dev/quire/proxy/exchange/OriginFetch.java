package dev.quire.proxy.exchange;

import dev.quire.core.http.Fields;

/** One question to an origin, ready to be asked; every start is a new attempt. */
public interface OriginFetch {

    /**
     * Asks, on the current loop.
     *
     * @param conditions lines to add, so that the origin can answer 304 (Not Modified); possibly
     *     none
     */
    BodyFlow start(Fields conditions, ResponseSink sink);
}
