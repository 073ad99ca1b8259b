package dev.quire.test.sites;

import static dev.quire.test.sites.Servers.Name.EXPRESS;
import static dev.quire.test.sites.Servers.Name.FILES;

import dev.quire.test.wire.Response;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Ranges, large files and uploads. */
final class TransferRows {
    private static final String TABLE = "1.3";
    private static final String LARGE = "/large.bin";

    /** The documents name this key for large uploads. */
    private static final Settings UPLOADS = Settings.DEFAULT.with("limits", "{ body: 0 }");

    private static final byte[] FORM_START =
            ascii(
                    "--part\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n");
    private static final byte[] FORM_END = ascii("\r\n--part--\r\n");

    /** Makes a URL that no proxy has stored. */
    private static final AtomicInteger UNIQUE = new AtomicInteger();

    private TransferRows() {}

    static List<Row> all(Scale scale) {
        long file = scale.fileBytes();
        long upload = scale.uploadBytes();
        return List.of(
                Row.of(TABLE, "download of the large file", column -> whole(column, file)),
                Row.of(TABLE, "Range: 100-199 of the large file", column -> part(column, file)),
                Row.of(TABLE, "resume of the large file", column -> resume(column, file)),
                Row.of(TABLE, "suffix range of the large file", column -> suffix(column, file)),
                Row.of(TABLE, "first Range of a file that fits", TransferRows::firstRange),
                Row.of(TABLE, "bytes=0-1 of sound, not stored", TransferRows::firstBytes),
                Row.of(TABLE, "several ranges of a stored file", TransferRows::severalRanges),
                Row.of(TABLE, "416 of a stored file", TransferRows::unsatisfiable),
                Row.of(TABLE, "If-Range, equal and different", TransferRows::ifRange),
                ApplicationRows.browser(TABLE, EXPRESS, "seeking"),
                Row.of(
                        TABLE,
                        "upload with Content-Length",
                        column -> upload(column, "length", upload)),
                Row.of(TABLE, "upload in chunks", column -> upload(column, "chunks", upload)),
                Row.of(
                        TABLE,
                        "upload of multipart/form-data",
                        column -> upload(column, "form", upload)),
                Row.of(
                        TABLE,
                        "Expect: 100-continue, origin refuses",
                        Row.PROXIES,
                        TransferRows::refused));
    }

    private static void whole(Column column, long length) throws Exception {
        read(column, 200, 0, length);
    }

    private static void part(Column column, long length) throws Exception {
        for (int i = 0; i < 2; i++) {
            var range = "bytes 100-199/" + length;
            Client.expect(range, read(column, 206, 100, 100, "Range", "bytes=100-199"));
        }
    }

    private static void suffix(Column column, long length) throws Exception {
        var range = "bytes %d-%d/%d".formatted(length - 1000, length - 1, length);
        Client.expect(range, read(column, 206, length - 1000, 1000, "Range", "bytes=-1000"));
    }

    /** As {@code curl -C -} after a download that ended too early. */
    private static void resume(Column column, long length) throws Exception {
        long got = length / 3;
        var began = Client.get(column.at(FILES), LARGE);
        try (var body = began.body()) {
            Client.expect(200, began.statusCode());
            var start = body.readNBytes(1 << 16);
            Client.expect(
                    (long) start.length, Numbers.matching(new ByteArrayInputStream(start), 0));
        }
        var etag = began.headers().firstValue("ETag").orElse("");
        for (var condition : List.of(List.<String>of(), List.of("If-Range", etag))) {
            var fields = new ArrayList<>(List.of("Range", "bytes=" + got + "-"));
            fields.addAll(condition);
            read(column, 206, got, length - got, fields.toArray(String[]::new));
        }
    }

    /** Requests the large file and checks each byte. Returns Content-Range. */
    private static @Nullable String read(
            Column column, int status, long offset, long length, String... fields)
            throws IOException, InterruptedException {
        var response = Client.get(column.at(FILES), LARGE, fields);
        try (var body = response.body()) {
            Client.expect(
                    response.statusCode() == status,
                    "status " + status,
                    "%d, %s bytes"
                            .formatted(
                                    response.statusCode(),
                                    response.headers().firstValue("Content-Length").orElse("?")));
            long count = Numbers.matching(body, offset);
            Client.expect(
                    count == length, length + " bytes of the file", count < 0 ? "others" : count);
        }
        return response.headers().firstValue("Content-Range").orElse(null);
    }

