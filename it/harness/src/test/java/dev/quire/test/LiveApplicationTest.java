package dev.quire.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.http.Fields;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Request;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Applications called over real connections. */
class LiveApplicationTest {
    private final Origin origin = Origin.start();
    private final Application application = Application.at(origin.url());

    @AfterEach
    void stop() {
        origin.close();
    }

    @Test
    void replyIsWithoutWhatSpeaksOfTheConnection() {
        origin.on("/a", Answer.html("A").chunked().field("Keep-Alive", "timeout=5"));

        assertThat(application.answer(get("/a")))
                .isInstanceOfSatisfying(
                        Reply.Whole.class,
                        whole -> {
                            assertThat(whole.response().text()).isEqualTo("A");
                            assertThat(whole.response().fields().contains("Keep-Alive")).isFalse();
                            assertThat(whole.response().fields().contains("Transfer-Encoding"))
                                    .isFalse();
                            assertThat(whole.response().field("Content-Type"))
                                    .isEqualTo("text/html;charset=utf-8");
                        });
    }

    @Test
    void headKeepsTheLengthThatItSpeaksOf() {
        origin.on("/a", Answer.html("four"));

        var reply = application.answer(new Request("HEAD", "/a", host(), noBody()));

        assertThat(reply)
                .isInstanceOfSatisfying(
                        Reply.Whole.class,
                        whole ->
                                assertThat(whole.response().field("Content-Length"))
                                        .isEqualTo("4"));
    }

    @Test
    void answerThatBreaksOffIsNone() {
        origin.on("/cut", Answer.html("four").cutAfter(2));
        origin.on("/nothing", Answer.nothing());

        assertThat(application.answer(get("/cut"))).isInstanceOf(Reply.None.class);
        assertThat(application.answer(get("/nothing")).status()).isZero();
    }

    @Test
    void replyThatNobodyWaitsForEnds() throws Exception {
        origin.on("/slow", Answer.html("S")).hold("/slow");
        var recorded = new RecordedApplication(application);
        var asking = new FutureTask<>(() -> recorded.answer(get("/slow")));
        var thread = Thread.ofVirtual().start(asking);
        var request = origin.awaitRequest("/slow");

        thread.interrupt();

        assertThat(asking.get(20, TimeUnit.SECONDS))
                .isEqualTo(new Reply.None("the client did not wait for it"));
        assertThat(recorded.since(0)).hasSize(1);
        request.awaitAbandoned();
    }

    @Test
    void slowRepliesHurryWhenTheSiteEnds() throws Exception {
        origin.on("/slow", Answer.html("S"));
        var recorded = new RecordedApplication(application);
        recorded.faults(Faults.none().slow("/slow", Duration.ofHours(1)));
        var asking = new FutureTask<>(() -> recorded.answer(get("/slow")));
        Thread.ofVirtual().start(asking);
        origin.awaitRequest("/slow");

        recorded.hurry();

        assertThat(asking.get(20, TimeUnit.SECONDS).status()).isEqualTo(200);
    }

    @Test
    void whereNobodyListensIsNoApplication() {
        origin.goDown();

        assertThatThrownBy(() -> application.answer(get("/")))
                .isInstanceOf(AssertionError.class)
                .hasMessage(
                        "nothing listens at %s: start the application and check its port (expected http://HOST:PORT of a running application, for example of @LocalServerPort)",
                        origin.url());
        origin.comeUp();
    }

    @Test
    void hostWithoutAnAddressIsNoApplication() {
        var nowhere = Application.at(URI.create("http://no-such-host.invalid:8080"));

        assertThatThrownBy(() -> nowhere.answer(get("/")))
                .isInstanceOf(AssertionError.class)
                .hasMessage(
                        "unknown host no-such-host.invalid (expected the host of http://no-such-host.invalid:8080 to resolve)");
    }

    @Test
    void otherSchemesAreNoApplication() {
        assertThatThrownBy(() -> Application.at(URI.create("https://news.test")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "cannot ask an application at 'https://news.test' (expected http://HOST:PORT, for example of @LocalServerPort)");
    }

    private Request get(String target) {
        return new Request("GET", target, host(), noBody());
    }

    private Fields host() {
        return Fields.of("Host", application.authority());
    }

    private static Content noBody() {
        return Content.of(new byte[0]);
    }
}
