package dev.quire.it;

import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Parts of bodies that are not stored yet, or not fresh (RFC 9110 §14). */
class RangesOfMissesIT {
    private static final String TEXT = "0123456789".repeat(1_000);

    private final Origin origin = Origin.start();
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    private long askedWithRange(String path) {
        return RangedFile.askedWithRange(origin, path);
    }

    @Test
    void partOfWhatIsBeingStoredComesAsSoonAsItHasArrived() {
        origin.on("/film", RangedFile.of(TEXT, RangedFile::fresh));
        var held = origin.holdAfter("/film", 5_000);

        var part = proxy.get("/film", "Range", "bytes=1003-1009");

        assertThat(part.status()).isEqualTo(206);
        assertThat(part.field("Content-Range")).isEqualTo("bytes 1003-1009/10000");
        assertThat(part.field("Content-Length")).isEqualTo("7");
        assertThat(part.field("Content-Type")).isEqualTo("video/mp4");
        assertThat(part.field("ETag")).isEqualTo("\"v\"");
        assertThat(part.text()).isEqualTo("3456789");
        held.awaitWaiting(1);
        assertThat(proxy.stored()).isEmpty();
        held.release();
        proxy.awaitNoFetch();

        assertThat(proxy.get("/film").text()).isEqualTo(TEXT);
        assertThat(origin.requests("/film")).hasSize(1);
        assertThat(askedWithRange("/film")).isZero();
    }

    @Test
    void firstTwoBytesAndAllBytesAndTheLastBytesAreParts() {
        for (var path : new String[] {"/two", "/all", "/last"}) {
            origin.on(path, RangedFile.of(TEXT, RangedFile::fresh));
        }

        var two = proxy.get("/two", "Range", "bytes=0-1");
        var all = proxy.get("/all", "Range", "bytes=0-");
        var last = proxy.get("/last", "Range", "bytes=-3");

        assertThat(two.field("Content-Range")).isEqualTo("bytes 0-1/10000");
        assertThat(two.text()).isEqualTo("01");
        assertThat(all.field("Content-Range")).isEqualTo("bytes 0-9999/10000");
        assertThat(all.text()).isEqualTo(TEXT);
        assertThat(last.field("Content-Range")).isEqualTo("bytes 9997-9999/10000");
        assertThat(last.text()).isEqualTo("789");
    }

    @Test
    void connectionOfThePartServesTheNextRequest() {
        origin.on("/film", RangedFile.of(TEXT, RangedFile::fresh));
        var held = origin.holdAfter("/film", 5_000);
        try (var client = proxy.connect()) {
            client.get("/film", "Range", "bytes=0-1");
            held.release();

            assertThat(client.get("/film", "Range", "bytes=2-3").text()).isEqualTo("23");
        }
    }

    @Test
    void severalPartsInTheOrderOfTheBodyAreOneMultipartBody() {
        origin.on("/film", RangedFile.of(TEXT, RangedFile::fresh));
        var held = origin.holdAfter("/film", 9_000);

        var parts = proxy.get("/film", "Range", "bytes=1-2,5000-5001,8008-8008");

        held.release();
        assertThat(parts.status()).isEqualTo(206);
        assertThat(parts.field("Content-Type")).startsWith("multipart/byteranges; boundary=");
        assertThat(parts.field("Content-Range")).isNull();
        assertThat(parts.text())
                .contains("Content-Type: video/mp4\r\nContent-Range: bytes 1-2/10000\r\n\r\n12\r\n")
                .contains("Content-Range: bytes 5000-5001/10000\r\n\r\n01\r\n")
                .contains("Content-Range: bytes 8008-8008/10000\r\n\r\n8\r\n")
                .endsWith("--\r\n");
        assertThat(askedWithRange("/film")).isZero();
    }

    @Test
    void severalPartsInAnotherOrderAreTheWholeAtFirst() {
        origin.on("/film", RangedFile.of(TEXT, RangedFile::fresh));

        assertThat(proxy.get("/film", "Range", "bytes=5-6,1-2").text()).isEqualTo(TEXT);
        assertThat(proxy.get("/film", "Range", "bytes=5-6,1-2").status()).isEqualTo(206);
    }

