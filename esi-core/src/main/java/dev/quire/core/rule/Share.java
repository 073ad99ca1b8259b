package dev.quire.core.rule;

import java.net.InetAddress;

/**
 * A part of all clients, or of all values of a cookie. A value always belongs to it or never, in
 * every process, and still does if the part grows.
 *
 * @param percent 0 to 100
 */
public record Share(int percent) {
    private static final int FNV_BASIS = 0x811C9DC5;
    private static final int FNV_PRIME = 0x01000193;

    /** The bytes of an IPv6 address that are the same for all addresses of a client. */
    private static final int NETWORK_BYTES = 8;

    public Share {
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("expected 0 to 100 percent, found " + percent);
        }
    }

    /** Whether {@code value} belongs to it. */
    public boolean contains(String value) {
        int hash = FNV_BASIS;
        for (int i = 0; i < value.length(); i++) {
            hash = (hash ^ value.charAt(i)) * FNV_PRIME;
        }
        return contains(hash);
    }

    /** Whether the client at {@code address} belongs to it; an IPv6 client is a network of /64. */
    public boolean contains(InetAddress address) {
        var bytes = address.getAddress();
        int hash = FNV_BASIS;
        for (int i = 0; i < Math.min(bytes.length, NETWORK_BYTES); i++) {
            hash = (hash ^ (bytes[i] & 0xFF)) * FNV_PRIME;
        }
        return contains(hash);
    }

    private boolean contains(int hash) {
        // The last bits of FNV-1a depend on the last bytes alone: all bits are mixed (MurmurHash3).
        int mixed = (hash ^ (hash >>> 16)) * 0x85EBCA6B;
        mixed = (mixed ^ (mixed >>> 13)) * 0xC2B2AE35;
        return Integer.remainderUnsigned(mixed ^ (mixed >>> 16), 100) < percent;
    }
}
