package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentAnswer;
import dev.quire.core.assemble.FragmentRequest;
import dev.quire.core.assemble.FragmentSource;
import dev.quire.core.assemble.PageInputs;
import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Evaluation;
import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.expression.Variables;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.deliver.PageDelivery;
import dev.quire.proxy.exchange.Exchange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages that change their own response, and invalid changes. */
class AmendedPageTest {
    private static final String PLAIN = "<p>page</p>";

    private static final Pattern TAG = Pattern.compile("\r\nETag: (W/\"[0-9a-f]{32}\")\r\n");
    private static final CacheKey PAGE = new CacheKey(Scheme.HTTP, "news.test", "/page");

    private final List<String> told = new ArrayList<>();

    @Test
    void statusAndFieldsOfAFunctionLeaveWithThePage() {
        var answer = answerTo(page(PLAIN), edits(404, "X-One", "1", "X-One", "2"), 0);

        assertThat(answer)
                .startsWith("HTTP/1.1 404 Not Found\r\n")
                .contains("\r\nX-One: 1\r\nX-One: 2\r\n", "\r\nContent-Type: text/html\r\n")
                .contains("\r\nContent-Length: 11\r\n", "\r\nVia: 1.1 quire\r\n")
                .containsOnlyOnce("\r\nDate: ")
                .doesNotContain("Surrogate-", "ETag")
                .endsWith("\r\n\r\n" + PLAIN);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "404 | no-cache | no-store",
                "500 | public | no-store",
                "404 | max-age=60 | max-age=60",
                "302 | no-cache | no-cache",
                "200 | max-age=60 | max-age=60",
                "404 | private, max-age=60 | private, max-age=60"
            })
    void clientsKeepAnErrorOnlyIfThePageSaysSo(int status, String own, String expected) {
        var answer = answerTo(page(PLAIN, "Cache-Control: " + own), edits(status), 0);

        assertThat(answer).contains("\r\nCache-Control: " + expected + "\r\n");
    }

    @Test
    void cacheControlThatThePageSetsOnlyRestrictsThatOfItsOrigin() {
        var edits = edits(404, "Cache-Control", "public, max-age=9");

        var answer = answerTo(page(PLAIN, "Cache-Control: max-age=60"), edits, 0);
        var forbidden = answerTo(page(PLAIN, "Cache-Control: no-store"), edits, 0);
        var personal =
                answer(
                        page(PLAIN),
                        delivery -> {
                            delivery.isPersonal();
                            delivery.amended(edits, 0);
                        });

        assertThat(answer).containsOnlyOnce("Cache-Control").contains(": max-age=9\r\n");
        assertThat(forbidden).contains("\r\nCache-Control: no-store\r\n");
        assertThat(personal).contains("\r\nCache-Control: private, max-age=9\r\n");
    }

    @Test
    void redirectLeavesWithItsLocation() {
        var answer =
                answerTo(
                        page(PLAIN, "Location: /old"),
                        new ResponseEdits(
                                302, List.of(new ResponseEdits.Field("Location", "/new")), null),
                        0);

        assertThat(answer)
                .startsWith("HTTP/1.1 302 Found\r\n")
                .containsOnlyOnce("Location: ")
                .contains("\r\nLocation: /new\r\n");
    }

    @Test
    void statusWithoutContentHasNone() {
        var answer = answerTo(page(PLAIN), edits(204), 0);

        assertThat(answer)
                .startsWith("HTTP/1.1 204 No Content\r\n")
                .doesNotContain("Content-Length")
                .endsWith("\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1, 100, 199, 205, 206, 304, 416, 600, 99999})
    void statusThatCannotAnswerIsRefused(int status) {
        var answer = answerTo(page(PLAIN), edits(status), 0);

        assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n").endsWith(PLAIN);
        assertThat(told).containsExactly("problem");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0 | 200",
                "0 | 503 | 503",
                "0 | 201 | 201",
                "0 | 204 | 200",
                "0 | 304 | 200",
                "403 | 503 | 403"
            })
    void statusIsTheFunctionsElseThePrimaryFragmentsElseThePages(
            int function, int primary, int expected) {
        assertThat(answerTo(page(PLAIN), edits(function), primary))
                .startsWith("HTTP/1.1 " + expected + " ")
                .endsWith(PLAIN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length",
                "transfer-encoding",
                "Connection",
                "Keep-Alive",
                "Trailer",
                "Upgrade",
                "Surrogate-Control",
                "Age",
                "Date",
                "Via",
                "ETag",
                "Last-Modified",
                "Expires",
                "Content-Encoding",
                "Content-Range",
                "Accept-Ranges",
                "X-ESI-Errors",
                "",
                "X Y",
                "X:",
                "X\r\nSet-Cookie",
                "X\u0000",
                "\u00dc"
            })
    void fieldThatIsNotThePagesToSetIsDropped(String name) {
        var answer = answerTo(page(PLAIN), edits(0, name, "marked"), 0);

        assertThat(answer).doesNotContain("marked").contains("\r\nContent-Length: 11\r\n");
        assertThat(told).containsExactly("problem");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\r\nSet-Cookie: marked=1",
                "a\nb",
                "a\rb",
                "a\u0000b",
                "a\u007fb",
                "a\u010d\u010aSet-Cookie: marked=1"
            })
    void valueThatIsNotOneLineIsDropped(String value) {
        var answer = answerTo(page(PLAIN), edits(0, "X-Value", value, "X-Next", "kept"), 0);

        assertThat(answer).doesNotContain("X-Value", "marked").contains("\r\nX-Next: kept\r\n");
        assertThat(told).containsExactly("problem");
    }

    @Test
    void fieldsBeyondTheirBoundAreDropped() {
        var answer =
                answerTo(
                        page(PLAIN),
                        edits(0, "X-First", "kept", "X-Long", "x".repeat(64 * 1024)),
                        0);

        assertThat(answer).contains("\r\nX-First: kept\r\n").doesNotContain("X-Long");
        assertThat(answer).hasSizeLessThan(1024);
    }

    @Test
    void pageThatSetsACookieIsForItsClientAlone() {
        var answer =
                answerTo(
                        page(PLAIN, "Cache-Control: max-age=60"), edits(0, "set-cookie", "a=1"), 0);

        assertThat(answer)
                .contains("\r\nset-cookie: a=1\r\n")
                .contains("\r\nCache-Control: private, max-age=60\r\n")
                .doesNotContain("ETag");
    }

    @Test
    void fieldThatIsAddedCountsForTheTag() {
        var plain = tagOf(answerTo(page(PLAIN), ResponseEdits.NONE, 0));
        var one = tagOf(answerTo(page(PLAIN), edits(0, "X-A", "1"), 0));
        var other = tagOf(answerTo(page(PLAIN), edits(0, "X-A", "2"), 0));
        var again = tagOf(answerTo(page(PLAIN), edits(0, "X-A", "1"), 0));

        assertThat(one).isNotEqualTo(other).isNotEqualTo(plain).isEqualTo(again);
    }

    @Test
    void personalTextMakesThePagePrivateAndWithoutTag() {
        var answer = answer(page(PLAIN, "Cache-Control: max-age=60"), PageDelivery::isPersonal);

        assertThat(answer)
                .contains("\r\nCache-Control: private, max-age=60\r\n")
                .doesNotContain("ETag");
    }

    @Test
    void textEvaluatedFromTheAddressIsPartOfTheTag() {
        var kim = answer(page(PLAIN), delivery -> delivery.write(bytes("Kim")));
        var lee = answer(page(PLAIN), delivery -> delivery.write(bytes("Lee")));

        assertThat(kim).endsWith("\r\n\r\nKim" + PLAIN);
        assertThat(tagOf(kim)).isNotEqualTo(tagOf(lee));
    }

    @Test
    void whatTheAssemblerMadeItselfIsPartOfTheTagAndRestrictsNothing() {
        var kim = answer(page(PLAIN, "Cache-Control: max-age=60"), writing("Kim"));
        var again = answer(page(PLAIN, "Cache-Control: max-age=60"), writing("Kim"));
        var lee = answer(page(PLAIN, "Cache-Control: max-age=60"), writing("Lee"));

        assertThat(kim).contains("\r\nCache-Control: max-age=60\r\n").endsWith("Kim" + PLAIN);
        assertThat(tagOf(kim)).isEqualTo(tagOf(again)).isNotEqualTo(tagOf(lee));
    }

    @ParameterizedTest
    @CsvSource({
        "ORIGIN, STATUS, 502",
        "ORIGIN, UNREACHABLE, 502",
        "ORIGIN, TIMEOUT, 504",
        "PROXY, TIMEOUT, 504",
        "PROXY, DENIED, 502",
        "PROXY, OVERLOAD, 502",
        "ORIGIN, TOO_LARGE, 502",
        "ORIGIN, LOOP, 502"
    })
    void pageThatFailsIsAnErrorPageAndSaysWhyInTheLogAlone(Side side, Kind kind, int status) {
        var failure = new Failure(side, kind, "secret reason");
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(PLAIN, "Cache-Control: max-age=60"));
            var client = proxy.client();
            var exchange = proxy.exchange(client, "/page");
            var page = proxy.find(exchange, "/page");

            // The assembler has released the page when it reports this.
            delivery(proxy, exchange, page).failed(failure);
            page.release();
            proxy.turn();

            assertThat(client.received())
                    .startsWith("HTTP/1.1 " + status + " ")
                    .contains("\r\nCache-Control: no-store\r\n")
                    .doesNotContain("secret", PLAIN, "ETag");
            assertThat(exchange.trace().outcome()).isEqualTo("error");
            assertThat(exchange.trace().reason()).contains("secret reason");
            assertThat(told).containsExactly("failed", "ended");
        }
    }

    @Test
    void aPageOfThousandsOfPartsLetsOthersRun() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page(PLAIN));
            var client = proxy.client();
            var exchange = proxy.exchange(client, "/page");
            var delivery = delivery(proxy, exchange, proxy.find(exchange, "/page"));
            for (int i = 0; i < 2000; i++) {
                delivery.write(bytes("-"));
            }

            delivery.start();
            var inOneTurn = List.copyOf(told);
            proxy.turn();

            assertThat(inOneTurn).isEmpty();
            assertThat(told).containsExactly("ended");
            assertThat(client.received())
                    .contains("\r\nContent-Length: " + (2000 + PLAIN.length()) + "\r\n")
                    .endsWith("-" + PLAIN);
        }
    }

    @Test
    void whatCouldNotBeEvaluatedIsToldOf() {
        var answer = answer(page(PLAIN), delivery -> delivery.problem(PAGE, "nonsense"));

        assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n").endsWith(PLAIN);
        assertThat(told).containsExactly("problem");
    }

    private Consumer<PageDelivery> writing(String text) {
        return delivery -> {
            var made = StoredResponse.made(PAGE, bytes(text), null);
            delivery.joined(made);
            delivery.write(made, 0, made.length());
            made.release();
        };
    }

    private String answerTo(String page, ResponseEdits edits, int primary) {
        return answer(page, delivery -> delivery.amended(edits, primary));
    }

    /**
     * Returns the response with {@code page} after {@code before}, for the calls of the assembler.
     */
    private String answer(String page, Consumer<PageDelivery> before) {
        told.clear();
        try (var proxy = new OneThread()) {
            proxy.stored("/page", page);
            var client = proxy.client();
            var exchange = proxy.exchange(client, "/page");
            var delivery = delivery(proxy, exchange, proxy.find(exchange, "/page"));
            before.accept(delivery);
            delivery.start();
            proxy.turn();
            assertThat(told.removeLast()).isEqualTo("ended");
            return client.received();
        }
    }

    private PageDelivery delivery(OneThread proxy, Exchange exchange, StoredResponse page) {
        var defaults = Configuration.DEFAULTS;
        return new PageDelivery(
                exchange,
                page,
                new NoFragments(),
                new NothingKnown(),
                new PageDelivery.Rules(defaults.esi(), defaults.deliver(), proxy.clocks()),
                proxy.compressing(),
                new Told());
    }

    private static ResponseEdits edits(int status, String... namesAndValues) {
        var fields = new ArrayList<ResponseEdits.Field>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.add(new ResponseEdits.Field(namesAndValues[i], namesAndValues[i + 1]));
        }
        return new ResponseEdits(status, fields, null);
    }

    private static String tagOf(String response) {
        var found = TAG.matcher(response);
        assertThat(found.find()).as("a weak entity tag in %s", response).isTrue();
        return found.group(1);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Records the outcomes of a page. */
    private final class Told implements PageDelivery.Outcome {
        @Override
        public void omitted(Failure failure) {
            told.add("omitted");
        }

        @Override
        public void problem(CacheKey document, String what) {
            told.add("problem");
        }

        @Override
        public void failed(Failure failure) {
            told.add("failed");
        }

        @Override
        public void ended() {
            told.add("ended");
        }
    }

    /** These pages evaluate nothing. */
    private static final class NothingKnown implements PageInputs {
        @Override
        public Evaluation evaluation(Evaluation.Problems problems) {
            throw new AssertionError("an evaluation");
        }

        @Override
        public Variables variables(CacheKey key) {
            throw new AssertionError(key);
        }
    }

    /** These pages include no fragments. */
    private static final class NoFragments implements FragmentSource<StoredResponse> {
        @Override
        public @Nullable StoredResponse stored(FragmentRequest request) {
            throw new AssertionError(request);
        }

        @Override
        public Fetching fetch(
                FragmentRequest request, Consumer<FragmentAnswer<StoredResponse>> answer) {
            throw new AssertionError(request);
        }

        @Override
        public StoredResponse made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
            return StoredResponse.made(key, bytes, compiled);
        }

        @Override
        public StoredResponse escaped(StoredResponse body, Escape escape) {
            throw new AssertionError(escape);
        }

        @Override
        public void select(
                StoredResponse body, String selector, Consumer<@Nullable StoredResponse> answer) {
            throw new AssertionError(selector);
        }
    }
}
