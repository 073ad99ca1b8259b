package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Rules;
import dev.quire.proxy.route.EsiProcessing;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges of stored bodies, and the requests sent to the origin instead (RFC 9110 §14). */
class RangesTest {
    private static final String FRESH = "Cache-Control: max-age=60";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bytes=2-5  | bytes 2-5/10 | 2345",
                "bytes=7-   | bytes 7-9/10 | 789",
                "bytes=-2   | bytes 8-9/10 | 89",
                "bytes=4-99 | bytes 4-9/10 | 456789"
            })
    void partComesWithTheStoredFieldsAndItsPlace(String range, String place, String part) {
        try (var proxy = new OneThread()) {
            proxy.stored(
                    "/a",
                    ok(
                            "0123456789",
                            FRESH,
                            "ETag: \"1\"",
                            "Content-Type: text/plain",
                            "Content-MD5: abc",
                            "Surrogate-Key: x",
                            "Accept-Ranges: bytes"));
            proxy.pass(Duration.ofSeconds(3));
            var client = proxy.client();

            client.get("/a", "Range: " + range);

            assertThat(client.received())
                    .startsWith("HTTP/1.1 206 Partial Content\r\n")
                    .contains("\r\nContent-Range: " + place + "\r\n")
                    .contains("\r\nContent-Length: " + part.length() + "\r\n")
                    .contains("\r\nContent-Type: text/plain\r\n", "\r\nETag: \"1\"\r\n")
                    .contains("\r\nAge: 3\r\n", "\r\nVia: 1.1 quire\r\n", "\r\n" + FRESH)
                    .contains("\r\nAccept-Ranges: bytes\r\n")
                    .doesNotContain("Content-MD5", "Surrogate-")
                    .endsWith("\r\n\r\n" + part);
            assertThat(client.bursts()).isEqualTo(1);
            assertThat(proxy.last().response().status()).isEqualTo(206);
            assertThat(proxy.last().response().bodyBytes()).isEqualTo(part.length());
        }
    }

    @Test
    void storedContentRangeIsNotThatOfThePart() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("0123456789", FRESH, "Content-Range: bytes 0-9/99"));
            var client = proxy.client();

            client.get("/a", "Range: bytes=1-1").get("/a");

            var answers = client.received();
            assertThat(answers)
                    .containsOnlyOnce("Content-Range: bytes 1-1/10")
                    .containsOnlyOnce("Content-Range: bytes 0-9/99");
        }
    }

    @Test
    void severalPartsAreOneMultipartBody() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("0123456789", FRESH, "Content-Type: text/plain"));
            var client = proxy.client();

            client.get("/a", "Range: bytes=8-, 1-2").get("/a");

            var answers = client.received();
            var head = answers.substring(0, answers.indexOf("\r\n\r\n"));
            var boundary =
                    Pattern.compile("Content-Type: multipart/byteranges; boundary=(\\w+)")
                            .matcher(head);
            assertThat(boundary.find()).isTrue();
            var mark = "--" + boundary.group(1);
            var body =
                    mark
                            + "\r\nContent-Type: text/plain\r\nContent-Range: bytes 8-9/10\r\n\r\n"
                            + "89\r\n"
                            + mark
                            + "\r\nContent-Type: text/plain\r\nContent-Range: bytes 1-2/10\r\n\r\n"
                            + "12\r\n"
                            + mark
                            + "--\r\n";
            assertThat(head)
                    .startsWith("HTTP/1.1 206 Partial Content\r\n")
                    .containsOnlyOnce("Content-Type: ")
                    .contains("\r\nContent-Length: " + body.length())
                    .doesNotContain("Content-Range");
            assertThat(answers.substring(head.length() + 4)).startsWith(body + "HTTP/1.1 200 OK");
        }
    }

    @Test
    void largePartIsHeldAsLongAsItsClientIsSlow() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("x".repeat(200_000), FRESH));
            var client = proxy.client();
            client.stopTaking();
            client.get("/a", "Range: bytes=0-149999");
            proxy.purge("/a");

            assertThat(proxy.transitBytes()).isGreaterThanOrEqualTo(200_000);

            client.takeAgain();

            assertThat(client.received()).endsWith("\r\n\r\n" + "x".repeat(150_000));
        }
    }

    @Test
    void rangeBeyondTheEndIs416AndSaysHowLongItIs() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("0123456789", FRESH, "ETag: \"1\""));
            var client = proxy.client();

            client.get("/a", "Range: bytes=10-").get("/a");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 416 Range Not Satisfiable\r\n")
                    .contains("\r\nContent-Range: bytes */10\r\n", "\r\nContent-Length: 0\r\n")
                    .containsPattern("\r\nDate: [A-Z][a-z]{2}, ")
                    .endsWith("\r\n\r\n0123456789");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Range: lines=1-2",
                "Range: bytes=5-1",
                "Range: bytes=0-5,3-9",
                "Range: bytes=1-2\r\nIf-Range: \"2\"",
                "Range: bytes=1-2\r\nIf-Range: W/\"1\"",
                "Range: bytes=0-0,1-1,2-2,3-3,4-4,5-5,6-6,7-7,8-8,9-9,10-10"
            })
    void rangeThatIsIgnoredLeavesTheWhole(String lines) {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("0123456789", FRESH, "ETag: \"1\""));
            var client = proxy.client();

            client.get("/a", lines);

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .endsWith("\r\n\r\n0123456789");
        }
    }

    @Test
    void conditionsComeBeforeRange() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("0123456789", FRESH, "ETag: \"1\""));
            var client = proxy.client();

            client.get("/a", "Range: bytes=99-", "If-None-Match: \"1\"");

            assertThat(client.received()).startsWith("HTTP/1.1 304 Not Modified\r\n");
        }
    }

    @Test
    void ifRangeThatHoldsGivesThePart() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("0123456789", FRESH, "ETag: \"1\""));
            var client = proxy.client();

            client.get("/a", "Range: bytes=1-2", "If-Range: \"1\"");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 206 Partial Content\r\n")
                    .endsWith("\r\n\r\n12");
        }
    }

    @Test
    void headHasNoRange() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("0123456789", FRESH));
            var client = proxy.client();

            client.send(request("HEAD", "/a", "Range: bytes=1-2"));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .contains("\r\nContent-Length: 10\r\n")
                    .endsWith("\r\n\r\n");
        }
    }

    @Test
    void oldClientGetsItsPartToo() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("0123456789", FRESH));
            var client = proxy.client();

            client.send("GET /a HTTP/1.0\r\nHost: news.test\r\nRange: bytes=1-2\r\n\r\n");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 206 Partial Content\r\n")
                    .endsWith("\r\n\r\n12");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void assembledPageHasNoParts() {
        try (var proxy = new OneThread()) {
            proxy.stored("/part", ok("4567", FRESH));
            proxy.stored("/page", page("0123" + include("/part")));
            var client = proxy.client();

            client.get("/page", "Range: bytes=1-2");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .endsWith("\r\n\r\n01234567");
        }
    }

    @Test
    void rangeAndIfRangeOfOneClientAreNotAskedForByAll() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();

            client.get("/a", "Range: bytes=1-2", "If-Range: \"1\"");

            assertThat(proxy.ask("/a").text()).doesNotContain("Range");

            proxy.ask("/a").say(ok("0123456789", FRESH));
            client.received();
            client.get("/a", "Range: bytes=1-2");

            assertThat(client.received()).startsWith("HTTP/1.1 206 ").endsWith("\r\n\r\n12");
        }
    }

    @Test
    void partThatNobodyAskedForIsPassedOnAndNotStored() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a");

            proxy.ask("/a")
                    .say(answer("206 Partial Content", "12", FRESH, "Content-Range: bytes 1-2/10"));

            assertThat(client.received())
                    .startsWith("HTTP/1.1 206 Partial Content\r\n")
                    .endsWith("\r\n\r\n12");
            proxy.asked();
            client.get("/a");
            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    @Test
    void partOfAFragmentIsNoFragment() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page("<" + include("/part") + ">"));
            var client = proxy.client();
            client.get("/page");

            proxy.ask("/part")
                    .say(answer("206 Partial Content", "12", FRESH, "Content-Range: bytes 1-2/10"));
            proxy.pass(Duration.ofSeconds(1));

            assertThat(client.received()).contains("<", ">").doesNotContain("12>");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = EsiProcessing.class,
            names = {"AUTO", "OFF"})
    void partThatIsNotStoredIsAskedForOnceMoreAndThenAtOnce(EsiProcessing esi) {
        try (var proxy = new OneThread(new Rules().esi(esi))) {
            var client = proxy.client();

            client.get("/a", "Range: bytes=1-2", "If-Range: \"1\"");
            proxy.ask("/a").say(ok("0123456789", "Cache-Control: no-store", "ETag: \"1\""));

            assertThat(proxy.ask("/a").text())
                    .contains("\r\nRange: bytes=1-2\r\n", "\r\nIf-Range: \"1\"\r\n");
            assertThat(client.received()).isEmpty();
            proxy.ask("/a")
                    .say(
                            answer(
                                    "206 Partial Content",
                                    "12",
                                    "Cache-Control: no-store",
                                    "Content-Range: bytes 1-2/10"));
            assertThat(client.received())
                    .startsWith("HTTP/1.1 206 Partial Content\r\n")
                    .contains("\r\nContent-Range: bytes 1-2/10\r\n")
                    .endsWith("\r\n\r\n12");

            client.get("/a", "Range: bytes=3-4");

            assertThat(proxy.ask("/a").text()).contains("\r\nRange: bytes=3-4\r\n");
        }
    }

    @Test
    void originThatChangesItsMindAboutADocumentIsAskedTwiceAtMost() {
        var document = "Surrogate-Control: content=\"ESI/1.0\"";
        var type = "Content-Type: text/html";
        var part = "206 Partial Content";
        var place = "Content-Range: bytes 1-2/10";
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/a", "If-Match: *", "Range: bytes=1-2");
            proxy.ask("/a").say(answer(part, "12", type, document, place));
            proxy.ask("/a").say(ok("0123456789", type, "Cache-Control: private"));

            assertThat(client.received()).startsWith("HTTP/1.1 200 ").endsWith("\r\n0123456789");

            client.get("/b", "Range: bytes=1-2");
            proxy.ask("/b").say(ok("0123456789", type, "Cache-Control: private"));
            proxy.ask("/b").say(answer(part, "12", type, document, place));

            assertThat(client.received()).startsWith("HTTP/1.1 502 ");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"bytes=5-399990", "bytes=10-", "bytes=2-3,100000-399990", "bytes=0-0,-300000"})
    void slowClientGetsTheSameFromABodyThatArrivesAsFromTheStoredOne(String range) {
        var text = "0123456789".repeat(40_000);
        try (var proxy = new OneThread()) {
            var slow = proxy.client();
            slow.stopTaking();

            slow.get("/a", "Range: " + range);
            proxy.ask("/a").say(ok(text, FRESH, "ETag: \"1\""));
            slow.takeAgain();

            var arrived = slow.received();
            var other = proxy.client();
            other.get("/a", "Range: " + range);
            var stored = other.received();
            assertThat(arrived).startsWith("HTTP/1.1 206 Partial Content\r\n");
            assertThat(body(arrived)).isEqualTo(body(stored));
            assertThat(proxy.asked()).containsExactly("/a");
        }
    }

    /** The body, with a boundary that is always the same. */
    private static String body(String answer) {
        return answer.substring(answer.indexOf("\r\n\r\n") + 4)
                .replaceAll("--[0-9a-f]{32}", "--boundary");
    }

    @Test
    void memoryOfAPartIsFreeOnceItsSlowClientHasIt() {
        try (var proxy = new OneThread()) {
            var slow = proxy.client();
            slow.stopTaking();
            slow.get("/a", "Range: bytes=0-199999");
            proxy.ask("/a").say(ok("x".repeat(300_000), FRESH));
            proxy.purge("/a");

            assertThat(proxy.transitBytes()).isGreaterThanOrEqualTo(300_000);

            slow.takeAgain();

            assertThat(slow.received()).endsWith("\r\n\r\n" + "x".repeat(200_000));
            assertThat(proxy.transitBytes()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=1-2,4-5", "bytes=5-1", "lines=1-2"})
    void whatIsNoPartIsNeverAskedFor(String range) {
        try (var proxy = new OneThread()) {
            var client = proxy.client();

            client.get("/a", "Range: " + range);

            assertThat(proxy.ask("/a").text()).doesNotContain("Range");

            proxy.ask("/a").say(ok("0123456789", "Cache-Control: no-store"));
            assertThat(client.received()).startsWith("HTTP/1.1 200 OK\r\n").endsWith("0123456789");
            proxy.asked();
            client.get("/a", "Range: " + range);
            assertThat(proxy.ask("/a").text()).doesNotContain("Range");
        }
    }

    @Test
    void severalPartsAreNotForwardedWithAConditionForTheOriginEither() {
        try (var proxy = new OneThread(new Rules().esi(EsiProcessing.OFF))) {
            var client = proxy.client();

            client.get("/a", "If-Match: \"1\"", "Range: bytes=0-1,3-4");

            assertThat(proxy.ask("/a").text())
                    .contains("\r\nIf-Match: \"1\"\r\n")
                    .doesNotContain("Range");
        }
    }

    @Test
    void staleIsValidatedByOurValidatorAndThenTheClientsRangeIsAnswered() {
        try (var proxy = new OneThread(new Rules().esi(EsiProcessing.OFF))) {
            proxy.stored("/a", ok("0123456789", "Cache-Control: max-age=1", "ETag: \"1\""));
            proxy.pass(Duration.ofSeconds(20));
            var client = proxy.client();

            client.get("/a", "Range: bytes=1-2", "If-Range: \"1\"");

            assertThat(proxy.ask("/a").text())
                    .contains("\r\nIf-None-Match: \"1\"\r\n")
                    .doesNotContain("Range");

            proxy.ask("/a").say("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");

            assertThat(client.received())
                    .startsWith("HTTP/1.1 206 Partial Content\r\n")
                    .endsWith("\r\n\r\n12");
        }
    }
}
