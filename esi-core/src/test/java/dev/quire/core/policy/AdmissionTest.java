package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Admission.Body;
import dev.quire.core.policy.Admission.Decision;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The treatment of a response. */
class AdmissionTest {
    private static final long MAX_OBJECT_BYTES = 1_000;
    private static final long MAX_DOCUMENT_BYTES = 100;

    private static final Body PLAIN = new Body(false, false, false);
    private static final Body DOCUMENT = new Body(true, false, false);
    private static final Body STAMPED_DOCUMENT = new Body(true, true, false);
    private static final Body FOR_PAGE = new Body(false, false, true);

    private static final RequestHead GET = request("GET");
    private static final Arriving STORABLE = Arriving.with("Cache-Control", "max-age=60");
    private static final Arriving PRIVATE = Arriving.with("Cache-Control", "private, max-age=60");

    /** RFC 9111 §3: storing responses in caches. */
    @Nested
    class Rfc9111Section3 {
        @May
        @Test
        void whatMayBeStoredIsStoredForItsLifetime() {
            assertThat(lifetime(decision(GET, STORABLE, PLAIN))).hasSeconds(60);
            assertThat(decision(GET, STORABLE, PLAIN))
                    .isInstanceOfSatisfying(
                            Decision.Store.class,
                            store -> assertThat(store.isDocument()).isFalse());
            assertThat(decision(GET, STORABLE, DOCUMENT))
                    .isInstanceOfSatisfying(
                            Decision.Store.class, store -> assertThat(store.isDocument()).isTrue());
        }

        @Must
        @ParameterizedTest
        @ValueSource(strings = {"PUT", "HEAD", "get"})
        void answerToAnotherMethodFlowsPast(String method) {
            assertThat(decision(request(method), STORABLE, PLAIN))
                    .isEqualTo(new Decision.Flow(StorageRefusal.METHOD));
        }

        @Must
        @Test
        void answerToHeadHasNoBodyToParseWhateverItsLength() {
            var answer = Arriving.with("Cache-Control", "max-age=60", "Content-Length", "101");

            assertThat(decision(request("HEAD"), answer, DOCUMENT))
                    .isEqualTo(new Decision.Flow(StorageRefusal.METHOD));
        }

        @Must
        @ParameterizedTest
        @ValueSource(ints = {206, 304})
        void partIsNotStored(int status) {
            assertThat(decision(GET, STORABLE.status(status), PLAIN))
                    .isEqualTo(new Decision.Flow(StorageRefusal.STATUS));
        }

        @Must
        @Test
        void whatIsRefusedFlowsPastUnlessItMustBeRead() {
            assertThat(decision(GET, PRIVATE, PLAIN))
                    .isEqualTo(new Decision.Flow(StorageRefusal.PRIVATE));
            assertThat(decision(GET, PRIVATE, FOR_PAGE))
                    .isEqualTo(new Decision.Flow(StorageRefusal.PRIVATE));
            assertThat(decision(GET, PRIVATE, DOCUMENT))
                    .isEqualTo(new Decision.Compile(StorageRefusal.PRIVATE, true));
        }

        @May
        @ParameterizedTest
        @CsvSource({
            "text/event-stream, false",
            "Text/Event-Stream;charset=utf-8, false",
            "text/event-streams, true"
        })
        void streamOfEventsFlowsPast(String type, boolean isStored) {
            var answer = Arriving.with("Cache-Control", "max-age=60", "Content-Type", type);

            assertThat(decision(GET, answer, PLAIN) instanceof Decision.Store).isEqualTo(isStored);
            if (!isStored) {
                assertThat(decision(GET, answer, PLAIN))
                        .isEqualTo(new Decision.Flow(StorageRefusal.EVENT_STREAM));
            }
        }

        @May
        @ParameterizedTest
        @CsvSource({"1000, true", "1001, false"})
        void whatIsLargerThanAnObjectMayBeFlowsPast(String length, boolean isStored) {
            var answer = Arriving.with("Cache-Control", "max-age=60", "Content-Length", length);

            assertThat(decision(GET, answer, PLAIN) instanceof Decision.Store).isEqualTo(isStored);
            if (!isStored) {
                assertThat(decision(GET, answer, PLAIN))
                        .isEqualTo(new Decision.Flow(StorageRefusal.SIZE));
            }
        }

