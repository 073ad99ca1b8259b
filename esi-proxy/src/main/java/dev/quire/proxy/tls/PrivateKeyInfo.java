package dev.quire.proxy.tls;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The PKCS #8 form (RFC 5958), which the JDK reads, of keys in the older forms of RFC 8017 and RFC
 * 5915.
 */
final class PrivateKeyInfo {
    private static final byte[] VERSION = {2, 1, 0};
    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 0x04;
    private static final int PARAMETERS = 0xa0;

    /** rsaEncryption, without parameters. */
    private static final byte[] RSA = HexFormat.of().parseHex("06092a864886f70d0101010500");

    /** id-ecPublicKey. */
    private static final byte[] EC = HexFormat.of().parseHex("06072a8648ce3d0201");

    private PrivateKeyInfo() {}

    /**
     * Returns the PKCS #8 form.
     *
     * @param label of the PEM block
     * @throws IllegalArgumentException if {@code key} has not the form of its label
     */
    static byte[] of(String label, byte[] key) {
        return switch (label) {
            case "RSA PRIVATE KEY" -> wrapped(RSA, key);
            case "EC PRIVATE KEY" -> wrapped(joined(EC, curve(key)), key);
            default -> key;
        };
    }

    private static byte[] wrapped(byte[] algorithm, byte[] key) {
        return value(SEQUENCE, joined(VERSION, value(SEQUENCE, algorithm), value(OCTETS, key)));
    }

    /** The identifier of the curve in an ECPrivateKey. */
    private static byte[] curve(byte[] key) {
        var sequence = new Reader(key);
        var members = new Reader(sequence.value(SEQUENCE));
        while (members.hasMore()) {
            if (members.tag() == PARAMETERS) {
                return members.value(PARAMETERS);
            }
            members.value(members.tag());
        }
        throw new IllegalArgumentException("a key without the name of its curve");
    }

    private static byte[] joined(byte[]... parts) {
        var out = new ByteArrayOutputStream();
        for (var part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private static byte[] value(int tag, byte[] content) {
        var out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            out.write(0x82);
            out.write(content.length >> 8);
            out.write(content.length);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    /** Reads the values of DER one after another. */
    private static final class Reader {
        private final byte[] der;
        private int at;

        Reader(byte[] der) {
            this.der = der;
        }

        boolean hasMore() {
            return at < der.length;
        }

        int tag() {
            return der[at] & 0xff;
        }

        byte[] value(int tag) {
            if (at + 2 > der.length || tag() != tag) {
                throw new IllegalArgumentException("malformed DER");
            }
            int length = der[at + 1] & 0xff;
            at += 2;
            if (length > 0x80) {
                int bytes = length & 0x7f;
                length = 0;
                for (int i = 0; i < bytes && at < der.length; i++) {
                    length = (length << 8) | (der[at++] & 0xff);
                }
            }
            if (length < 0 || length > der.length - at) {
                throw new IllegalArgumentException("malformed DER");
            }
            at += length;
            return Arrays.copyOfRange(der, at - length, at);
        }
    }
}
