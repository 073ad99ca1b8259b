package dev.quire.proxy.listen;

import dev.quire.core.http.RequestHead;
import dev.quire.proxy.exchange.RequestId;
import java.net.InetAddress;

/**
 * A request that was refused before it was routed.
 *
 * @param reason a constant of the violated rule
 * @param offender the offending text, escaped
 * @param head as far as it is known; nothing in it is valid, and unknown parts are empty
 * @param protocol as received; empty if unknown
 * @param client the reader
 * @param response what was sent
 */
public record Refusal(
        Enum<?> reason,
        String offender,
        RequestHead head,
        String protocol,
        RequestId id,
        InetAddress client,
        Response response) {

    /**
     * The response.
     *
     * @param status 0 if none was sent
     * @param bytes of its body
     * @param tookNanos since the first byte of the request; 0 if it was refused at once
     */
    public record Response(int status, long bytes, long tookNanos) {}
}
