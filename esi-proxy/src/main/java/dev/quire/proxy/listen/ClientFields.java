package dev.quire.proxy.listen;

import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.HopByHop;
import dev.quire.core.policy.RequestFields;
import dev.quire.core.policy.Via;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.function.Predicate;

/**
 * Converts a client's field lines to those sent to the origin. Removes hop-by-hop fields (RFC 9110
 * §7.6.1) and fields that only a proxy may set, and adds our own.
 */
public final class ClientFields {
    private static final String FORWARDED_FOR = "X-Forwarded-For";
    private static final String FORWARDED_PROTO = "X-Forwarded-Proto";
    private static final String FORWARDED_HOST = "X-Forwarded-Host";

    private final Predicate<InetAddress> trusted;

    /**
     * @param trusted matches peers whose X-Forwarded-* is extended instead of replaced
     */
    public ClientFields(Predicate<InetAddress> trusted) {
        this.trusted = trusted;
    }

    public boolean trusts(InetAddress peer) {
        return trusted.test(peer);
    }

    /**
     * Returns the field lines for the origin, without {@code Surrogate-Capability}, which depends
     * on the fetch, and without framing, which belongs to the connection.
     *
     * @param peer the remote address of the client's connection
     */
    public NettyFields up(RequestHead head, InetAddress peer) {
        boolean believed = trusts(peer);
        var nominated = HopByHop.nominated(head.fields());
        var up = newHeaders();
        head.fields()
                .forEach((name, value) -> {
                    if (RequestFields.goesUp(name, believed) && !nominated.contains(name)) {
                        up.add(name, value);
                    }
                });
        up.add("Via", Via.MEMBER);
        forwarded(head, NetUtil.toAddressString(peer), up);
        return new NettyFields(up);
    }

    private static void forwarded(RequestHead head, String peer, HttpHeaders up) {
        var before = up.getAll(FORWARDED_FOR);
        up.set(FORWARDED_FOR, before.isEmpty() ? peer : String.join(", ", before) + ", " + peer);
        if (!up.contains(FORWARDED_PROTO)) {
            up.add(FORWARDED_PROTO, head.scheme().text());
        }
        if (!up.contains(FORWARDED_HOST)) {
            up.add(FORWARDED_HOST, head.authority());
        }
    }

    // The lines were validated on arrival.
    private static HttpHeaders newHeaders() {
        return DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
    }
}