        @May
        @ParameterizedTest
        @ValueSource(strings = {"max-age=60", "no-store"})
        void documentLargerThanAnyMayBeIsAFailureStorableOrNot(String directives) {
            var answer = Arriving.with("Cache-Control", directives, "Content-Length", "101");

            assertThat(decision(GET, answer, DOCUMENT))
                    .isEqualTo(new Decision.TooLarge(MAX_DOCUMENT_BYTES));
            assertThat(decision(GET, answer, PLAIN)).isNotInstanceOf(Decision.TooLarge.class);
        }

        @Must
        @ParameterizedTest
        @ValueSource(strings = {"", "many", "5, 5", "99999999999999999999", "-7", "0x10"})
        void lengthThatIsNoNumberSaysNothing(String length) {
            assertThat(Admission.announcedBytes(Fields.of("Content-Length", length)))
                    .isEqualTo(Admission.UNKNOWN);
        }
    }

    /** RFC 9111 §3.5: authenticated requests. */
    @Nested
    class Rfc9111Section3_5 {
        private final RequestHead authenticated = request("GET", "Authorization", "Basic YTpi");

        @Must
        @Test
        void answerToAnAuthenticatedRequestIsForItsClient() {
            assertThat(decision(authenticated, STORABLE, PLAIN))
                    .isEqualTo(new Decision.Flow(StorageRefusal.AUTHORIZATION));
            assertThat(decision(authenticated, STORABLE, DOCUMENT))
                    .isEqualTo(new Decision.Compile(StorageRefusal.AUTHORIZATION, true));
        }

        @May
        @ParameterizedTest
        @ValueSource(strings = {"public, max-age=60", "s-maxage=60", "must-revalidate, max-age=60"})
        void itIsStoredWhereTheOriginAllowsThat(String directives) {
            var answer = Arriving.with("Cache-Control", directives);

            assertThat(lifetime(decision(authenticated, answer, PLAIN))).hasSeconds(60);
        }
    }

    /** RFC 9111 §5.2: Cache-Control. */
    @Nested
    class Rfc9111Section5_2 {
        @Must
        @ParameterizedTest
        @CsvSource({"no-store, NO_STORE", "private, PRIVATE"})
        void directiveThatForbidsStoringIsTheReason(String directive, StorageRefusal reason) {
            var answer = Arriving.with("Cache-Control", directive + ", max-age=60");

            assertThat(decision(GET, answer, PLAIN)).isEqualTo(new Decision.Flow(reason));
        }

        @May
        @Test
        void noCacheIsStoredWithItsValidator() {
            var answer = Arriving.with("Cache-Control", "no-cache", "ETag", "\"1\"");

            assertThat(decision(GET, answer, PLAIN)).isInstanceOf(Decision.Store.class);
        }

        @Should
        @Test
        void cookieAloneForbidsStoring() {
            var cookie = Arriving.with("Cache-Control", "max-age=60", "Set-Cookie", "a=b");
            var both = Arriving.with("Cache-Control", "private", "Set-Cookie", "a=b");

            for (var method : new String[] {"GET", "HEAD"}) {
                var admission = admission(request(method), true);
                assertThat(admission.isRefusedForCookieAlone(cookie.response(), cookie.times()))
                        .isTrue();
                assertThat(admission.isRefusedForCookieAlone(both.response(), both.times()))
                        .isFalse();
            }
        }
    }

    /** RFC 9213: targeted cache control. */
    @Nested
    class Rfc9213 {
        @Must
        @Test
        void targetedFieldDecidesAloneWhetherAndForHowLong() {
            var stored =
                    Arriving.with("Cache-Control", "no-store", "CDN-Cache-Control", "max-age=30");
            var refused =
                    Arriving.with("Cache-Control", "max-age=60", "CDN-Cache-Control", "no-store");

            assertThat(lifetime(decision(GET, stored, PLAIN))).hasSeconds(30);
            assertThat(decision(GET, refused, PLAIN))
                    .isEqualTo(new Decision.Flow(StorageRefusal.NO_STORE));
        }
    }

