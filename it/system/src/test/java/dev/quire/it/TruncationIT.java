package dev.quire.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.RunningProxy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Responses truncated at any byte and in any framing: an incomplete response is never stored and
 * never looks complete to a client. The system property {@code quire.cuts} sets the number of cuts.
 */
class TruncationIT {
    private static final int CUTS = Integer.getInteger("quire.cuts", 2_000);
    private static final int CLIENTS = 16;
    private static final String SOUND = "/sound";
    private static final byte[] LINE_END = {'\r', '\n'};

    /** Random letters, so that all offsets differ. */
    private static final String NOISE =
            new Random(CUTS)
                    .ints(200_000, 'a', 'z' + 1)
                    .collect(
                            StringBuilder::new,
                            StringBuilder::appendCodePoint,
                            StringBuilder::append)
                    .toString();

    private final AtomicIntegerArray answered = new AtomicIntegerArray(CUTS);
    private final Origin origin = Origin.start().otherwise(this::answer);
    private final RunningProxy proxy =
            RunningProxy.inFrontOf(origin)
                    .with("cache", "{ memory: 256MiB }")
                    .origin("retries: 0")
                    .start();
    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();

    /** Counters of errors: truncated responses served as complete, and others; all must be 0. */
    private final AtomicInteger servedCut = new AtomicInteger();

    private final AtomicInteger seenCut = new AtomicInteger();
    private final AtomicInteger seenError = new AtomicInteger();

    /** The framing of a body, which shows a truncation. */
    private enum Framing {
        LENGTH,
        CHUNKED,
        /** Only a reset shows a truncation: a close ends the body. */
        UNTIL_CLOSE
    }