    @Test
    void rangeBeyondTheEndIs416BeforeTheBodyArrives() {
        origin.on("/film", RangedFile.of(TEXT, RangedFile::fresh));
        var held = origin.holdAfter("/film", 1);

        var none = proxy.get("/film", "Range", "bytes=10000-");

        assertThat(none.status()).isEqualTo(416);
        assertThat(none.field("Content-Range")).isEqualTo("bytes */10000");
        held.release();
        proxy.awaitNoFetch();
        assertThat(proxy.get("/film").text()).isEqualTo(TEXT);
        assertThat(origin.requests("/film")).hasSize(1);
    }

    @Test
    void ifRangeDecidesBetweenPartAndWholeOfAMiss() {
        for (var path : new String[] {"/same", "/other", "/weak"}) {
            origin.on(path, RangedFile.of(TEXT, RangedFile::fresh));
        }

        var same = proxy.get("/same", "Range", "bytes=0-1", "If-Range", "\"v\"");
        var other = proxy.get("/other", "Range", "bytes=0-1", "If-Range", "\"w\"");
        var weak = proxy.get("/weak", "Range", "bytes=0-1", "If-Range", "W/\"v\"");

        assertThat(same.status()).isEqualTo(206);
        assertThat(other.text()).isEqualTo(TEXT);
        assertThat(weak.text()).isEqualTo(TEXT);
        assertThat(origin.requests()).hasSize(3);
    }

    @Test
    void dateInIfRangeMustBeThatOfTheFile() {
        var modified = "Thu, 01 Jan 2026 12:00:00 GMT";
        for (var path : new String[] {"/same", "/other"}) {
            origin.on(
                    path,
                    RangedFile.of(
                            TEXT,
                            answer -> RangedFile.fresh(answer).field("Last-Modified", modified)));
        }

        var same = proxy.get("/same", "Range", "bytes=0-1", "If-Range", modified);
        var later =
                proxy.get(
                        "/other",
                        "Range",
                        "bytes=0-1",
                        "If-Range",
                        "Fri, 02 Jan 2026 12:00:00 GMT");

        assertThat(same.status()).isEqualTo(206);
        assertThat(later.status()).isEqualTo(200);
    }

    @Test
    void conditionComesBeforeTheRangeOfAMiss() {
        origin.on("/film", RangedFile.of(TEXT, RangedFile::fresh));

        var known = proxy.get("/film", "Range", "bytes=0-1", "If-None-Match", "\"v\"");

        assertThat(known.status()).isEqualTo(304);
    }

    @Test
    void waitingRequestForAPartGetsItFromTheStoredResponse() {
        origin.on("/film", RangedFile.of(TEXT, RangedFile::fresh));

        var both = RangedFile.wholeAndThenAPart(origin, proxy, "/film");

        assertThat(both.whole().text()).isEqualTo(TEXT);
        assertThat(both.part().text()).isEqualTo("34");
        assertThat(origin.requests("/film")).hasSize(1);
    }

    @Test
    void pageIsWholeOnItsFirstRequestToo() {
        origin.on("/page", page("0123" + include("/part")))
                .on("/part", Answer.html("4567").field("Cache-Control", "max-age=60"));

        var response = proxy.get("/page", "Range", "bytes=0-1");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("01234567");
        assertThat(response.field("Accept-Ranges")).isNull();
    }

