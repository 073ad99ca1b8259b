package dev.quire.it;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.RunningProxy;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Downloads that are larger than the cache stores. */
class LargeFilesIT {
    private static final long MIB = 1024 * 1024;
    private static final long BYTES = 64 * MIB;
    private static final long MOST_MEMORY = 10 * MIB;
    private static final String LINE = "0123456789abcdef";

    private final Origin origin = Origin.start().on("/film", LargeFilesIT::film);
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    /** A file of repeated lines, of which a range may begin anywhere and goes to an end. */
    private static Answer film(ReceivedRequest request) {
        var range = request.field("Range");
        var ends = range == null ? null : range.substring("bytes=".length()).split("-", -1);
        long first = ends == null ? 0 : Long.parseLong(ends[0]);
        long end = ends == null || ends[1].isEmpty() ? BYTES : Long.parseLong(ends[1]) + 1;
        int turn = (int) (first % LINE.length());
        var answer =
                Answer.status(range == null ? 200 : 206)
                        .repeating(LINE.substring(turn) + LINE.substring(0, turn), end - first)
                        .field("Content-Type", "video/mp4")
                        .field("Cache-Control", "max-age=60")
                        .field("ETag", "\"film\"")
                        .field("Accept-Ranges", "bytes");
        return range == null
                ? answer
                : answer.field("Content-Range", "bytes " + first + '-' + (end - 1) + '/' + BYTES);
    }

    @Test
    void downloadThatIsBrokenOffIsResumedWithTheSameBytesInLittleMemory()
            throws IOException, NoSuchAlgorithmException {
        var whole = MessageDigest.getInstance("SHA-256");
        for (long i = 0; i < BYTES; i += LINE.length()) {
            whole.update(LINE.getBytes(US_ASCII));
        }
        long before = Memory.used();
        long had = 23 * MIB + 5;
        var received = MessageDigest.getInstance("SHA-256");

        var broken = get(null);
        assertThat(broken.getResponseCode()).isEqualTo(200);
        assertThat(broken.getHeaderField("Accept-Ranges")).isEqualTo("bytes");
        long most = read(broken.getInputStream(), had, received);
        broken.disconnect();
        var resumed = get("bytes=" + had + "-");
        assertThat(resumed.getResponseCode()).isEqualTo(206);
        assertThat(resumed.getContentLengthLong()).isEqualTo(BYTES - had);
        most = Math.max(most, read(resumed.getInputStream(), BYTES - had, received));

        Figure.print(
                "R10",
                "memory for the download of 64 MiB, broken off and resumed",
                (most - before) / 1024 + " KiB",
                MOST_MEMORY / 1024 + " KiB");
        assertThat(HexFormat.of().formatHex(received.digest()))
                .isEqualTo(HexFormat.of().formatHex(whole.digest()));
        assertThat(most - before).isLessThanOrEqualTo(MOST_MEMORY);
    }

    @Test
    void hundredBytesCostAHundredBytes() {
        var first = proxy.get("/film", "Range", "bytes=100-199");
        var second = proxy.get("/film", "Range", "bytes=100-199");

        assertThat(first.status()).isEqualTo(206);
        assertThat(first.field("Content-Range")).isEqualTo("bytes 100-199/" + BYTES);
        assertThat(second.text()).isEqualTo(first.text()).hasSize(100).startsWith("456789abcdef01");
        var asked = origin.requests("/film");
        asked.getFirst().awaitAbandoned();
        assertThat(asked).hasSize(3);
        // The buffers of the sockets are full when the connection is closed.
        assertThat(asked.getFirst().writtenBytes()).isLessThan(16 * MIB);
        assertThat(asked.get(1).writtenBytes()).isLessThan(1_000);
        assertThat(asked.get(2).writtenBytes()).isLessThan(1_000);
    }

    private HttpURLConnection get(@Nullable String range) throws IOException {
        var connection =
                (HttpURLConnection) URI.create(proxy.url("/film")).toURL().openConnection();
        if (range != null) {
            connection.setRequestProperty("Range", range);
            connection.setRequestProperty("If-Range", "\"film\"");
        }
        return connection;
    }

    /** Reads {@code bytes}, and returns the most memory in use meanwhile. */
    private static long read(InputStream body, long bytes, MessageDigest into) throws IOException {
        var buffer = new byte[64 * 1024];
        long most = 0;
        long left = bytes;
        for (long next = left - 16 * MIB; left > 0; ) {
            int read = body.read(buffer, 0, (int) Math.min(buffer.length, left));
            assertThat(read).as("bytes read, of " + left + " that are missing").isPositive();
            into.update(buffer, 0, read);
            left -= read;
            if (left <= next) {
                most = Math.max(most, Memory.used());
                next -= 16 * MIB;
            }
        }
        return Math.max(most, Memory.used());
    }
}
