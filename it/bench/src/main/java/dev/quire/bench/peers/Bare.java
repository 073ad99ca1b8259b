package dev.quire.bench.peers;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.bench.BareServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * A {@link BareServer} over {@link Site} as a target: each page is prebuilt in the pieces a
 * surrogate would write, text and fragments separate; below {@link Site#PACKED} in gzip, in as many
 * pieces. Pages with uncached parts are not served. Runs until it is killed.
 */
final class Bare {

    private Bare() {}

    /**
     * Takes the port to listen on, the one for TLS, and the files of a certificate and its key.
     * Both ports are on the loopback address.
     */
    public static void main(String[] arguments) throws IOException {
        BareServer.start(loopback(arguments[0]), Bare::answer);
        BareServer.startTls(
                loopback(arguments[1]), Path.of(arguments[2]), Path.of(arguments[3]), Bare::answer);
    }

    private static InetSocketAddress loopback(String port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }

    static Optional<BareServer.Answer> answer(String target) {
        return Site.serve(target, "")
                .filter(served -> served.delay().isZero())
                .map(served -> {
                    boolean packed = target.startsWith(Site.PACKED + "/");
                    var pieces = pieces(served);
                    var fields = new TreeMap<>(Map.of("Content-Type", served.contentType()));
                    fields.put("Cache-Control", served.cacheControl());
                    fields.put("Date", "Fri, 20 Nov 2026 12:00:00 GMT");
                    fields.put("Age", "0");
                    fields.put("Via", "1.1 bare");
                    if (packed) {
                        fields.put("Content-Encoding", "gzip");
                        fields.put("Vary", "Accept-Encoding");
                    }
                    return new BareServer.Answer(200, fields, packed ? gzip(pieces) : pieces);
                });
    }

    private static List<byte[]> pieces(Site.Served served) {
        if (!served.assembled()) {
            return List.of(served.body().getBytes(ISO_8859_1));
        }
        return Site.pieces(served.body()).stream()
                .map(piece ->
                        switch (piece) {
                            case Site.Literal literal -> literal.text().getBytes(ISO_8859_1);
                            case Site.Include include -> Site.assembled(include.source(), "");
                        })
                .toList();
    }

    /** One gzip member (RFC 1952), cut where {@code pieces} end. */
    static List<byte[]> gzip(List<byte[]> pieces) {
        var packed = new ArrayList<byte[]>();
        packed.add(new byte[] {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff});
        var deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        var checksum = new CRC32();
        long length = 0;
        for (var piece : pieces) {
            checksum.update(piece);
            length += piece.length;
            deflater.setInput(piece);
            packed.add(deflated(deflater, Deflater.FULL_FLUSH));
        }
        deflater.finish();
        var end = new ByteArrayOutputStream();
        end.writeBytes(deflated(deflater, Deflater.NO_FLUSH));
        deflater.end();
        for (long value : new long[] {checksum.getValue(), length}) {
            for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
                end.write((int) (value >>> shift));
            }
        }
        packed.add(end.toByteArray());
        return packed;
    }

    private static byte[] deflated(Deflater deflater, int flush) {
        var out = new ByteArrayOutputStream();
        var buffer = new byte[8 << 10];
        int made;
        do {
            made = deflater.deflate(buffer, 0, buffer.length, flush);
            out.write(buffer, 0, made);
        } while (made == buffer.length);
        return out.toByteArray();
    }
}
