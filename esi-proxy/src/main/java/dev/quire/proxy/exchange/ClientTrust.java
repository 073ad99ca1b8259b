package dev.quire.proxy.exchange;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.EffectiveRequest;
import dev.quire.core.policy.EffectiveRequest.Sender;
import dev.quire.core.text.Literal;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides which peers may make claims about the clients behind them, and who sees diagnostics.
 * Thread-safe.
 *
 * @param trusted matches peers whose X-Forwarded-For and X-Forwarded-Proto are believed
 * @param believed further forwarding fields of these peers that are forwarded and part of the key
 * @param diagnostics matches clients that see diagnostics; null: loopback clients whose request has
 *     no forwarding field
 */
public record ClientTrust(
        Predicate<InetAddress> trusted,
        FieldNames believed,
        @Nullable Predicate<InetAddress> diagnostics) {

    /** Trusts no peer. */
    public static final ClientTrust NONE = new ClientTrust(peer -> false, FieldNames.NONE, null);

    private static final String FORWARDED_FOR = "X-Forwarded-For";

    /** The client of whom a trusted peer says something that is not an address. */
    private static final InetAddress UNKNOWN = Literal.address("0.0.0.0").orElseThrow();

    /** A longer chain of proxies is cut there. */
    private static final int MAX_HOPS = 32;

    Sender sender(InetAddress peer) {
        return new Sender(NetUtil.toAddressString(peer), trusted.test(peer), believed);
    }

    /**
     * Returns the client: the last address in X-Forwarded-For that is not a trusted peer's, if the
     * connection is from a trusted peer; otherwise the address of the connection. 0.0.0.0 if that
     * member of the field is not an address: the peer's own rights are not the client's.
     *
     * @param peer of the connection
     */
    public InetAddress client(RequestHead received, InetAddress peer) {
        if (!received.fields().contains(FORWARDED_FOR) || !trusted.test(peer)) {
            return peer;
        }
        var chain = FieldList.members(received.fields().all(FORWARDED_FOR));
        var client = UNKNOWN;
        int first = Math.max(0, chain.size() - MAX_HOPS);
        for (int i = chain.size() - 1; i >= first; i--) {
            var named = Literal.address(withoutPort(chain.get(i)));
            client = named.orElse(UNKNOWN);
            // Trusted peers of a Unix socket have the address of unknown clients.
            if (named.isEmpty() || !trusted.test(client)) {
                break;
            }
        }
        return client;
    }

    /** Whether the client at {@code peer} may see how its request was handled. */
    boolean seesDiagnostics(RequestHead received, InetAddress peer) {
        if (diagnostics == null) {
            return peer.isLoopbackAddress() && !isForwarded(received.fields());
        }
        return diagnostics.test(client(received, peer))
                && (trusted.test(peer) || !isForwarded(received.fields()));
    }

    private static boolean isForwarded(Fields received) {
        return received.contains("Via") || EffectiveRequest.isForwarded(received);
    }

    /** Some proxies add the port, and IPv6 addresses then have brackets. */
    private static String withoutPort(String text) {
        int close = text.indexOf(']');
        if (text.startsWith("[") && close > 0) {
            return text.substring(1, close);
        }
        int colon = text.indexOf(':');
        return colon >= 0 && colon == text.lastIndexOf(':') ? text.substring(0, colon) : text;
    }
}
