package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static dev.quire.proxy.cache.CacheHouse.RULES;
import static dev.quire.proxy.cache.CacheHouse.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Admission.Decision;
import dev.quire.core.policy.ResponseTimes;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.StorageRefusal;
import dev.quire.proxy.route.EsiProcessing;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseAdmissionTest {
    private final CacheHouse house = new CacheHouse();

    @AfterEach
    void nothingIsLeftOver() {
        house.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "many", "5, 5", "99999999999999999999", "-7", "0x10"})
    void lengthThatIsNoNumberSaysNothing(String length) {
        var admission = admission(RULES, CacheHouse.get());

        var decision =
                begin(admission, 200, "Cache-Control", "max-age=60", "Content-Length", length);

        assertThat(decision).isInstanceOf(Decision.Store.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 206, 304})
    void whatIsNoWholeBodyIsNoDocument(int status) {
        var decision =
                begin(
                        admission(rules(EsiProcessing.ON), CacheHouse.get()),
                        status,
                        "Content-Type",
                        "text/html",
                        "Cache-Control",
                        "no-store");

        assertThat(decision).isInstanceOf(Decision.Flow.class);
    }

    @Test
    void answerToHeadIsForNobodyElse() {
        var decision =
                begin(
                        admission(rules(EsiProcessing.ON), CacheHouse.request("HEAD")),
                        200,
                        "Content-Type",
                        "text/html");

        assertThat(decision).isEqualTo(new Decision.Flow(StorageRefusal.METHOD));
    }

    @Test
    void originsGzipOfADocumentIsKeptWithoutItsCodingAndWhatSpeaksOfIt() {
        var admission = admission(rules(EsiProcessing.ON), CacheHouse.get());
        begin(
                admission,
                200,
                "Content-Type",
                "Text/HTML; charset=utf-8",
                "Cache-Control",
                "max-age=60",
                "Content-Encoding",
                "gzip",
                "Content-Length",
                "40",
                "Content-MD5",
                "abc",
                "ETag",
                "\"a\"");

        add(admission, Coded.gzip("<p>text</p>"));
        var response = finish(admission);

        assertThat(response.body().toString(StandardCharsets.ISO_8859_1)).isEqualTo("<p>text</p>");
        assertThat(response.head().fields().contains("content-encoding")).isFalse();
        assertThat(response.head().fields().contains("content-length")).isFalse();
        assertThat(response.head().fields().contains("content-md5")).isFalse();
        assertThat(response.head().fields().first("etag")).isEqualTo("\"a\"");
        response.release();
    }

    @Test
    void bodyInACodingUnknownToUsIsStoredAsItCame() {
        var admission = admission(RULES, CacheHouse.get());
        begin(
                admission,
                200,
                "Content-Type",
                "text/html",
                "Cache-Control",
                "max-age=60",
                "Content-Encoding",
                "br");

        add(admission, new byte[] {1, 2, 3});
        var response = finish(admission);

        assertThat(response.length()).isEqualTo(3);
        assertThat(response.head().fields().first("content-encoding")).isEqualTo("br");
        response.release();
    }

    @Test
    void documentInACodingUnknownToUsIsAFailure() {
        var admission = admission(rules(EsiProcessing.ON), CacheHouse.get());
        begin(admission, 200, "Content-Type", "text/html", "Content-Encoding", "zstd");

        var data = house.bytes("???");
        var failure = admission.add(data);
        data.release();

        assertThat(failure).asString().contains("origin malformed", "coding");
        admission.discard();
    }

    @Test
    void dateIsAddedWhereThereIsNoneAndFieldsOfTheConnectionGo() {
        var admission = admission(RULES, CacheHouse.get());
        begin(
                admission,
                200,
                "Cache-Control",
                "max-age=60",
                "Connection",
                "X-Hop",
                "X-Hop",
                "1",
                "Keep-Alive",
                "5");

        var response = finish(admission);

        assertThat(response.head().fields().first("date"))
                .isEqualTo("Fri, 20 Nov 2026 12:00:00 GMT");
        assertThat(response.head().fields().contains("x-hop")).isFalse();
        assertThat(response.head().fields().contains("keep-alive")).isFalse();
        response.release();
    }

    @Test
    void documentIsParsedWhereverItIsCut() {
        var text = "a<esi:include src='/x'/>b";
        for (int cut = 1; cut < text.length(); cut++) {
            var admission = admission(rules(EsiProcessing.ON), CacheHouse.get());
            begin(admission, 200, "Content-Type", "text/html", "Cache-Control", "max-age=60");

            add(admission, text.substring(0, cut).getBytes(StandardCharsets.ISO_8859_1));
            add(admission, text.substring(cut).getBytes(StandardCharsets.ISO_8859_1));
            var response = finish(admission);

            assertThat(response.compiled()).isNotNull();
            assertThat(response.body().capacity()).isEqualTo(2);
            assertThat(text(response)).isEqualTo("ab");
            response.release();
        }
    }

    @Test
    void tagsCostNoMemoryAndTextTheyPartIsOnePiece() {
        var admission = admission(rules(EsiProcessing.ON), CacheHouse.get());
        begin(admission, 200, "Content-Type", "text/html", "Cache-Control", "max-age=60");

        add(admission, "ab<esi:remove>no</esi:remove>cd".getBytes(StandardCharsets.ISO_8859_1));
        add(admission, "<!--esi ".repeat(100).getBytes(StandardCharsets.ISO_8859_1));
        add(admission, "<esi:include src='/x'/>e".getBytes(StandardCharsets.ISO_8859_1));
        var response = finish(admission);

        assertThat(text(response)).isEqualTo("abcd" + " ".repeat(100) + "e");
        assertThat(response.length()).isEqualTo(105);
        assertThat(response.body().capacity()).isEqualTo(105);
        response.release();
    }

    @Test
    void documentOfTagsAloneIsAnEmptyBodyWithItsPlan() {
        var admission = admission(rules(EsiProcessing.ON), CacheHouse.get());
        begin(admission, 200, "Content-Type", "text/html", "Cache-Control", "max-age=60");

        add(admission, "<esi:include src='/x'/>".getBytes(StandardCharsets.ISO_8859_1));
        var response = finish(admission);

        assertThat(response.compiled()).isNotNull();
        assertThat(response.length()).isZero();
        response.release();
    }

    @Test
    void pageOfOneReaderKeepsWhatItsOwnHeadAllowsHim() {
        var admission = admission(rules(EsiProcessing.ON), CacheHouse.get());
        begin(admission, 200, "Content-Type", "text/html", "Cache-Control", "private, max-age=60");

        var response = finish(admission);

        assertThat(response.clientLifetimeAt(house.time.now().plusSeconds(1)).reusableFor())
                .isEqualTo(Duration.ofSeconds(59));
        response.release();
    }

    @Test
    void discardGivesBackWhatWasTaken() {
        var admission = admission(RULES, CacheHouse.get());
        begin(admission, 200, "Cache-Control", "max-age=60");
        add(admission, new byte[100]);
        assertThat(house.transit.usedBytes()).isEqualTo(100);

        admission.discard();
        admission.discard();

        assertThat(house.transit.usedBytes()).isZero();
    }

    @Test
    void surrenderedBodyIsTheCallersAndNoLongerCounted() {
        var admission = admission(RULES, CacheHouse.get());
        begin(admission, 200, "Cache-Control", "max-age=60");
        add(admission, new byte[100]);

        var body = admission.surrender();

        assertThat(house.transit.usedBytes()).isZero();
        assertThat(body).extracting(ByteBuf::release).isEqualTo(true);
    }

    private ResponseAdmission admission(RouteCacheRules rules, RequestHead request) {
        return new ResponseAdmission(
                PAGE, SentRequest.of(request), rules, true, house.surroundings());
    }

    private Decision begin(ResponseAdmission admission, int status, String... fields) {
        var now = house.time.now();
        return admission.begin(
                admission.judged(new ResponseHead(status, "", Fields.of(fields)), null),
                new ResponseTimes(now, now, now),
                false);
    }

    private void add(ResponseAdmission admission, byte[] bytes) {
        var data = house.bytes(bytes);
        assertThat(admission.add(data)).isNull();
        data.release();
    }

    private static String text(StoredResponse document) {
        return document.body().toString(StandardCharsets.ISO_8859_1);
    }

    private static StoredResponse finish(ResponseAdmission admission) {
        admission.ended(Runnable::run, failure -> assertThat(failure).isNull());
        var response = admission.finish();
        admission.discard();
        return response;
    }
}