    /** RFC 9110 §9.3.3: the response to a POST may be reused for later GETs. */
    @Nested
    class Rfc9110Section9_3_3 {
        private final RequestHead post = request("POST");
        private final Arriving answer =
                Arriving.with("Cache-Control", "max-age=60", "Content-Location", "/");

        @May
        @Test
        void answerToAPostThatSaysSoIsStored() {
            assertThat(forwarded(post, answer, PLAIN)).isInstanceOf(Decision.Store.class);
        }

        @May
        @Test
        void exceptWhereItIsReadCodedOrForAPage() {
            var coded =
                    Arriving.with(
                            "Cache-Control",
                            "max-age=60",
                            "Content-Location",
                            "/",
                            "Content-Encoding",
                            "br");

            assertThat(forwarded(post, answer, DOCUMENT))
                    .isEqualTo(new Decision.Compile(StorageRefusal.FORWARDED, true));
            assertThat(forwarded(post, answer, FOR_PAGE))
                    .isEqualTo(new Decision.Flow(StorageRefusal.FORWARDED));
            assertThat(forwarded(post, coded, PLAIN))
                    .isEqualTo(new Decision.Flow(StorageRefusal.FORWARDED));
        }

        @Must
        @Test
        void answerToAnyOtherForwardedRequestIsForItsClient() {
            assertThat(forwarded(GET, STORABLE, PLAIN))
                    .isEqualTo(new Decision.Flow(StorageRefusal.FORWARDED));
        }
    }

    /** RFC 9110 §8.4: a page cannot contain coded content. */
    @Nested
    class Rfc9110Section8_4 {
        @May
        @ParameterizedTest
        @ValueSource(strings = {"gzip", "x-gzip", "deflate", "br"})
        void whatAPageTakesIsKeptWholeToBeDecoded(String coding) {
            var answer = Arriving.with("Cache-Control", "private", "Content-Encoding", coding);

            assertThat(decision(GET, answer, FOR_PAGE))
                    .isEqualTo(new Decision.Compile(StorageRefusal.PRIVATE, false));
            assertThat(decision(GET, answer, PLAIN)).isInstanceOf(Decision.Flow.class);
        }

        @May
        @ParameterizedTest
        @ValueSource(strings = {"zstd", "identity", "gzip, gzip"})
        void exceptWhereThereIsNoWayBack(String coding) {
            var answer = Arriving.with("Cache-Control", "private", "Content-Encoding", coding);

            assertThat(decision(GET, answer, FOR_PAGE))
                    .isEqualTo(new Decision.Flow(StorageRefusal.PRIVATE));
        }
    }

    @Test
    void clientThatWantsDocumentsAsTheyComeGetsThemSoButNoStamps() {
        var admission =
                new Admission(
                        SentRequest.of(GET),
                        Settings.DEFAULT,
                        AuthorLifetime.UNSAID,
                        true,
                        true,
                        MAX_OBJECT_BYTES,
                        MAX_DOCUMENT_BYTES);

        assertThat(admission.of(PRIVATE.response(), PRIVATE.times(), DOCUMENT))
                .isEqualTo(new Decision.Flow(StorageRefusal.PRIVATE));
        assertThat(admission.of(PRIVATE.response(), PRIVATE.times(), STAMPED_DOCUMENT))
                .isEqualTo(new Decision.Compile(StorageRefusal.PRIVATE, true));
        assertThat(admission.of(STORABLE.response(), STORABLE.times(), DOCUMENT))
                .isInstanceOf(Decision.Store.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "private              | PRIVATE",
                "no-store, max-age=60 | NO_STORE",
                "max-age=60           | AUTHORIZATION",
            })
    void originsProhibitionsOutliveTheFieldsThatRulesChange(String control, StorageRefusal why) {
        var written = Arriving.with("Cache-Control", "public, max-age=60, must-understand");
        var withCredentials = request("GET", "Authorization", "Bearer a");

        var admission = admission(withCredentials, true);
        var ruled = admission.afterRules(Fields.of("Cache-Control", control));

        assertThat(admission.of(written.response(), written.times(), PLAIN))
                .isInstanceOf(Decision.Store.class);
        assertThat(ruled.of(written.response(), written.times(), PLAIN))
                .isEqualTo(new Decision.Flow(why));
    }

