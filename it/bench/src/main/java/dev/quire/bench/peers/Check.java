package dev.quire.bench.peers;

import static java.net.http.HttpClient.Version.HTTP_1_1;
import static java.net.http.HttpClient.Version.HTTP_2;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.bench.peers.Workload.Load;
import dev.quire.test.wire.internal.TestCertificate;
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
public final class Check implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HttpClient client =
            HttpClient.newBuilder()
                    .sslContext(TestCertificate.shared().trusting())
                    .connectTimeout(PATIENCE)
                    .build();
    private final String base;
    private final String tlsBase;

    /**
     * @param tlsPort not used if no workload is over TLS
     */
    Check(int port, int tlsPort) {
        this.base = "http://127.0.0.1:" + port;
        this.tlsBase = "https://127.0.0.1:" + tlsPort;
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
                var wrong = answer(path, workload, workload.fields());
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
        return answer(workload.path(dialect), workload, another)
                .map(wrong -> "as another reader: " + wrong);
    }

    /** Requests each path to warm up once; returns what is wrong, or empty. */
    Optional<String> warm(Workload workload, Dialect dialect) throws InterruptedException {
        for (var path : workload.toWarm(dialect)) {
            var wrong = answer(path, workload, workload.fields());
            if (wrong.isPresent()) {
                return Optional.of(path + ": " + wrong.orElseThrow());
            }
        }
        return Optional.empty();
    }

    /** Returns the mean body size on the wire. For gzip it is measured with a request. */
    double bodyBytes(Workload workload, Dialect dialect) throws IOException, InterruptedException {
        return workload.packed()
                ? ask(base + workload.path(dialect), workload.fields(), HTTP_1_1).body().length
                : workload.bodyBytes(dialect);
    }

    /** Returns the body of a path outside of the site. */
    String text(String path) throws IOException, InterruptedException {
        return new String(ask(base + path, Map.of(), HTTP_1_1).body(), ISO_8859_1);
    }

    private Optional<String> answer(String path, Workload workload, Map<String, String> fields)
            throws InterruptedException {
        boolean packed = workload.packed();
        var version = workload.load() == Load.STREAMS ? HTTP_2 : HTTP_1_1;
        try {
            var response =
                    ask((workload.load().isSecure() ? tlsBase : base) + path, fields, version);
            if (response.version() != version) {
                return Optional.of(response.version() + ", expected " + version);
            }
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

    private HttpResponse<byte[]> ask(
            String uri, Map<String, String> fields, HttpClient.Version version)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(uri)).version(version).timeout(PATIENCE);
        fields.forEach((name, value) -> {
            // The client sets it itself.
            if (!name.equals("Connection")) {
                request.header(name, value);
            }
        });
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
