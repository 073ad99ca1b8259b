package dev.quire.proxy.listen;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.core.text.Literal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A header of the PROXY protocol, versions 1 and 2 (its text of 2020, §2): the client behind a
 * peer.
 *
 * @param bytes its length
 * @param client null if the connection is the peer's own
 * @param isTls whether the peer says that the client uses TLS
 */
record ProxyHeader(int bytes, @Nullable InetSocketAddress client, boolean isTls) {
    /**
     * The address of clients of Unix sockets. It is not the loopback address: what is meant for
     * local clients must not hold for everything that a program behind a socket passes on.
     */
    static final InetSocketAddress UNIX_PEER =
            new InetSocketAddress(Literal.address("0.0.0.0").orElseThrow(), 0);

    private static final int MAX_V1 = 107;
    private static final int MAX_V2 = 536;
    private static final int FIXED_V2 = 16;
    private static final byte[] START_V1 = "PROXY ".getBytes(US_ASCII);
    private static final byte[] START_V2 = ByteBufUtil.decodeHexDump("0d0a0d0a000d0a515549540a");
    private static final int LOCAL = 0x20;
    private static final int CHECKSUM = 0x03;
    private static final int SSL = 0x20;
    private static final int CRC_BYTES = 4;
    private static final int TLV_BYTES = 3;

    /** Of the client, in the value of {@link #SSL}: it uses TLS. */
    private static final int CLIENT_SSL = 0x01;

