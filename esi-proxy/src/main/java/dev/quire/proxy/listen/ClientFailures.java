package dev.quire.proxy.listen;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;

/** Why a request body is incomplete. */
final class ClientFailures {
    static final Failure GONE = new Failure(Side.CLIENT, Kind.CANCELLED, "the client disconnected");
    static final Failure NO_BODY =
            new Failure(Side.CLIENT, Kind.CANCELLED, "the request body is incomplete");
    static final Failure TOO_SLOW =
            new Failure(Side.CLIENT, Kind.TIMEOUT, "the request body timed out");
    static final Failure TOO_LARGE =
            new Failure(Side.CLIENT, Kind.TOO_LARGE, "the request body exceeds its limit");

    private ClientFailures() {}
}