    /** The origin's response for one path; {@code cut} is an offset in the bytes on the wire. */
    private record Whole(Content wire, String text, Framing framing, int cut, boolean isReset) {}

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
        clients.shutdownNow();
    }

    @Test
    void nothingThatBrokeOffIsEverServedAsWholeOrStored() throws Exception {
        var next = new AtomicInteger();
        long begin = System.nanoTime();

        all(() -> cutAndAskAgain(next));

        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
        long storedCut =
                proxy.stored().stream()
                        .filter(entry -> !isWhole(entry.url(), entry.body()))
                        .count();
        Figure.print(
                "R5",
                "truncated responses served as complete, in %d cuts (%d truncated, %d errors, %d s)"
                        .formatted(CUTS, seenCut.get(), seenError.get(), seconds),
                servedCut.get(),
                0);
        Figure.print("R5", "truncated objects stored, of " + CUTS, storedCut, 0);
        assertThat(servedCut).hasValue(0);
        assertThat(storedCut).isZero();
        assertThat(proxy.stored()).hasSize(CUTS);
        assertThat(seenCut.get() + seenError.get()).isEqualTo(CUTS);
        assertThat(seenCut.get()).isGreaterThan(CUTS / 10);
        assertThat(seenError.get()).isGreaterThan(CUTS / 10);
    }

    private void all(Callable<@Nullable Void> client) throws Exception {
        var running = new ArrayList<Future<@Nullable Void>>();
        for (int i = 0; i < CLIENTS; i++) {
            running.add(clients.submit(client));
        }
        for (var each : running) {
            try {
                each.get(120, TimeUnit.SECONDS);
            } catch (ExecutionException | TimeoutException e) {
                throw new AssertionError("a client did not finish", e);
            }
        }
    }

    /** Sends three requests for each path: a truncated one, a complete fetch, and a hit. */
    private @Nullable Void cutAndAskAgain(AtomicInteger next) {
        var client = proxy.connect();
        for (int i = next.getAndIncrement(); i < CUTS; i = next.getAndIncrement()) {
            var target = "/" + i;
            var whole = whole(i);
            // Only failures would open the circuit.
            client.get(SOUND + i);
            client.get(SOUND + i + "/again");
            client.request("GET", target);
            if (isAnError(client, whole)) {
                seenError.incrementAndGet();
            } else {
                seenCut.incrementAndGet();
                client.close();
                client = proxy.connect();
            }
            for (int again = 0; again < 2; again++) {
                var response = client.get(target);
                if (response.status() != 200 || !response.text().equals(whole.text())) {
                    servedCut.incrementAndGet();
                }
            }
            assertThat(answered.get(i)).as("requests for " + target).isEqualTo(2);
        }
        client.close();
        return null;
    }

    /**
     * Whether the response to a truncated one is a complete error response of the proxy; else it is
     * truncated, or wrong.
     */
    private boolean isAnError(HttpWire client, Whole whole) {
        if (client.awaitEnded()) {
            return false;
        }
        var arriving = client.begin();
        boolean ended = arriving.awaitEnd();
        var text = arriving.content().text();
        if (arriving.status() == 502 && ended) {
            return true;
        }
        if (ended || arriving.status() != 200 || !whole.text().startsWith(text)) {
            servedCut.incrementAndGet();
        }
        return false;
    }

    private Answer answer(ReceivedRequest request) {
        if (request.path().startsWith(SOUND)) {
            return Answer.html("sound").field("Cache-Control", "no-store");
        }
        int number = Integer.parseInt(request.path().substring(1));
        var whole = whole(number);
        if (answered.getAndIncrement(number) > 0) {
            var answer = Answer.raw(whole.wire().bytes());
            return whole.framing() == Framing.UNTIL_CLOSE ? answer.closing() : answer;
        }
        var answer = Answer.raw(whole.wire().bytes());
        return whole.isReset() ? answer.resetAfter(whole.cut()) : answer.cutAfter(whole.cut());
    }

    private static boolean isWhole(String url, String body) {
        int number = Integer.parseInt(url.substring(url.lastIndexOf('/') + 1));
        return body.equals(whole(number).text());
    }

    /** Returns the response for {@code number}, always the same one. */
    private static Whole whole(int number) {
        var random = new Random(number);
        var framing = Framing.values()[random.nextInt(Framing.values().length)];
        boolean isDocument = random.nextBoolean();
        boolean isGzip = isDocument && random.nextBoolean();
        var text = text(number, random, isDocument);
        byte[] body = isGzip ? gzip(text) : text.getBytes(ISO_8859_1);
        var head = new StringBuilder("HTTP/1.1 200 OK\r\n");
        head.append("Content-Type: text/").append(isDocument ? "html" : "css").append("\r\n");
        head.append("Surrogate-Control: max-age=3600+0")
                .append(isDocument ? ", content=\"ESI/1.0\"\r\n" : "\r\n");
        if (isGzip) {
            head.append("Content-Encoding: gzip\r\n");
        }
        byte[] framed =
                switch (framing) {
                    case LENGTH -> {
                        head.append("Content-Length: ").append(body.length).append("\r\n");
                        yield body;
                    }
                    case CHUNKED -> {
                        head.append("Transfer-Encoding: chunked\r\n");
                        yield chunked(body, random);
                    }
                    case UNTIL_CLOSE -> body;
                };
        byte[] headBytes = head.append("\r\n").toString().getBytes(ISO_8859_1);
        byte[] wire = Arrays.copyOf(headBytes, headBytes.length + framed.length);
        System.arraycopy(framed, 0, wire, headBytes.length, framed.length);
        // One in eight is cut in its head, which is short.
        int cut =
                random.nextInt(8) == 0
                        ? random.nextInt(headBytes.length)
                        : random.nextInt(headBytes.length, wire.length);
        boolean isReset = framing == Framing.UNTIL_CLOSE || random.nextBoolean();
        return new Whole(Content.of(wire), text, framing, cut, isReset);
    }

    private static String text(int number, Random random, boolean isDocument) {
        // Most bodies are small, some need many reads.
        int length = random.nextInt(20) == 0 ? random.nextInt(150_000) : random.nextInt(4_000);
        int from = random.nextInt(NOISE.length() - length);
        return "<p>"
                + number
                + " "
                + NOISE.substring(from, from + length)
                + (isDocument ? "</p>" : "</p>\n");
    }

    private static byte[] chunked(byte[] body, Random random) {
        var chunks = new ByteArrayOutputStream();
        for (int at = 0; at < body.length; ) {
            int length = Math.min(body.length - at, 1 + random.nextInt(16_000));
            chunks.writeBytes(Integer.toHexString(length).getBytes(ISO_8859_1));
            chunks.writeBytes(LINE_END);
            chunks.write(body, at, length);
            chunks.writeBytes(LINE_END);
            at += length;
        }
        chunks.writeBytes("0\r\n\r\n".getBytes(ISO_8859_1));
        return chunks.toByteArray();
    }

    private static byte[] gzip(String text) {
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(ISO_8859_1));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot zip", e);
        }
        return bytes.toByteArray();
    }
}
