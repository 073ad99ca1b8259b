package dev.quire.proxy.deliver;

import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.ByteRange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The delimiters and part headers of a multipart/byteranges body (RFC 9110 §14.6). */
final class Multipart {
    private static final String LINE_END = "\r\n";

    /** 128 random bits, so no part contains it. */
    private final String boundary = boundary();

    private final List<byte[]> heads = new ArrayList<>();
    private final byte[] end;
    private long lengthBytes;

    /**
     * @param ranges of the stored body
     * @param completeBytes length of the whole stored body
     */
    Multipart(List<ByteRange> ranges, ResponseHead stored, long completeBytes) {
        var type = stored.fields().first("Content-Type");
        for (var range : ranges) {
            var head = bytes(head(type, range.contentRange(completeBytes)));
            heads.add(head);
            lengthBytes += head.length + range.lengthBytes();
        }
        end = bytes(LINE_END + "--" + boundary + "--" + LINE_END);
        lengthBytes += end.length;
    }

    String contentType() {
        return "multipart/byteranges; boundary=" + boundary;
    }

    /** The total length, including the parts. */
    long lengthBytes() {
        return lengthBytes;
    }

    byte[] before(int part) {
        return heads.get(part);
    }

    byte[] end() {
        return end;
    }

    private String head(@Nullable String type, String contentRange) {
        return (heads.isEmpty() ? "" : LINE_END)
                + ("--" + boundary + LINE_END)
                + (type == null ? "" : "Content-Type: " + type + LINE_END)
                + ("Content-Range: " + contentRange + LINE_END + LINE_END);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String boundary() {
        var random = ThreadLocalRandom.current();
        var hex = HexFormat.of();
        return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong());
    }
}
