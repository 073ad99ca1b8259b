package dev.quire.proxy.listen;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A range of IP addresses (RFC 4632 §3.1, RFC 4291 §2.3).
 *
 * @param network its first address, four bytes or sixteen, in hexadecimal
 * @param prefix how many leading bits all its addresses share
 */
public record Cidr(String network, int prefix) {
    private static final HexFormat HEX = HexFormat.of();

    public Cidr {
        byte[] bytes = HEX.parseHex(network);
        if (bytes.length != 4 && bytes.length != 16) {
            throw new IllegalArgumentException("network must have 4 or 16 bytes: " + network);
        }
        int bits = bytes.length * 8;
        if (prefix < 0 || prefix > bits) {
            throw new IllegalArgumentException(
                    "prefix length is " + prefix + " (expected 0 to " + bits + ")");
        }
        if (!HEX.formatHex(masked(bytes, prefix)).equals(network)) {
            throw new IllegalArgumentException(
                    "address has bits set behind the first "
                            + prefix
                            + " (expected "
                            + text(masked(bytes, prefix))
                            + "/"
                            + prefix
                            + ")");
        }
    }

    /**
     * Reads {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or a single address. Nothing is looked up.
     *
     * @throws IllegalArgumentException saying what is wrong and what was expected
     */
    public static Cidr parse(String text) {
        int slash = text.indexOf('/');
        var address = slash < 0 ? text : text.substring(0, slash);
        byte @Nullable [] bytes =
                address.indexOf('%') >= 0 || address.indexOf('[') >= 0
                        ? null
                        : NetUtil.createByteArrayFromIpAddressString(address);
        if (bytes == null) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no address range (expected for example 10.0.0.0/8)");
        }
        int prefix = slash < 0 ? bytes.length * 8 : prefix(text, text.substring(slash + 1));
        try {
            return new Cidr(HEX.formatHex(bytes), prefix);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "': " + e.getMessage(), e);
        }
    }

    /** Whether {@code address} lies in the range; an IPv4-mapped one counts as IPv4. */
    public boolean contains(InetAddress address) {
        byte[] bytes = unmapped(address.getAddress());
        return bytes.length * 2 == network.length()
                && HEX.formatHex(masked(bytes, prefix)).equals(network);
    }

    /** Whether {@code address} lies in any of {@code ranges}. */
    static boolean anyContains(List<Cidr> ranges, InetAddress address) {
        for (var range : ranges) {
            if (range.contains(address)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return text(HEX.parseHex(network)) + "/" + prefix;
    }

    private static int prefix(String text, String digits) {
        if (digits.isEmpty() || digits.length() > 3 || !digits.chars().allMatch(Grammar::isDigit)) {
            throw new IllegalArgumentException(
                    "'" + text + "' has no prefix length (expected for example 10.0.0.0/8)");
        }
        return Integer.parseInt(digits);
    }

    private static byte[] masked(byte[] bytes, int prefix) {
        byte[] masked = bytes.clone();
        for (int i = 0; i < masked.length; i++) {
            int kept = Math.clamp(prefix - i * 8L, 0, 8);
            masked[i] &= (byte) (0xff << (8 - kept));
        }
        return masked;
    }

    private static byte[] unmapped(byte[] bytes) {
        return bytes.length == 16 && isMapped(bytes)
                ? new byte[] {bytes[12], bytes[13], bytes[14], bytes[15]}
                : bytes;
    }

    private static boolean isMapped(byte[] bytes) {
        for (int i = 0; i < 10; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return bytes[10] == -1 && bytes[11] == -1;
    }

    private static String text(byte[] bytes) {
        try {
            return NetUtil.toAddressString(InetAddress.getByAddress(bytes));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("expected 4 or 16 bytes, found " + bytes.length, e);
        }
    }
}
