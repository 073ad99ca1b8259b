package dev.quire.proxy.gzip;

import java.io.ByteArrayOutputStream;

/** Writes brotli in uncompressed meta-blocks (RFC 7932 §9.2), with a window of 64 KiB. */
public final class Brotli {
    private static final int MAX_BYTES = 1 << 16;
    private static final int IS_UNCOMPRESSED = 1 << 19;

    private Brotli() {}

    public static byte[] of(byte[] plain) {
        var out = new ByteArrayOutputStream();
        for (int from = 0; from < plain.length; from += MAX_BYTES) {
            int bytes = Math.min(MAX_BYTES, plain.length - from);
            // ISLAST 0, MNIBBLES 0 (for four), MLEN - 1; in front of the first: WBITS 0.
            int bits = (bytes - 1) << 3 | IS_UNCOMPRESSED;
            int head = from == 0 ? bits << 1 : bits;
            for (int shift = 0; shift < 24; shift += 8) {
                out.write(head >>> shift);
            }
            out.write(plain, from, bytes);
        }
        // ISLAST and ISLASTEMPTY.
        out.write(3);
        return out.toByteArray();
    }
}