    /** The bytes are not a header. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;
        private final boolean isAbsent;

        Malformed(String message, boolean isAbsent) {
            super(message, null, false, false);
            this.isAbsent = isAbsent;
        }

        /** Whether the bytes do not begin as a header does. */
        boolean isAbsent() {
            return isAbsent;
        }
    }

    /**
     * Returns the header at the reader index of {@code in}, or null if more bytes are needed. Reads
     * without moving the index.
     *
     * @throws Malformed as soon as the bytes cannot become a header
     */
    static @Nullable ProxyHeader read(ByteBuf in) throws Malformed {
        if (!in.isReadable()) {
            return null;
        }
        return in.getByte(in.readerIndex()) == START_V1[0] ? line(in) : binary(in);
    }

    /** How the first bytes of a connection compare with those of a header. */
    enum Start {
        HEADER,
        OTHER,
        /** More bytes are needed. */
        UNDECIDED
    }

    /** Reads without moving the index. */
    static Start start(ByteBuf in) {
        if (!in.isReadable()) {
            return Start.UNDECIDED;
        }
        try {
            boolean isLine = in.getByte(in.readerIndex()) == START_V1[0];
            return begins(in, isLine ? START_V1 : START_V2) ? Start.HEADER : Start.UNDECIDED;
        } catch (Malformed absent) {
            return Start.OTHER;
        }
    }

    /** Returns whether all of {@code start} is there. */
    private static boolean begins(ByteBuf in, byte[] start) throws Malformed {
        int bytes = Math.min(in.readableBytes(), start.length);
        for (int i = 0; i < bytes; i++) {
            if (in.getByte(in.readerIndex() + i) != start[i]) {
                throw new Malformed("no header", true);
            }
        }
        return bytes == start.length;
    }

    private static Malformed malformed(String message) {
        return new Malformed(message, false);
    }

    private static @Nullable ProxyHeader line(ByteBuf in) throws Malformed {
        if (!begins(in, START_V1)) {
            return null;
        }
        int most = Math.min(in.readableBytes(), MAX_V1);
        int end = in.indexOf(in.readerIndex(), in.readerIndex() + most, (byte) '\n');
        if (end < 0) {
            if (most == MAX_V1) {
                throw malformed("a line of more than " + MAX_V1 + " bytes");
            }
            return null;
        }
        int bytes = end + 1 - in.readerIndex();
        var line = in.toString(in.readerIndex(), bytes, US_ASCII);
        if (!line.endsWith("\r\n")) {
            throw malformed("a line without CR");
        }
        var words = line.substring(0, line.length() - 2).split(" ", -1);
        return switch (words[1]) {
            case "UNKNOWN" -> new ProxyHeader(bytes, null, false);
            case "TCP4" -> new ProxyHeader(bytes, client(words, false), false);
            case "TCP6" -> new ProxyHeader(bytes, client(words, true), false);
            default -> throw malformed("an unknown protocol");
        };
    }

    /** The words are PROXY, protocol, source, destination and their ports. */
    private static InetSocketAddress client(String[] words, boolean isIpv6) throws Malformed {
        if (words.length != 6) {
            throw malformed("a line of " + words.length + " words");
        }
        var source = client(address(words[2], isIpv6));
        address(words[3], isIpv6);
        port(words[5]);
        return new InetSocketAddress(source, port(words[4]));
    }

    /** Refuses the address of {@link #UNIX_PEER}, which no client has. */
    private static InetAddress client(InetAddress named) throws Malformed {
        if (named.isAnyLocalAddress()) {
            throw malformed("an address that no client has");
        }
        return named;
    }

    private static InetAddress address(String text, boolean isIpv6) throws Malformed {
        var address = Literal.address(text).orElseThrow(() -> malformed("no address"));
        // An IPv4-mapped address is read as an IPv4 address.
        if (text.contains(":") != isIpv6) {
            throw malformed("an address of the other family");
        }
        return address;
    }

    private static int port(String text) throws Malformed {
        boolean isNumber =
                !text.isEmpty()
                        && text.length() <= 5
                        && text.chars().allMatch(Literal::isDigit)
                        && (text.length() == 1 || text.charAt(0) != '0');
        if (!isNumber || Integer.parseInt(text) > 65_535) {
            throw malformed("no port");
        }
        return Integer.parseInt(text);
    }

    private static @Nullable ProxyHeader binary(ByteBuf in) throws Malformed {
        if (!begins(in, START_V2) || in.readableBytes() < FIXED_V2) {
            return null;
        }
        int start = in.readerIndex();
        int bytes = FIXED_V2 + in.getUnsignedShort(start + 14);
        if (bytes > MAX_V2) {
            throw malformed("a header of " + bytes + " bytes");
        }
        int command = in.getUnsignedByte(start + 12);
        if (command != LOCAL && command != 0x21) {
            throw malformed("an unknown version or command");
        }
        if (in.readableBytes() < bytes) {
            return null;
        }
        if (command == LOCAL) {
            // The rest is ignored, whatever its family.
            return new ProxyHeader(bytes, null, false);
        }
        var header = in.slice(start, bytes);
        int family = header.getUnsignedByte(13);
        int addressBytes = addressBytes(family);
        if (FIXED_V2 + addressBytes > bytes) {
            throw malformed("an incomplete address");
        }
        boolean isTls = readTlvs(header, FIXED_V2 + addressBytes);
        return new ProxyHeader(bytes, client(header, family), isTls);
    }

    private static int addressBytes(int family) throws Malformed {
        return switch (family) {
            case 0x00 -> 0;
            case 0x11 -> 12;
            case 0x21 -> 36;
            case 0x31 -> 216;
            // Datagrams, which no client sends here.
            default -> throw malformed("an unknown family");
        };
    }

    private static @Nullable InetSocketAddress client(ByteBuf header, int family) throws Malformed {
        return switch (family) {
            case 0x00 -> null;
            case 0x31 -> UNIX_PEER;
            default -> {
                int addressBytes = family == 0x11 ? 4 : 16;
                var address = new byte[addressBytes];
                header.getBytes(FIXED_V2, address);
                int port = header.getUnsignedShort(FIXED_V2 + 2 * addressBytes);
                try {
                    yield new InetSocketAddress(client(InetAddress.getByAddress(address)), port);
                } catch (UnknownHostException e) {
                    throw malformed("no address");
                }
            }
        };
    }

    /** Checks the extensions from {@code at} on; returns whether they say that TLS is used. */
    private static boolean readTlvs(ByteBuf header, int at) throws Malformed {
        boolean isTls = false;
        int next = at;
        while (next < header.capacity()) {
            if (next + TLV_BYTES > header.capacity()) {
                throw malformed("an incomplete extension");
            }
            int type = header.getUnsignedByte(next);
            int length = header.getUnsignedShort(next + 1);
            int value = next + TLV_BYTES;
            next = value + length;
            if (next > header.capacity()) {
                throw malformed("an incomplete extension");
            }
            if (type == CHECKSUM) {
                check(header, value, length);
            } else if (type == SSL && length > 0) {
                isTls = (header.getByte(value) & CLIENT_SSL) != 0;
            }
        }
        return isTls;
    }

    /** Checks the sum at {@code value}, which counts as zero. */
    private static void check(ByteBuf header, int value, int length) throws Malformed {
        if (length != CRC_BYTES) {
            throw malformed("a checksum of " + length + " bytes");
        }
        var summed = ByteBufUtil.getBytes(header, 0, header.capacity(), true);
        summed[value] = summed[value + 1] = summed[value + 2] = summed[value + 3] = 0;
        var sum = new CRC32C();
        sum.update(summed);
        if ((int) sum.getValue() != header.getInt(value)) {
            throw malformed("a wrong checksum");
        }
    }
}
