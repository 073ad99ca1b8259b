package dev.quire.test;

import static dev.quire.test.EsiAssertions.assertThat;
import static dev.quire.test.User.anonymous;
import static dev.quire.test.User.user;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.SignedVariant;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class VariantSignatureTest {
    private static final String SECRET = "a secret with \"quotes\" and \\ in it";
    private static final SignedVariant.Key KEY = new SignedVariant.Key("kind", SECRET);

    /** Greets each kind of reader, and signs the variant cookie. */
    private record Shop() implements Application {
        @Override
        public String authority() {
            return "shop.example";
        }

        @Override
        public Reply answer(Request request) {
            var html = "<p>" + request.field(SignedVariant.FIELD) + "</p>";
            return new Reply.Whole(
                    new Response(
                            "HTTP/1.1",
                            200,
                            Fields.of(
                                    "Content-Type",
                                    "text/html;charset=utf-8",
                                    "Surrogate-Control",
                                    "max-age=60",
                                    "Vary",
                                    SignedVariant.FIELD),
                            Content.of(html.getBytes(UTF_8)),
                            List.of(),
                            true));
        }

        @Override
        public Optional<VariantSignature> variants() {
            return Optional.of(new VariantSignature("kind", SECRET));
        }
    }

    static Stream<Assembling> assembling() {
        return Stream.of(Assembling.PROXY, Assembling.proxy(setup -> setup));
    }

    @ParameterizedTest
    @MethodSource("assembling")
    void pageIsKeptOnceForEachKindOfReader(Assembling assembling) {
        var member = user("first").withCookie("kind", signed("member"));
        try (var site = EsiSite.over(new Shop()).assembledBy(assembling)) {
            assertThat(site.as(member).get("/")).contains("login:member").document().wasMiss();
            assertThat(site.as(user("other").withCookie("kind", signed("member"))).get("/"))
                    .contains("login:member")
                    .document()
                    .wasHit();
            assertThat(site.as(user("boss").withCookie("kind", signed("editor"))).get("/"))
                    .contains("login:editor")
                    .document()
                    .wasMiss();
        }
    }

    @ParameterizedTest
    @MethodSource("assembling")
    void nobodyChoosesTheirVariant(Assembling assembling) {
        try (var site = EsiSite.over(new Shop()).assembledBy(assembling)) {
            assertThat(site.as(anonymous()).get("/")).contains("<p>none</p>");
            assertThat(site.get("/", SignedVariant.FIELD, "login:editor")).contains("<p>none</p>");
            for (var cookie : List.of("login:editor.9999999999.mac", signed("editor") + "x")) {
                assertThat(site.as(user("odd").withCookie("kind", cookie)).get("/"))
                        .contains("<p>none</p>")
                        .document()
                        .wasHit();
            }
            var two =
                    user("twice")
                            .withCookie("kind", signed("editor"))
                            .withCookie("kind", signed("member"));
            assertThat(site.as(two).get("/")).contains("<p>none</p>");
        }
    }

    @Test
    void secretIsNotShown() {
        assertThat(new Shop().variants().orElseThrow()).hasToString("signature of kind");
    }

    private static String signed(String login) {
        Instant expires = InstantSource.system().instant().plusSeconds(3600);
        return KEY.sign(SignedVariant.of(Map.of("login", login), expires));
    }
}
