package dev.quire.bench.kill;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * Bodies that show their URL, their version and any damage: a line {@code URL VERSION LENGTH
 * CHECKSUM}, then bytes that depend on URL and version.
 */
public final class StampedBody {
    private static final int LONGEST_LINE = 512;
    private static final Pattern LINE = Pattern.compile("(\\S+) (\\d{1,18}) (\\d{9}) ");
    private static final int CHECK_DIGITS = 8;

    private StampedBody() {}

    /**
     * Returns a body.
     *
     * @param bytes its length, unless the line alone is longer
     */
    public static byte[] of(String url, long version, int bytes) {
        int least = line(url, version, bytes).length + CHECK_DIGITS + 1;
        var body = ByteBuffer.allocate(Math.max(bytes, least));
        var line = line(url, version, body.capacity());
        body.put(line).position(line.length + CHECK_DIGITS).put((byte) '\n');
        var random = new SplittableRandom(url.hashCode() * 31L + version);
        while (body.remaining() >= Long.BYTES) {
            body.putLong(random.nextLong());
        }
        while (body.hasRemaining()) {
            body.put((byte) random.nextInt());
        }
        var all = body.array();
        System.arraycopy(check(all, line.length), 0, all, line.length, CHECK_DIGITS);
        return all;
    }

    private static byte[] line(String url, long version, int length) {
        return "%s %d %09d ".formatted(url, version, length).getBytes(US_ASCII);
    }

    /** Returns the checksum of a body whose checksum is at {@code at}. */
    private static byte[] check(byte[] body, int at) {
        var crc = new CRC32C();
        crc.update(body, 0, at);
        crc.update(body, at + CHECK_DIGITS, body.length - at - CHECK_DIGITS);
        return "%08x".formatted(crc.getValue()).getBytes(US_ASCII);
    }

    /**
     * Returns the length that the line at {@code from} of {@code bytes} says, or empty if there is
     * not such a line.
     */
    public static OptionalInt length(byte[] bytes, int from) {
        int to = Math.min(bytes.length, from + LONGEST_LINE);
        var line = LINE.matcher(new String(bytes, from, to - from, US_ASCII));
        return line.lookingAt()
                ? OptionalInt.of(Integer.parseInt(line.group(3)))
                : OptionalInt.empty();
    }

    /** Returns the version of {@code body}, or empty if it is not an undamaged one of the URL. */
    public static OptionalLong version(String url, byte[] body) {
        var start = new String(body, 0, Math.min(body.length, LONGEST_LINE), US_ASCII);
        var line = LINE.matcher(start);
        if (!line.lookingAt()
                || !line.group(1).equals(url)
                || Integer.parseInt(line.group(3)) != body.length
                || body.length < line.end() + CHECK_DIGITS
                || !Arrays.equals(
                        check(body, line.end()),
                        Arrays.copyOfRange(body, line.end(), line.end() + CHECK_DIGITS))) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Long.parseLong(line.group(2)));
    }
}
