package dev.quire.bench.peers;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/** Compares the responses of one target byte by byte with those that {@link Site} defines. */
final class Check implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(PATIENCE)
                    .build();
    private final String base;

    Check(int port) {
        this.base = "http://127.0.0.1:" + port;
    }

    /**
     * Returns what is wrong with the responses to {@code workload}, or empty.
     *
     * @param times number of requests for each path: the first may be a miss
     */
    Optional<String> workload(Workload workload, Dialect dialect, int times)
            throws InterruptedException {
        for (var path : workload.samples(dialect)) {
            for (int time = 1; time <= times; time++) {
                var wrong = answer(path, workload.fields(), workload.packed());
                if (wrong.isPresent()) {
                    return Optional.of(path + ", request " + time + ": " + wrong.orElseThrow());
                }
            }
        }
        if (workload.cookie().isEmpty()) {
            return Optional.empty();
        }
        // A private fragment must not reach another reader.
        var another = Map.of("Cookie", "user=another");
        return answer(workload.path(dialect), another, false)
                .map(wrong -> "as another reader: " + wrong);
    }

    /** Requests each path to warm up once; returns what is wrong, or empty. */
    Optional<String> warm(Workload workload, Dialect dialect) throws InterruptedException {
        for (var path : workload.toWarm(dialect)) {
            var wrong = answer(path, workload.fields(), workload.packed());
            if (wrong.isPresent()) {
                return Optional.of(path + ": " + wrong.orElseThrow());
            }
        }
        return Optional.empty();
    }

    /** Returns the mean body size on the wire. For gzip it is measured with a request. */
    double bodyBytes(Workload workload, Dialect dialect) throws IOException, InterruptedException {
        return workload.packed()
                ? ask(workload.path(dialect), workload.fields()).body().length
                : workload.bodyBytes(dialect);
    }

    /** Returns the body of a path outside of the site. */
    String text(String path) throws IOException, InterruptedException {
        return new String(ask(path, Map.of()).body(), ISO_8859_1);
    }

    private Optional<String> answer(String path, Map<String, String> fields, boolean packed)
            throws InterruptedException {
        try {
            var response = ask(path, fields);
            if (response.statusCode() != 200) {
                return Optional.of("status " + response.statusCode() + ", expected 200");
            }
            var coding = response.headers().firstValue("Content-Encoding").orElse("identity");
            if (!coding.equals(packed ? "gzip" : "identity")) {
                return Optional.of(
                        "Content-Encoding "
                                + coding
                                + ", expected "
                                + (packed ? "gzip" : "identity"));
            }
            var body = packed ? unpacked(response.body()) : response.body();
            return difference(body, Site.assembled(path, fields.getOrDefault("Cookie", "")));
        } catch (IOException e) {
            return Optional.of(e.toString());
        }
    }

    private HttpResponse<byte[]> ask(String path, Map<String, String> fields)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(base + path)).timeout(PATIENCE);
        fields.forEach(request::header);
        return client.send(request.build(), BodyHandlers.ofByteArray());
    }

    private static byte[] unpacked(byte[] gzip) throws IOException {
        try (var in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
            return in.readAllBytes();
        }
    }

    /** Returns the first difference of two bodies, or empty. */
    static Optional<String> difference(byte[] body, byte[] expected) {
        int at = Arrays.mismatch(body, expected);
        return at < 0
                ? Optional.empty()
                : Optional.of(
                        "body differs at byte %,d: length %,d, expected %,d"
                                .formatted(at, body.length, expected.length));
    }

    @Override
    public void close() {
        client.close();
    }
}
