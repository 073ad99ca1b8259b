package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts of bodies that are not stored: the origin is asked for them (RFC 9110 §14). */
class RangesFromOriginIT {
    private static final String TEXT = "0123456789".repeat(1_000);
    private static final String LARGE = "0123456789".repeat(20_000);

    private final Origin origin = Origin.start();
    private final RunningProxy proxy =
            RunningProxy.inFrontOf(origin).with("cache", "{ max-object: 100KiB }").start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    private long askedWithRange(String path) {
        return RangedFile.askedWithRange(origin, path);
    }

    @Test
    void partOfALargeFileIsTheOriginsAndTheNextOneAtOnce() {
        origin.on("/film", RangedFile.of(LARGE, RangedFile::fresh));

        var first = proxy.get("/film", "Range", "bytes=0-1", "If-Range", "\"v\"");
        var second = proxy.get("/film", "Range", "bytes=100003-");
        var whole = proxy.get("/film");
        var third = proxy.get("/film", "Range", "bytes=2-3");

        assertThat(first.status()).isEqualTo(206);
        assertThat(first.field("Content-Range")).isEqualTo("bytes 0-1/" + LARGE.length());
        assertThat(first.text()).isEqualTo("01");
        assertThat(second.status()).isEqualTo(206);
        assertThat(second.text()).isEqualTo(LARGE.substring(100_003));
        assertThat(whole.text()).isEqualTo(LARGE);
        assertThat(third.text()).isEqualTo("23");
        var asked = origin.requests("/film");
        assertThat(asked)
                .extracting(request -> String.valueOf(request.field("Range")))
                .containsExactly("null", "bytes=0-1", "bytes=100003-", "null", "bytes=2-3");
        assertThat(asked.get(1).field("If-Range")).isEqualTo("\"v\"");
        assertThat(proxy.stored()).isEmpty();
    }

    @Test
    void largeFileThatHasChangedSinceIsSentWholeByTheFirstRequest() {
        origin.on("/film", RangedFile.of(LARGE, RangedFile::fresh));

        var changed = proxy.get("/film", "Range", "bytes=0-1", "If-Range", "\"u\"");

        assertThat(changed.status()).isEqualTo(200);
        assertThat(changed.text()).isEqualTo(LARGE);
        assertThat(origin.requests("/film")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "Accept-Encoding | gzip     | gzip",
                "Accept-Encoding | identity | -",
                "Cookie          | a=b      | -",
            })
    void dateDoesNotResumeTextThatMayHaveBegunInGzip(
            String name, String value, @Nullable String coding) {
        origin.on(
                "/text",
                RangedFile.of(
                        LARGE,
                        answer ->
                                answer.field("Content-Type", "text/plain")
                                        .field("Cache-Control", "max-age=60")
                                        .field("ETag", "\"v\"")
                                        .field("Last-Modified", RangedFile.MODIFIED)));
        var begun = proxy.get("/text", "Accept-Encoding", "gzip");
        assertThat(begun.field("Content-Encoding")).isEqualTo("gzip");
        assertThat(begun.field("Last-Modified")).isEqualTo(RangedFile.MODIFIED);
        origin.forget();

        var resumed =
                proxy.get(
                        "/text",
                        "Range",
                        "bytes=100-",
                        "If-Range",
                        RangedFile.MODIFIED,
                        name,
                        value);
        var byTag = proxy.get("/text", "Range", "bytes=100-101", "If-Range", "\"v\"");

        assertThat(resumed.status()).isEqualTo(200);
        assertThat(resumed.field("Content-Encoding")).isEqualTo(coding);
        assertThat(byTag.status()).isEqualTo(206);
        assertThat(byTag.text()).isEqualTo("01");
        assertThat(origin.requests("/text")).hasSize(3);
    }

    @Test
    void dateResumesAFilmAndAWeakTagNothing() {
        origin.on(
                "/film",
                RangedFile.of(
                        LARGE,
                        answer ->
                                RangedFile.fresh(answer)
                                        .field("Last-Modified", RangedFile.MODIFIED)));
        proxy.get("/film", "Accept-Encoding", "gzip");

        var byDate =
                proxy.get(
                        "/film",
                        "Range",
                        "bytes=100-101",
                        "If-Range",
                        RangedFile.MODIFIED,
                        "Accept-Encoding",
                        "gzip");
        var byTag = proxy.get("/film", "Range", "bytes=100-101", "If-Range", "W/\"v\"");

        assertThat(byDate.status()).isEqualTo(206);
        assertThat(byTag.status()).isEqualTo(200);
        assertThat(askedWithRange("/film")).isEqualTo(1);
    }

    @Test
    void fetchOfALargeFileEndsWhenThePartIsAskedFor() {
        origin.on("/film", RangedFile.of(LARGE, RangedFile::fresh));
        var held = origin.holdAfter("/film", 1_000);

        var part = proxy.get("/film", "Range", "bytes=10-19");

        assertThat(part.text()).isEqualTo("0123456789");
        origin.requests("/film").getFirst().awaitAbandoned();
        held.release();
    }

    @Test
    void partOfAPrivateResponseIsTheOrigins() {
        origin.on(
                "/mine",
                RangedFile.of(
                        TEXT, answer -> answer.field("Cache-Control", "private, max-age=60")));

        var first = proxy.get("/mine", "Range", "bytes=3-4");
        proxy.get("/mine", "Range", "bytes=3-4");

        assertThat(first.status()).isEqualTo(206);
        assertThat(first.text()).isEqualTo("34");
        assertThat(origin.requests("/mine")).hasSize(3);
        assertThat(askedWithRange("/mine")).isEqualTo(2);
    }

