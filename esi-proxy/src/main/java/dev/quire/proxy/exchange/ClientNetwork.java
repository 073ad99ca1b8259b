package dev.quire.proxy.exchange;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * A client as limits count it: an IPv4 address, or an IPv6 /64 network, since one subscriber has
 * that many addresses.
 *
 * @param prefix the address, or the first half of an IPv6 address
 */
public record ClientNetwork(boolean isIpv6, long prefix) {

    public static ClientNetwork of(InetAddress address) {
        var bytes = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet6Address
                ? new ClientNetwork(true, bytes.getLong())
                : new ClientNetwork(false, bytes.getInt());
    }
}
