package dev.quire.core.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
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

    /** Its first address. */
    public InetAddress first() {
        var bytes =
                isIpv6
                        ? ByteBuffer.allocate(16).putLong(prefix)
                        : ByteBuffer.allocate(4).putInt((int) prefix);
        try {
            return InetAddress.getByAddress(bytes.array());
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address has 4 or 16 bytes", e);
        }
    }
}
