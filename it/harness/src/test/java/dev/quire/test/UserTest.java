package dev.quire.test;

import static dev.quire.test.SmallApplication.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class UserTest {
    private static final String FORM =
            """
            <form action="/search"><input name=q></form>
            <form method=post action="/login">
              <input type=hidden name=_csrf value=k1><input name=name><input type=password name=word>
              <input type=checkbox name=remember><input type=submit name=go value=in>
            </form>\
            """;

    private final SmallApplication application =
            new SmallApplication()
                    .on(
                            "/login",
                            request -> {
                                var sent = request.body().text();
                                if (request.method().equals("GET")) {
                                    return response(
                                            200, FORM, "Set-Cookie", "SESSION=before; Path=/");
                                }
                                return sent.contains("word=paper+first")
                                        ? response(
                                                302,
                                                "",
                                                "Location",
                                                "/",
                                                "Set-Cookie",
                                                "SESSION=after; Path=/")
                                        : response(302, "", "Location", "/login?error");
                            })
                    .on("/me", request -> response(200, "<p>" + request.field("Cookie") + "</p>"));

    @Test
    void logsInByTheFormThatHasAPassword() {
        var site = application.site();
        var ann = User.user("ann").logsIn("/login", "paper first");

        var page = site.as(ann).get("/me");

        assertThat(page.dom().text()).isEqualTo("SESSION=after");
        assertThat(site.requests())
                .extracting(request -> request.request().toString())
                .containsExactly("GET /login", "POST /login", "GET /me");
        assertThat(site.requests().get(1).request().body().text())
                .isEqualTo("_csrf=k1&name=ann&word=paper+first");
        assertThat(ann.secrets()).containsExactlyInAnyOrder("ann", "paper first");
    }

    @Test
    void logsInOnceAndAgainWhenForgotten() {
        var site = application.site();
        var ann = User.user("ann").logsIn("/login", "paper first");

        site.as(ann).get("/me");
        site.as(ann).get("/me");
        assertThat(site.requests()).hasSize(4);

        site.forget(ann);
        site.as(ann).get("/me");
        assertThat(site.requests()).hasSize(7);
    }

    @Test
    void eachUserHasCookiesOfTheirOwn() {
        var site = application.site();

        site.as(User.user("ann").logsIn("/login", "paper first")).get("/me");

        assertThat(site.as(User.anonymous()).get("/me").dom().text()).isEqualTo("null");
        assertThat(site.as(User.user("bob").withCookie("theme", "dark")).get("/me").dom().text())
                .isEqualTo("theme=dark");
    }

    @Test
    void aWrongPasswordIsSaid() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() ->
                        application
                                .site()
                                .as(User.user("ann").logsIn("/login", "wrong"))
                                .get("/me"))
                .withMessage(
                        "ann cannot log in at /login: expected a page other than the login, found 302 to /login?error");
    }

    @Test
    void aPageWithoutAFormIsSaidAndShown() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() ->
                        application.site().as(User.user("ann").logsIn("/me", "word")).get("/me"))
                .withMessage(
                        "ann cannot log in: expected a form with fields for a name and a password at /me, found 200 \"<p>null</p>\"");
    }
}
