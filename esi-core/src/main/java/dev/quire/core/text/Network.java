package dev.quire.core.text;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * A range of addresses (RFC 4632 §3.1).
 *
 * @param first the address with all bits after the prefix zero
 * @param prefix number of leading bits that are compared
 */
public record Network(InetAddress first, int prefix) {

    public static final String EXPECTED = "an address or a range, such as 10.0.0.0/8 or ::1/128";

    public Network {
        if (prefix < 0 || prefix > first.getAddress().length * 8) {
            throw new IllegalArgumentException("a prefix of " + prefix + " bits is too long");
        }
        first = masked(first, prefix);
    }

    /**
     * Parses {@code ADDRESS/PREFIX} or a single address.
     *
     * @throws IllegalArgumentException if the text has neither form
     */
    public static Network parse(String text) {
        return read(text)
                .orElseThrow(() -> new IllegalArgumentException(text + " is not " + EXPECTED));
    }

    /** Parses a single address; empty if it is not one. Never resolves names. */
    public static Optional<InetAddress> address(String text) {
        return Literal.address(text);
    }

    public static Optional<Network> read(String text) {
        int slash = text.indexOf('/');
        var address = Literal.address(slash < 0 ? text : text.substring(0, slash));
        if (address.isEmpty()) {
            return Optional.empty();
        }
        int bits = address.get().getAddress().length * 8;
        if (slash < 0) {
            return Optional.of(new Network(address.get(), bits));
        }
        var prefix = text.substring(slash + 1);
        if (prefix.isEmpty()
                || prefix.length() > 3
                || !prefix.chars().allMatch(Literal::isDigit)
                || Integer.parseInt(prefix) > bits) {
            return Optional.empty();
        }
        return Optional.of(new Network(address.get(), Integer.parseInt(prefix)));
    }

    /** Whether {@code address} is in the range; false for the other address family. */
    public boolean contains(InetAddress address) {
        if (address instanceof Inet4Address) {
            return first instanceof Inet4Address
                    && (prefix == 0
                            || (bits(address) ^ bits(first)) >>> (Integer.SIZE - prefix) == 0);
        }
        if (first instanceof Inet4Address) {
            return false;
        }
        var given = address.getAddress();
        var expected = first.getAddress();
        for (int i = 0; i < prefix; i += Byte.SIZE) {
            int at = i / Byte.SIZE;
            int compared = prefix - i >= Byte.SIZE ? 0xff : 0xff << (Byte.SIZE - (prefix - i));
            if (((given[at] ^ expected[at]) & compared & 0xff) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Constant indexes: the compiler need not allocate the array. */
    private static int bits(InetAddress address) {
        var bytes = address.getAddress();
        return (bytes[0] & 0xff) << 24
                | (bytes[1] & 0xff) << 16
                | (bytes[2] & 0xff) << 8
                | (bytes[3] & 0xff);
    }

    @Override
    public String toString() {
        return first.getHostAddress() + "/" + prefix;
    }

    private static InetAddress masked(InetAddress address, int prefix) {
        var bytes = address.getAddress();
        for (int i = 0; i < bytes.length; i++) {
            int kept = Math.clamp(prefix - i * 8L, 0, 8);
            bytes[i] = (byte) (bytes[i] & (0xff << (8 - kept)));
        }
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
        }
    }
}