    @Test
    void rulesNeitherAvoidValidationNorAllowStaleResponses() {
        var written = Arriving.with("Cache-Control", "max-age=60", "ETag", "\"a\"");
        var received = Fields.of("Cache-Control", "no-cache", "ETag", "\"a\"");

        var decision =
                admission(GET, true)
                        .afterRules(received)
                        .of(written.response(), written.times(), PLAIN);

        assertThat(decision)
                .isInstanceOfSatisfying(
                        Decision.Store.class,
                        store -> {
                            assertThat(store.freshness().validateAlways()).isTrue();
                            assertThat(store.freshness().grace()).isZero();
                        });
    }

    /** RFC 9111 §4.3.4, §4.3.5: freshening stored responses. */
    @Nested
    class Rfc9111Section4_3_4 {
        private final Fields stored = Fields.of("Content-Type", "text/html");

        @Must
        @Test
        void renewedHeadDecidesForHowLongTheBodyIsKept() {
            assertThat(renewal(false, false, "Content-Type", "text/html"))
                    .extracting(Freshness::lifetime)
                    .isEqualTo(Duration.ofMinutes(1));
            assertThat(renewal(false, false, "Cache-Control", "no-store")).isNull();
        }

        @Must
        @Test
        void headThatSaysTheBodyIsReadOtherwiseRenewsNothing() {
            assertThat(renewal(true, true, "Content-Type", "text/html")).isNotNull();
            assertThat(renewal(true, true, "Content-Type", "application/json")).isNull();
            assertThat(renewal(false, false, "Content-Type", "application/json")).isNotNull();
            assertThat(renewal(true, false, "Content-Type", "text/html")).isNull();
            assertThat(renewal(false, true, "Content-Type", "text/html")).isNull();
            assertThat(renewal(false, false, "Content-Encoding", "gzip")).isNull();
        }

        @Must
        @Test
        void answerToHeadIsHeldAgainstWhatAGetMayBring() {
            var answer = STORABLE.to(request("HEAD"));

            assertThat(
                            admission(answer.request(), true)
                                    .renewal(
                                            Fields.EMPTY,
                                            answer.response(),
                                            answer.times(),
                                            false,
                                            false))
                    .isNotNull();
        }

        private @Nullable Freshness renewal(
                boolean wasDocument, boolean isDocument, String name, String value) {
            var merged =
                    new Fields.Builder()
                            .addAll(Fields.of("Cache-Control", "max-age=60"))
                            .add(name, value)
                            .build();
            return admission(GET, true)
                    .renewal(
                            stored,
                            new ResponseHead(200, "", merged),
                            STORABLE.times(),
                            wasDocument,
                            isDocument);
        }
    }

    private static Decision decision(RequestHead request, Arriving answer, Body body) {
        return admission(request, true).of(answer.response(), answer.times(), body);
    }

    /** For a request that was forwarded as its client made it. */
    private static Decision forwarded(RequestHead request, Arriving answer, Body body) {
        return admission(request, false).of(answer.response(), answer.times(), body);
    }

    private static Admission admission(RequestHead request, boolean servesOthers) {
        return new Admission(
                SentRequest.of(request),
                Settings.DEFAULT,
                AuthorLifetime.UNSAID,
                servesOthers,
                false,
                MAX_OBJECT_BYTES,
                MAX_DOCUMENT_BYTES);
    }

    private static Duration lifetime(Decision decision) {
        return switch (decision) {
            case Decision.Store store -> store.freshness().lifetime();
            case Decision.Compile compile -> throw new AssertionError(compile);
            case Decision.Flow flow -> throw new AssertionError(flow);
            case Decision.TooLarge large -> throw new AssertionError(large);
        };
    }
}
