package dev.quire.test.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.test.Application;
import dev.quire.test.Reply;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.web.servlet.MockMvc;

/** Requests one application over MockMvc and over its port: the responses are the same. */
class MockMvcApplicationTest {
    private static final Pattern SESSION =
            Pattern.compile("JSESSIONID=([0-9A-F]{32}); Path=/; HttpOnly");

    private static TestContext test;
    private static MockMvcApplication mvc;
    private static Application live;

    @SpringBootTest(
            classes = Workshop.class,
            webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
            properties = "server.address=127.0.0.1")
    @AutoConfigureMockMvc
    static class BothWays {}

    @BeforeAll
    static void start() {
        test = new TestContextManager(BothWays.class).getTestContext();
        var context = test.getApplicationContext();
        mvc = new MockMvcApplication(context.getBean(MockMvc.class));
        live =
                Application.at(
                        URI.create(
                                "http://127.0.0.1:"
                                        + context.getEnvironment()
                                                .getProperty("local.server.port")));
    }

    @AfterAll
    static void stop() {
        test.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
    }

    private static Request get(String target, String... fields) {
        return request("GET", target, "", fields);
    }

    private static Request request(String method, String target, String body, String... fields) {
        return new Request(method, target, Fields.of(fields), Content.of(body.getBytes(UTF_8)));
    }

    private static Response ask(Application application, Request request) {
        var fields =
                new Fields.Builder()
                        .add("Host", application.authority())
                        .addAll(request.fields())
                        .build();
        var reply = application.answer(request.with(fields));
        assertThat(reply).isInstanceOf(Reply.Whole.class);
        return ((Reply.Whole) reply).response();
    }

    private static Response sameBothWays(Request request) {
        var over = ask(mvc, request);
        assertThat(seen(over)).isEqualTo(seen(ask(live, request)));
        return over;
    }

    /** The parts of a response that a reader sees, without times, session names and the port. */
    private static List<String> seen(Response response) {
        var all = new ArrayList<String>();
        all.add(String.valueOf(response.status()));
        response.fields()
                .without(name -> name.equalsIgnoreCase("Date"))
                .forEach((name, value) ->
                        all.add(
                                name
                                        + ": "
                                        + SESSION.matcher(value)
                                                .replaceAll("JSESSIONID")
                                                .replaceAll("localhost|127.0.0.1:\\d+", "HOST")));
        all.sort(null);
        all.add(response.text());
        return all;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/echo/a",
                "/echo/a%20b?of=1&of=2+3&x=%C3%A9",
                "/echo/%E2%82%AC?of=",
                "/cookies",
                "/sends/404",
                "/sends/503?why=me",
                "/empty/404",
                "/empty/304",
                "/empty/204",
                "/no/such/place",
                "/throws",
                "/moves",
                "/passes",
                "/deferred",
                "/callable",
                "/callable/throws",
                "/page",
                "/form"
            })
    void readerCannotTellMockMvcFromTheServer(String target) {
        sameBothWays(
                get(
                        target,
                        "X-Many",
                        "1",
                        "X-Many",
                        "2",
                        "Cookie",
                        "taste=sour; other=1",
                        "Accept-Language",
                        "ko-KR,en;q=0.5",
                        "Surrogate-Capability",
                        "quire=\"Surrogate/1.0 ESI/1.0\""));
    }

    @Test
    void bodiesAreRead() {
        var type = "application/x-www-form-urlencoded";

        var form =
                sameBothWays(request("POST", "/form?number=7", "text=a+%26", "Content-Type", type));
        var bytes = sameBothWays(request("POST", "/bytes", "12345", "Content-Type", "text/x"));

        assertThat(form.text()).isEqualTo("a &7");
        assertThat(bytes.text()).isEqualTo("text/x5");
    }

    @Test
    void whatIsNoAddressIsABadRequest() {
        assertThat(ask(live, get("/%zz")).status()).isEqualTo(400);
        assertThat(ask(mvc, get("/%zz")).status()).isEqualTo(400);
    }

    @Test
    void headHasNoBody() {
        var response = ask(mvc, request("HEAD", "/echo/a", ""));

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEmpty();
    }

    @Test
    void streamIsReadToItsEnd() {
        assertThat(ask(mvc, get("/stream")).text()).hasSize(20_000);
    }

    @Test
    void whatComesBehindTheHeadIsLost() {
        var response = ask(mvc, get("/late"));

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("sent");
        assertThat(response.field("X-Late")).isNull();
    }

    @Test
    void answerThatBreaksBehindItsHeadIsCut() {
        var reply = mvc.answer(get("/breaks", "Host", "localhost"));

        assertThat(reply).isInstanceOf(Reply.Cut.class);
        assertThat(((Reply.Cut) reply).bytes()).isPositive();
    }

    @Test
    void sessionsHaveCookiesThatNobodyGuesses() {
        var first = sameBothWays(get("/count"));
        var id = session(first);
        var second = ask(mvc, get("/count", "Cookie", "JSESSIONID=" + id));
        var other = ask(mvc, get("/count"));
        var unknown = sameBothWays(get("/count", "Cookie", "JSESSIONID=nobody's"));

        assertThat(first.text()).isEqualTo("1 true");
        assertThat(second.text()).isEqualTo("2 false");
        assertThat(second.field("Set-Cookie")).isNull();
        assertThat(session(other)).isNotEqualTo(id);
        assertThat(unknown.text()).isEqualTo("1 true");
    }

    @Test
    void renamedSessionIsKnownByItsNewNameAlone() {
        var id = session(ask(mvc, get("/count")));

        var renamed = session(ask(mvc, get("/rename", "Cookie", "JSESSIONID=" + id)));

        assertThat(renamed).isNotEqualTo(id);
        assertThat(ask(mvc, get("/count", "Cookie", "JSESSIONID=" + renamed)).text())
                .isEqualTo("2 false");
        assertThat(ask(mvc, get("/count", "Cookie", "JSESSIONID=" + id)).text())
                .isEqualTo("1 true");
    }

    @Test
    void endedSessionIsNoMore() {
        var id = session(ask(mvc, get("/count")));

        ask(mvc, get("/leave", "Cookie", "JSESSIONID=" + id));

        assertThat(ask(mvc, get("/count", "Cookie", "JSESSIONID=" + id)).text())
                .isEqualTo("1 true");
    }

    @Test
    void whatMockMvcCannotShowSaysWhatCan() {
        assertThat(mvc.answer(get("/jsp", "Host", "localhost")))
                .isEqualTo(
                        new Reply.None(
                                "MockMvc does not render JSPs: /WEB-INF/page.jsp (test over a port: @AutoConfigureEsi(mode = LIVE) or PROXY)"));
    }

    private static String session(Response response) {
        var cookie = SESSION.matcher(Objects.requireNonNull(response.field("Set-Cookie")));
        assertThat(cookie.matches()).isTrue();
        return Objects.requireNonNull(cookie.group(1));
    }
}