    private static void firstRange(Column column) {
        try (var client = column.connect(FILES)) {
            range(client.get(small(), "Range", "bytes=100-199"), 100, 100);
        }
    }

    private static void firstBytes(Column column) {
        try (var client = column.connect(EXPRESS)) {
            var target = "/media.wav?n=" + UNIQUE.incrementAndGet();
            var response = client.get(target, "Range", "bytes=0-1");
            Client.expect(
                    response.status() == 206,
                    "206",
                    response.status() + ", " + response.body().length() + " bytes");
            Client.expect("RI", response.text());
        }
    }

    private static void severalRanges(Column column) {
        try (var client = column.connect(FILES)) {
            var target = small();
            Client.expect(200, client.get(target));
            var response = client.get(target, "Range", "bytes=0-9,100-109");
            Client.expect(
                    response.status() == 206
                            && String.valueOf(response.field("Content-Type"))
                                    .startsWith("multipart/byteranges"),
                    "206 with multipart/byteranges",
                    response.status() + " " + response.field("Content-Type"));
        }
    }

    private static void unsatisfiable(Column column) {
        try (var client = column.connect(FILES)) {
            var target = small();
            Client.expect(200, client.get(target));
            var response = Client.expect(416, client.get(target, "Range", "bytes=9999999-"));
            Client.expect("bytes */" + Servers.SMALL_BYTES, response.field("Content-Range"));
        }
    }

    private static void ifRange(Column column) {
        try (var client = column.connect(FILES)) {
            var target = small();
            var etag = Objects.requireNonNull(Client.expect(200, client.get(target)).field("ETag"));
            range(client.get(target, "Range", "bytes=5-14", "If-Range", etag), 5, 10);
            Client.expect(200, client.get(target, "Range", "bytes=5-14", "If-Range", "\"other\""));
        }
    }

    private static void range(Response response, long offset, int length) {
        Client.expect(
                response.status() == 206,
                "206",
                response.status() + ", " + response.body().length() + " bytes");
        boolean same = Arrays.equals(response.body().bytes(), Numbers.from(offset, length));
        Client.expect(same, length + " bytes of the file", response.body().length() + " others");
    }

    private static String small() {
        return "/small.bin?n=" + UNIQUE.incrementAndGet();
    }

    private static void upload(Column column, String kind, long length) throws Exception {
        boolean isForm = kind.equals("form");
        Supplier<InputStream> content =
                () ->
                        isForm
                                ? new SequenceInputStream(
                                        Collections.enumeration(
                                                List.of(
                                                        new ByteArrayInputStream(FORM_START),
                                                        new Content(length),
                                                        new ByteArrayInputStream(FORM_END))))
                                : new Content(length);
        long bytes = isForm ? length + FORM_START.length + FORM_END.length : length;
        BodyPublisher body = BodyPublishers.ofInputStream(content);
        if (!kind.equals("chunks")) {
            body = BodyPublishers.fromPublisher(body, bytes);
        }
        var type = isForm ? "multipart/form-data; boundary=part" : "application/octet-stream";
        var response =
                Client.post(column.at(EXPRESS, UPLOADS), "/upload", body, "Content-Type", type);
        Client.expect(
                response.statusCode() == 200,
                "status 200",
                response.statusCode() + " " + response.body().strip());
        Client.expect(bytes + " " + sha256(content.get()), response.body());
    }

    private static void refused(Column column) {
        try (var client = column.connect(EXPRESS)) {
            client.request(
                    "POST",
                    "/upload",
                    "Content-Length",
                    "100000",
                    "Expect",
                    "100-continue",
                    "X-Refuse",
                    "1");
            var response = Client.expect(417, client.response());
            Client.expect(response.interims().isEmpty(), "no 100 (Continue)", response.interims());
        }
    }

    private static String sha256(InputStream content) throws IOException {
        try (content) {
            var digest = MessageDigest.getInstance("SHA-256");
            var buffer = new byte[1 << 16];
            for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) {
                digest.update(buffer, 0, read);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The first bytes of {@link Numbers}. */
    private static final class Content extends InputStream {
        private final long length;
        private long position;

        Content(long length) {
            this.length = length;
        }

        @Override
        public int read() {
            return position == length ? -1 : Numbers.at(position++) & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int most) {
            int count = (int) Math.min(most, length - position);
            for (int i = 0; i < count; i++) {
                into[offset + i] = Numbers.at(position++);
            }
            return count == 0 && most > 0 ? -1 : count;
        }
    }
}
