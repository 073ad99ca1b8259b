package dev.quire.proxy.exchange;

import io.netty.util.NetUtil;
import java.net.InetAddress;

/** The text form of addresses: IPv6 in its short form (RFC 5952), without a zone. */
public final class AddressText {
    private AddressText() {}

    public static String of(InetAddress address) {
        return NetUtil.toAddressString(address);
    }
}