    @Test
    void partOfAStaleResponseIsCutFromItOrFromTheNewOne() {
        origin.on(
                "/same",
                Answer.html(TEXT).field("Cache-Control", "max-age=0").field("ETag", "\"v\""),
                Answer.status(304).field("ETag", "\"v\"").field("Cache-Control", "max-age=0"));
        origin.on(
                "/new",
                Answer.html(TEXT).field("Cache-Control", "max-age=0").field("ETag", "\"v\""),
                Answer.html("abcdefghij")
                        .field("Cache-Control", "max-age=60")
                        .field("ETag", "\"w\""));
        proxy.get("/same");
        proxy.get("/new");

        var same = proxy.get("/same", "Range", "bytes=3-4", "If-Range", "\"v\"");
        var changed = proxy.get("/new", "Range", "bytes=3-4");

        assertThat(same.status()).isEqualTo(206);
        assertThat(same.text()).isEqualTo("34");
        assertThat(changed.status()).isEqualTo(206);
        assertThat(changed.text()).isEqualTo("de");
        assertThat(askedWithRange("/same") + askedWithRange("/new")).isZero();
    }

    @Test
    void partOfAResponseServedStaleComesFromTheStore() {
        origin.on(
                "/film",
                Answer.html(TEXT)
                        .field("Cache-Control", "max-age=0, stale-while-revalidate=60")
                        .field("ETag", "\"v\""));
        proxy.get("/film");

        assertThat(proxy.get("/film", "Range", "bytes=3-4").text()).isEqualTo("34");
        proxy.awaitNoFetch();
        assertThat(askedWithRange("/film")).isZero();
    }

    @Test
    void partIsOfTheFormThatTheClientGets() throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(TEXT.getBytes(US_ASCII));
        }
        origin.on(
                "/data",
                RangedFile.fresh(Answer.status(200).body(bytes.toByteArray()))
                        .field("Content-Encoding", "gzip"));

        var head = proxy.get("/data", "Range", "bytes=0-15", "Accept-Encoding", "gzip");
        var rest = proxy.get("/data", "Range", "bytes=16-", "Accept-Encoding", "gzip");
        var plain = proxy.get("/data", "Range", "bytes=3-4");
        var conditional = proxy.get("/data", "Range", "bytes=3-4", "If-Range", "\"v\"");

        assertThat(head.field("Content-Encoding")).isEqualTo("gzip");
        var joined = new ByteArrayOutputStream();
        joined.writeBytes(head.body().bytes());
        joined.writeBytes(rest.body().bytes());
        try (var gunzip = new GZIPInputStream(new ByteArrayInputStream(joined.toByteArray()))) {
            assertThat(new String(gunzip.readAllBytes(), US_ASCII)).isEqualTo(TEXT);
        }
        assertThat(plain.status()).isEqualTo(206);
        assertThat(plain.field("Content-Encoding")).isNull();
        assertThat(plain.field("ETag")).isEqualTo("W/\"v\"");
        assertThat(plain.text()).isEqualTo("34");
        assertThat(conditional.status()).isEqualTo(200);
        assertThat(conditional.text()).isEqualTo(TEXT);
        assertThat(origin.requests("/data")).hasSize(1);
    }

    @Test
    void otherMethodsThanGetHaveNoRange() {
        origin.on("/film", RangedFile.of(TEXT, RangedFile::fresh));
        try (var client = proxy.connect()) {
            var head = client.request("HEAD", "/film", "Range", "bytes=0-1").response();
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.field("Content-Length")).isEqualTo("10000");
        }
        try (var client = proxy.connect()) {
            var posted = client.request("POST", "/film", "Range", "bytes=0-1").response();
            assertThat(posted.status()).isEqualTo(200);
            assertThat(posted.text()).isEqualTo(TEXT);
        }
        assertThat(askedWithRange("/film")).isZero();
    }

    @Test
    void bodyThatBreaksOffInsideThePartIsSeenToBeTruncated() {
        origin.on("/film", RangedFile.fresh(Answer.status(200).body(TEXT)).cutAfter(2_000));
        try (var client = proxy.connect()) {
            var arriving = client.request("GET", "/film", "Range", "bytes=1000-2999").begin();

            assertThat(arriving.status()).isEqualTo(206);
            assertThat(TEXT.substring(1_000)).startsWith(arriving.awaitCut().text());
        }
        assertThat(proxy.stored()).isEmpty();
    }
}