    @Test
    void originThatKnowsNoRangesIsAskedTwiceAtMost() {
        origin.on(
                "/mine",
                request -> Answer.status(200).body(TEXT).field("Cache-Control", "no-store"));

        var first = proxy.get("/mine", "Range", "bytes=3-4");
        var second = proxy.get("/mine", "Range", "bytes=3-4");

        assertThat(first.text()).isEqualTo(TEXT);
        assertThat(second.text()).isEqualTo(TEXT);
        assertThat(origin.requests("/mine")).hasSize(3);
    }

    @Test
    void partOfABodyOfUnknownLengthIsTheOriginsUntilTheBodyIsStored() {
        origin.on(
                "/film",
                request -> {
                    var answer = RangedFile.of(TEXT, RangedFile::fresh).apply(request);
                    return request.field("Range") == null ? answer.chunked() : answer;
                });

        var first = proxy.get("/film", "Range", "bytes=3-4");
        var second = proxy.get("/film", "Range", "bytes=5-6");

        assertThat(first.text()).isEqualTo("34");
        assertThat(second.text()).isEqualTo("56");
        assertThat(origin.requests("/film")).hasSize(3);
        assertThat(proxy.stored()).isEmpty();
        assertThat(proxy.get("/film").text()).isEqualTo(TEXT);
        assertThat(proxy.get("/film", "Range", "bytes=5-6").text()).isEqualTo("56");
        assertThat(origin.requests("/film")).hasSize(4);
    }

    @Test
    void rangeOfABodyOfUnknownLengthDoesNotEndTheCoalescingOfOthers() {
        origin.on("/film", RangedFile.fresh(Answer.status(200).body(TEXT)).chunked());
        proxy.get("/film", "Range", "bytes=3-4");
        origin.forget();
        var held = origin.hold("/film");
        try (var one = proxy.connect();
                var other = proxy.connect()) {
            one.request("GET", "/film");
            other.request("GET", "/film");
            proxy.awaitMetric("quire_exchanges_waiting", 2);
            held.release();

            assertThat(one.response().text()).isEqualTo(TEXT);
            assertThat(other.response().text()).isEqualTo(TEXT);
        }
        assertThat(origin.requests("/film")).hasSize(1);
    }

    @Test
    void fetchThatOthersWaitForGoesOnWithoutTheClientOfThePart() {
        origin.on(
                "/film",
                request -> {
                    var answer = RangedFile.of(TEXT, RangedFile::fresh).apply(request);
                    return request.field("Range") == null ? answer.chunked() : answer;
                });
        var held = origin.hold("/film");
        try (var one = proxy.connect();
                var other = proxy.connect()) {
            one.request("GET", "/film", "Range", "bytes=3-4");
            held.awaitWaiting(1);
            other.request("GET", "/film");
            proxy.awaitMetric("quire_exchanges_waiting", 2);
            held.release();

            assertThat(one.response().text()).isEqualTo("34");
            assertThat(other.response().text()).isEqualTo(TEXT);
        }
        proxy.awaitNoFetch();
        assertThat(proxy.stored()).hasSize(1);
        assertThat(origin.requests("/film")).hasSize(2);
    }

    @Test
    void waitingRequestForAPartAsksForItIfTheResponseIsNotStored() {
        origin.on("/film", RangedFile.of(LARGE, RangedFile::fresh));

        var both = RangedFile.wholeAndThenAPart(origin, proxy, "/film");

        assertThat(both.whole().text()).isEqualTo(LARGE);
        assertThat(both.part().text()).isEqualTo("34");
        assertThat(origin.requests("/film")).hasSize(2);
        assertThat(askedWithRange("/film")).isEqualTo(1);
    }

    @Test
    void wholeThatIsFetchedAfterAUseless304IsNotFollowedByAPart() {
        origin.on(
                "/film",
                Answer.status(200)
                        .body(TEXT)
                        .field("Cache-Control", "max-age=0")
                        .field("ETag", "\"u\""));
        proxy.get("/film");
        origin.forget();
        var large = RangedFile.of(LARGE, RangedFile::fresh);
        origin.on(
                "/film",
                request ->
                        request.field("If-None-Match") == null
                                ? large.apply(request)
                                : Answer.status(304).field("ETag", "\"other\""));

        var first = proxy.get("/film", "Range", "bytes=3-4");
        var second = proxy.get("/film", "Range", "bytes=3-4");

        assertThat(origin.requests("/film")).hasSize(3);
        assertThat(askedWithRange("/film")).isEqualTo(1);
        assertThat(first.status()).isEqualTo(200);
        assertThat(first.text()).isEqualTo(LARGE);
        assertThat(second.text()).isEqualTo("34");
    }

    @Test
    void partOfADocumentIsDiscardedAndTheDocumentFetchedWhole() {
        var document = "<esi:vars>$(HTTP_HOST)</esi:vars> is here";
        origin.on(
                "/page",
                RangedFile.of(
                        document,
                        answer ->
                                answer.field("Content-Type", "text/html")
                                        .field("Cache-Control", "private")
                                        .field("Surrogate-Control", "content=\"ESI/1.0\"")));

        // If-Match is for the origin to judge: the request bypasses the cache, with its range.
        var response = proxy.get("/page", "Range", "bytes=0-20", "If-Match", "*");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).endsWith(" is here").doesNotContain("esi:");
        var asked = origin.requests("/page");
        assertThat(asked).hasSize(2);
        assertThat(asked.get(0).field("Range")).isEqualTo("bytes=0-20");
        assertThat(asked.get(1).field("Range")).isNull();
        assertThat(asked.get(1).field("If-Match")).isEqualTo("*");
    }
}
