package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.noonPlus;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses to a POST that may serve later GETs. */
class Rfc9110Section9_3_3Test {
    private static final RequestHead POST = post("news.example", "/dir/poll?id=1");

    @May
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/dir/poll?id=1",
                "poll?id=1",
                "../dir/poll?id=1",
                "//news.example/dir/poll?id=1",
                "//NEWS.example:80/dir/poll?id=1",
                "http://news.example/dir/poll?id=1",
                "HTTP://news.example:/dir/poll?id=1"
            })
    void answerThatSaysItIsTheTargetAndHowLongIsKept(String location) {
        assertThat(answered(POST, "Cache-Control", "max-age=60", "Content-Location", location))
                .isInstanceOf(StorageDecision.Keep.class);
    }

    @Must
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/dir/poll",
                "/dir/poll?id=2",
                "/dir/POLL?id=1",
                "/dir/poll?id=1#top",
                "//other.example/dir/poll?id=1",
                "//news.example:8080/dir/poll?id=1",
                "//me@news.example/dir/poll?id=1",
                "https://news.example/dir/poll?id=1",
                "mailto:poll@news.example",
                "http:",
                "/dir/p%oll?id=1",
                "/dir/po ll",
                "http://[::",
                "",
                "%"
            })
    void answerThatIsOfAnythingElseIsNot(String location) {
        assertThat(answered(POST, "Cache-Control", "max-age=60", "Content-Location", location))
                .isEqualTo(new StorageDecision.Refuse(StorageRefusal.METHOD));
    }

    @Must
    @Test
    void rootIsTheTargetWithOrWithoutItsPath() {
        var root = post("news.example", "/");

        assertThat(
                        answered(
                                root,
                                "Cache-Control",
                                "max-age=60",
                                "Content-Location",
                                "http://news.example"))
                .isInstanceOf(StorageDecision.Keep.class);
    }

    @Must
    @Test
    void lifetimeMustBeExplicit() {
        assertThat(
                        answered(
                                POST,
                                "Last-Modified",
                                noonPlus(-100_000),
                                "Content-Location",
                                "/dir/poll?id=1"))
                .isEqualTo(new StorageDecision.Refuse(StorageRefusal.METHOD));
        assertThat(
                        answered(
                                POST,
                                "Cache-Control",
                                "max-age=0",
                                "ETag",
                                "\"1\"",
                                "Content-Location",
                                "/dir/poll?id=1"))
                .isEqualTo(new StorageDecision.Refuse(StorageRefusal.METHOD));
    }

    @Must
    @Test
    void answerWithoutContentLocationIsNotKept() {
        assertThat(answered(POST, "Cache-Control", "max-age=60"))
                .isEqualTo(new StorageDecision.Refuse(StorageRefusal.METHOD));
    }

    @Must
    @ParameterizedTest
    @ValueSource(ints = {201, 204, 303, 404})
    void onlyA200IsKept(int status) {
        var answer =
                Arriving.with("Cache-Control", "max-age=60", "Content-Location", "/dir/poll?id=1")
                        .to(POST)
                        .status(status);

        assertThat(answer.refusal()).isEqualTo(StorageRefusal.METHOD);
    }

    @Must
    @Test
    void whatForbidsKeepingTheAnswerToAGetForbidsItHereToo() {
        assertThat(
                        answered(
                                POST,
                                "Cache-Control",
                                "max-age=60, no-store",
                                "Content-Location",
                                "/dir/poll?id=1"))
                .isEqualTo(new StorageDecision.Refuse(StorageRefusal.NO_STORE));
    }

    private static RequestHead post(String authority, String target) {
        return new RequestHead("POST", Scheme.HTTP, authority, target, Fields.EMPTY);
    }

    private static StorageDecision answered(RequestHead request, String... namesAndValues) {
        return Arriving.with(namesAndValues).to(request).storing();
    }
}
