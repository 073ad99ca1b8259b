package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.junit.internal.OverHttp2;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.ArrivingResponse;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.internal.FreePort;
import dev.quire.test.wire.internal.TestCertificate;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long bodies on disk, which leave from their files if the client speaks plain HTTP/1.1. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BodiesFromFilesIT {
    private static final int KIB = 1024;
    private static final int LARGE = 5 * KIB * KIB;
    private static final String FRESH = "max-age=600";
    private static final String NO_MEMORY = "{ memory: 0 }";

    private final Origin origin = Origin.start();
    private final List<HttpWire> clients = new ArrayList<>();
    @TempDir Path directory;

    @AfterEach
    void stop() {
        clients.forEach(HttpWire::close);
        origin.close();
    }

    /** The same over TLS and HTTP/2, which take no files. */
    @Nested
    @OverHttp2
    class OverHttp2Too extends Bodies {}

    @Nested
    class OverHttp1 extends Bodies {}

    /** All clients get the same. */
    abstract class Bodies {

        @ParameterizedTest
        @ValueSource(
                ints = {
                    15 * KIB,
                    16 * KIB,
                    64 * KIB - 1,
                    64 * KIB,
                    64 * KIB + 1,
                    100 * KIB,
                    512 * KIB,
                    KIB * KIB,
                    LARGE
                })
        void bodyIsTheSameEachTime(int bytes) {
            var body = random(bytes);
            origin.on("/a", binary(body));
            try (var proxy = start(NO_MEMORY)) {
                awaitOnDisk(proxy, "/a");
                try (var client = proxy.connect()) {
                    for (int i = 0; i < 4; i++) {
                        var answer = client.get("/a");
                        assertThat(answer.status()).isEqualTo(200);
                        assertThat(answer.body()).isEqualTo(Content.of(body));
                        assertThat(answer.field("Content-Length")).isEqualTo("" + bytes);
                    }
                }
            }
            assertThat(origin.requests("/a")).hasSize(1);
        }

        @ParameterizedTest
        @ValueSource(ints = {40 * KIB, 1500 * KIB})
        void partsAndConditionsAreThoseOfTheWholeBody(int bytes) {
            var body = random(bytes);
            origin.on("/a", binary(body).field("ETag", "\"1\""));
            try (var proxy = start(NO_MEMORY)) {
                awaitOnDisk(proxy, "/a");
                try (var client = proxy.connect()) {
                    for (int i = 0; i < 2; i++) {
                        part(client, body, "bytes=0-0", 0, 1);
                        part(client, body, "bytes=" + (bytes / 2) + "-", bytes / 2, bytes);
                        part(client, body, "bytes=-17", bytes - 17, bytes);
                        part(client, body, "bytes=5-" + (bytes - 5), 5, bytes - 4);
                        severalParts(client, body);
                        assertThat(client.get("/a", "Range", "bytes=" + bytes + "-").status())
                                .isEqualTo(416);
                        assertThat(client.get("/a", "If-None-Match", "\"1\"").status())
                                .isEqualTo(304);
                        assertThat(client.get("/a", "If-None-Match", "\"2\"").body())
                                .isEqualTo(Content.of(body));
                        assertThat(client.get("/a", "Range", "bytes=1-2", "If-Range", "\"2\""))
                                .returns(200, Response::status)
                                .returns(Content.of(body), Response::body);
                        var head = client.request("HEAD", "/a").response();
                        assertThat(head.field("Content-Length")).isEqualTo("" + bytes);
                    }
                }
            }
            assertThat(origin.requests("/a")).hasSize(1);
        }

        private void part(HttpWire client, byte[] body, String range, int from, int to) {
            var answer = client.get("/a", "Range", range, "If-Range", "\"1\"");
            assertThat(answer.status()).isEqualTo(206);
            assertThat(answer.field("Content-Range"))
                    .isEqualTo("bytes %d-%d/%d".formatted(from, to - 1, body.length));
            assertThat(answer.body()).isEqualTo(Content.of(Arrays.copyOfRange(body, from, to)));
        }

        private void severalParts(HttpWire client, byte[] body) {
            int far = body.length - 20;
            var answer = client.get("/a", "Range", "bytes=3-9," + far + "-");
            assertThat(answer.status()).isEqualTo(206);
            assertThat(answer.body().text())
                    .contains(text(body, 3, 10), text(body, far, body.length));
        }

        @Test
        void compressibleTextIsCompressedForClientsThatAcceptIt() throws IOException {
            var text = "0123456789".repeat(10_000);
            origin.on("/a", Answer.html(text).field("Cache-Control", FRESH));
            try (var proxy = start(NO_MEMORY)) {
                awaitOnDisk(proxy, "/a");
                for (int i = 0; i < 2; i++) {
                    assertThat(proxy.get("/a").text()).isEqualTo(text);
                    var coded = proxy.get("/a", "Accept-Encoding", "gzip");
                    assertThat(coded.field("Content-Encoding")).isEqualTo("gzip");
                    try (var decoded =
                            new GZIPInputStream(new ByteArrayInputStream(coded.body().bytes()))) {
                        assertThat(decoded.readAllBytes()).asString(UTF_8).isEqualTo(text);
                    }
                }
            }
        }

        @Test
        void staleBodyIsValidatedAndServedAgain() {
            var body = random(100 * KIB);
            origin.on(
                    "/a",
                    binary(body, "max-age=0").field("ETag", "\"1\""),
                    Answer.status(304).field("Cache-Control", "max-age=0"));
            try (var proxy = start(NO_MEMORY)) {
                for (int i = 0; i < 3; i++) {
                    assertThat(proxy.get("/a").body()).isEqualTo(Content.of(body));
                }
            }
        }
    }

    @Test
    void hitSaysThatItIsFromDiskAndItsBytesAreCounted() {
        var log = directory.resolve("access.log");
        origin.on("/a", binary(random(100 * KIB)));
        try (var proxy = setup(NO_MEMORY).with("log", "{ access: \"" + log + "\" }").start()) {
            awaitOnDisk(proxy, "/a");
            proxy.get("/a");
            double sent = proxy.metric("quire_sent_bytes_total");

            var answer = proxy.get("/a", "User-Agent", "last");

            assertThat(answer.field("Cache-Status")).matches("quire; hit; ttl=\\d+; detail=disk");
            // The lines of earlier requests may be late, too.
            ReloadableProxy.await(() -> lineOfTheLast(log).isPresent(), "the line of the last");
            assertThat(lineOfTheLast(log).orElseThrow())
                    .contains("\"tier\":\"disk\"", "\"bytes\":" + 100 * KIB);
            assertThat(proxy.metric("quire_sent_bytes_total") - sent).isGreaterThan(100 * KIB);
        }
    }

    private static Optional<String> lineOfTheLast(Path log) {
        try {
            return Files.readAllLines(log).stream()
                    .filter(line -> line.contains("\"ua\":\"last\""))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void requestsOnOneConnectionAreAnsweredInOrder() {
        var small = random(20 * KIB);
        var large = random(700 * KIB);
        origin.on("/small", binary(small)).on("/large", binary(large));
        try (var proxy = start(NO_MEMORY)) {
            awaitOnDisk(proxy, "/small");
            awaitOnDisk(proxy, "/large");
            try (var client = proxy.connect()) {
                for (int i = 0; i < 5; i++) {
                    client.request("GET", "/large").request("GET", "/small");
                }
                client.request("GET", "/large", "Connection", "close");
                for (int i = 0; i < 5; i++) {
                    assertThat(client.response().body()).isEqualTo(Content.of(large));
                    assertThat(client.response().body()).isEqualTo(Content.of(small));
                }
                assertThat(client.response().body()).isEqualTo(Content.of(large));
                client.awaitClosed();
            }
        }
    }

    @Test
    void clientOfHttp10GetsTheWholeBody() {
        var body = random(700 * KIB);
        origin.on("/a", binary(body));
        try (var proxy = start(NO_MEMORY)) {
            awaitOnDisk(proxy, "/a");
            for (int i = 0; i < 2; i++) {
                try (var client = proxy.connect()) {
                    client.send("GET /a HTTP/1.0\r\nHost: " + authority(proxy) + "\r\n\r\n");
                    assertThat(client.response().body()).isEqualTo(Content.of(body));
                    client.awaitClosed();
                }
            }
        }
    }

    @Test
    void clientWithTlsGetsTheSameBody() throws Exception {
        var body = random(700 * KIB);
        origin.on("/a", binary(body));
        try (var proxy =
                setup(NO_MEMORY)
                        .with("listen", "{ http: \"127.0.0.1:0\", https: \"127.0.0.1:0\" }")
                        .with("tls", TestCertificate.shared().section())
                        .start()) {
            for (int i = 0; i < 4; i++) {
                var socket =
                        TestCertificate.shared()
                                .trusting()
                                .getSocketFactory()
                                .createSocket(proxy.https().getAddress(), proxy.https().getPort());
                try (var client = HttpWire.to(proxy.https(), socket)) {
                    assertThat(client.get("/a").body()).isEqualTo(Content.of(body));
                }
                proxy.get("/a");
            }
        }
    }

    /** A response in a file needs no memory; one that was read for another client has it. */
    @Test
    void memoryAnswersFirst() {
        var body = random(300 * KIB);
        origin.on("/a", binary(body));
        int port = FreePort.next();
        try (var proxy = start(port, "{ memory: 16MiB }")) {
            proxy.get("/a");
            assertThat(proxy.get("/a").field("Cache-Status")).doesNotContain("disk");
        }

        try (var proxy = start(port, "{ memory: 16MiB }")) {
            ReloadableProxy.await(
                    () -> proxy.getAdmin("/readyz").status() == 200, "a loaded index");
            for (int i = 0; i < 3; i++) {
                var answer = proxy.get("/a");
                assertThat(answer.body()).isEqualTo(Content.of(body));
                assertThat(answer.field("Cache-Status")).endsWith("detail=disk");
            }
            try (var client = proxy.connect()) {
                client.request("HEAD", "/a").response();
            }
            var answer = proxy.get("/a");
            assertThat(answer.body()).isEqualTo(Content.of(body));
            assertThat(answer.field("Cache-Status")).doesNotContain("disk");
        }
        assertThat(origin.requests("/a")).hasSize(1);
    }

    /** Each way to outdate the body that a slow client receives. */
    @ParameterizedTest
    @ValueSource(strings = {"purged", "replaced", "dropped", "evicted"})
    void slowClientGetsTheWholeOldBodyAndTheNextOneTheNewOne(String way) {
        var old = random(LARGE);
        var next = random(LARGE + 1);
        origin.on("/a", binary(old), binary(next));
        origin.on("/other", binary(random(LARGE)));
        try (var proxy = start(NO_MEMORY)) {
            awaitOnDisk(proxy, "/a");
            var slow = slowly(proxy);
            slow.awaitBytes(64 * KIB);
            switch (way) {
                case "purged", "replaced" -> proxy.purge("/a");
                case "dropped" ->
                        ReloadableProxy.post(
                                proxy.admin(),
                                "/v1/tiers/disk",
                                "application/json",
                                "{\"state\":\"drop\"}");
                default -> evict(proxy);
            }
            if (!way.equals("purged")) {
                assertThat(proxy.get("/a").body()).isEqualTo(Content.of(next));
                assertThat(proxy.get("/a").body()).isEqualTo(Content.of(next));
            }

            assertThat(slow.finish().body()).isEqualTo(Content.of(old));
            assertThat(proxy.get("/a").body()).isEqualTo(Content.of(next));
        }
    }

    /** Until the file that the slow client receives is deleted. */
    private void evict(RunningProxy proxy) {
        for (int i = 0; deletedFiles() == 0 && i < 100; i++) {
            proxy.get("/other?" + i);
        }
        assertThat(deletedFiles()).as(() -> proxy.getAdmin("/v1/tiers").text()).isEqualTo(1);
    }

    @Test
    void fileOfAClientThatLeavesIsReleased() {
        var body = random(LARGE);
        origin.on("/a", binary(body));
        try (var proxy = start(NO_MEMORY)) {
            awaitOnDisk(proxy, "/a");
            for (int i = 0; i < 5; i++) {
                var arriving = slowly(proxy);
                arriving.awaitBytes(64 * KIB);
                clients.removeLast().reset();
            }
            proxy.purge("/a");
            ReloadableProxy.post(
                    proxy.admin(), "/v1/tiers/disk", "application/json", "{\"state\":\"drop\"}");

            ReloadableProxy.await(() -> deletedFiles() == 0, "no file that is deleted and open");
        }
    }

    /** It breaks the connections that need it; then the responses are fetched again. */
    @ParameterizedTest
    @ValueSource(ints = {40 * KIB, KIB * KIB})
    void fileThatIsCutFromOutsideIsUsedNoMore(int bytes) throws IOException {
        var body = random(bytes);
        origin.on("/a", binary(body));
        try (var proxy = start(NO_MEMORY)) {
            awaitOnDisk(proxy, "/a");
            try (var files = Files.newDirectoryStream(directory.resolve("tier"), "*.seg");
                    var open =
                            FileChannel.open(files.iterator().next(), StandardOpenOption.WRITE)) {
                open.truncate(10_000);
            }

            try (var client = proxy.connect()) {
                client.request("GET", "/a").begin().awaitCut();
            }

            // A request on another loop may use the file until the first one has been cleaned up.
            ReloadableProxy.await(() -> isWhole(proxy, body), "the response of the origin");
        }
        assertThat(origin.requests("/a")).hasSize(2);
    }

    private static boolean isWhole(RunningProxy proxy, byte[] body) {
        try {
            return proxy.get("/a").body().equals(Content.of(body));
        } catch (AssertionError cut) {
            return false;
        }
    }

    private long deletedFiles() {
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(this::isDeleted).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isDeleted(Path descriptor) {
        try {
            var target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith(directory.toString()) && target.endsWith("(deleted)");
        } catch (IOException closed) {
            return false;
        }
    }

    private ArrivingResponse slowly(RunningProxy proxy) {
        var slow = SlowLine.narrowTo(proxy.http(), 4 * KIB);
        clients.add(slow);
        return slow.request("GET", "/a").begin();
    }

    private RunningProxy start(int port, String cache) {
        return setup(cache).with("listen", "{ http: \"127.0.0.1:%d\" }".formatted(port)).start();
    }

    private RunningProxy start(String cache) {
        return setup(cache).start();
    }

    private RunningProxy.Setup setup(String cache) {
        return RunningProxy.inFrontOf(origin)
                .with("cache", cache)
                .with("diagnostics", "[127.0.0.0/8]")
                .with(
                        "disk",
                        "{ path: \"%s\", size: 64MiB, min-lifetime: 0s, io-timeout: 10s }"
                                .formatted(directory.resolve("tier")));
    }

    /** Fetches {@code target}, and waits until it is written, and held in memory no more. */
    private void awaitOnDisk(RunningProxy proxy, String target) {
        proxy.get(target);
        ReloadableProxy.await(
                () -> String.valueOf(proxy.get(target).field("Cache-Status")).endsWith("=disk"),
                "a hit from the disk");
    }

    private static String authority(RunningProxy proxy) {
        return proxy.http().getHostString() + ":" + proxy.http().getPort();
    }

    private static String text(byte[] body, int from, int to) {
        return new String(body, from, to - from, UTF_8);
    }

    private static Answer binary(byte[] body) {
        return binary(body, FRESH);
    }

    private static Answer binary(byte[] body, String control) {
        return Answer.status(200)
                .field("Content-Type", "application/octet-stream")
                .field("Cache-Control", control)
                .body(body);
    }

    private static byte[] random(int bytes) {
        var body = new byte[bytes];
        new Random(bytes).nextBytes(body);
        return body;
    }
}
