package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.policy.SignedVariant;
import dev.quire.spring.internal.settings.VariantsProperties;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Public responses that vary between groups of users. */
@SpringBootTest(
        classes = Club.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.guard.debug=true",
            "quire.variants.secret=" + Club.SECRET,
            "quire.variants.roles=ADMIN,CHIEF_EDITOR"
        })
class DeclaredVariantsTest {

    private static final SignedVariant.Key KEY = new SignedVariant.Key("esi-variant", Club.SECRET);

    @LocalServerPort private int port;
    private Visitor surrogate;
    private Member ann;
    private Member bob;

    @BeforeEach
    void comeBehindASurrogate() {
        surrogate = Visitor.of(port).behindSurrogate();
        ann = new Member(surrogate);
        bob = new Member(surrogate);
    }

    private static String variant(Member reader) {
        return KEY.verify(reader.cookies().getOrDefault("esi-variant", ""), Instant.now())
                .orElseThrow()
                .payload();
    }

    private static void isPublic(HttpResponse<String> response, String body) {
        assertThat(response.body()).isEqualTo(body);
        assertThat(response.headers().firstValue("X-Quire-Guard")).isEmpty();
        assertThat(field(response, "Surrogate-Control")).startsWith("max-age=60");
        assertThat(response.headers().allValues("Vary").toString()).contains("Esi-Variant");
    }

    private static void isPrivate(HttpResponse<String> response, String body, String reason) {
        assertThat(response.body()).isEqualTo(body);
        assertThat(field(response, "X-Quire-Guard")).isEqualTo(reason);
        assertThat(field(response, "Cache-Control")).isEqualTo("private, no-store");
    }

    @Test
    void eachVariantIsPublicForItsReaders() {
        ann.login("ann", "1");
        bob.login("bob", "2");

        isPublic(surrogate.with("Esi-Variant", "none").get("/greeting"), "hello anonymous");
        isPublic(ann.get("/greeting", "Esi-Variant", variant(ann)), "hello member");
        isPublic(ann.get("/desk", "Esi-Variant", variant(ann)), "desk of none");
        isPublic(bob.get("/desk", "Esi-Variant", variant(bob)), "desk of chief-editor");
    }

    @Test
    void theCookieSaysWhoHasLoggedInAndGoesWithTheLogout() {
        ann.login("ann", "1");
        bob.login("bob", "2");

        assertThat(variant(ann)).isEqualTo("edition:home_login:member_role:none");
        assertThat(variant(bob)).isEqualTo("edition:home_login:member_role:chief-editor");
        ann.send("POST", "/logout?_csrf=" + Member.token(ann.get("/_esi/csrf").body()));
        assertThat(ann.cookies()).doesNotContainKey("esi-variant");
    }

    @Test
    void theCookieIsForNobodysEyes() {
        var set =
                new Member(Visitor.of(port))
                        .login("ann", "1").headers().allValues("Set-Cookie").stream()
                                .filter(line -> line.startsWith("esi-variant="))
                                .findFirst()
                                .orElseThrow();

        assertThat(set)
                .contains("; Path=/", "; HttpOnly", "; SameSite=Lax")
                .doesNotContain("Max-Age", "Secure");
    }

    @Test
    void whatTheCacheInFrontDoesNotTellApartIsPrivate() {
        isPrivate(surrogate.get("/greeting"), "hello anonymous", "variant-not-normalised");
        isPrivate(
                surrogate.with("Esi-Variant", "login:member,").get("/greeting"),
                "hello anonymous",
                "variant-not-normalised");
    }

    @Test
    void whatTheCacheInFrontTakesForAnotherVariantIsPrivateAndTrue() {
        isPrivate(
                surrogate.with("Esi-Variant", "login:member").get("/greeting"),
                "hello anonymous",
                "variant-differs");
    }

    @Test
    void onlyDeclaredVariantsMatter() {
        ann.login("ann", "1");

        isPublic(
                ann.get("/greeting", "Esi-Variant", "edition:world_login:member_role:admin"),
                "hello member");
        isPrivate(
                ann.get("/desk", "Esi-Variant", "login:member_role:admin"),
                "desk of none",
                "variant-differs");
    }

    @Test
    void viewsFindTheirVariantInTheModel() {
        ann.login("ann", "1");

        isPublic(ann.get("/view", "Esi-Variant", "login:member"), "<p>member</p>\n");
    }

    @Test
    void theNameOfTheReaderIsNoVariant() {
        ann.login("ann", "1");

        isPrivate(
                ann.get("/by-name", "Esi-Variant", "login:member"), "hello ann", "principal-read");
    }

    @Test
    void anotherResolversVariantCounts() {
        var reader = new Member(surrogate.with("X-Edition", "world"));

        reader.login("ann", "1");

        assertThat(variant(reader)).startsWith("edition:world_login:member");
    }

    @Test
    void aCookieThatEndsSoonIsRenewedByThePageAndNotByItsFragments() {
        ann.login("ann", "1");
        var old =
                KEY.sign(
                        SignedVariant.of(Map.of("login", "member"), Instant.now().plusSeconds(60)));
        ann.cookies().put("esi-variant", old);

        ann.get("/greeting", "X-ESI-Level", "1");
        assertThat(ann.cookies()).containsEntry("esi-variant", old);
        var page = ann.get("/form");

        assertThat(variant(ann)).isEqualTo("edition:home_login:member_role:none");
        isPrivate(page, page.body(), "set-cookie");
        assertThat(ann.get("/form").headers().firstValue("Set-Cookie")).isEmpty();
    }

    @Test
    void aCookieThatIsNoLongerTrueIsCorrectedByTheNextPage() {
        ann.login("ann", "1");
        var asMember = ann.cookies().get("esi-variant");
        ann.cookies().remove("JSESSIONID");

        ann.get("/form");
        assertThat(ann.cookies()).doesNotContainKey("esi-variant");

        bob.login("bob", "2");
        bob.cookies().put("esi-variant", Objects.requireNonNull(asMember));
        bob.get("/form");
        assertThat(variant(bob)).isEqualTo("edition:home_login:member_role:chief-editor");
    }

    @Test
    void whoHasNoCookieYetGetsOneWithTheNextPage() {
        ann.login("ann", "1");
        ann.cookies().remove("esi-variant");

        ann.get("/form");

        assertThat(variant(ann)).isEqualTo("edition:home_login:member_role:none");
        assertThat(bob.get("/form").headers().firstValue("Set-Cookie")).isEmpty();
    }

    @Test
    void whatIsNotDeclaredIsNotTold() {
        isPublic(
                surrogate.with("Esi-Variant", "role:admin").get("/asked-for-desk"),
                "variant login:anonymous");
        isPrivate(
                surrogate.with("Esi-Variant", "login:member").get("/reads-the-field"),
                "field login:member",
                "cookie-read");
    }

    @Test
    void aForgedCookieIsReplacedByTheTruth() {
        ann.cookies().put("esi-variant", "login:member.99999999999.forged");

        ann.get("/form");

        assertThat(ann.cookies()).doesNotContainKey("esi-variant");
    }

    @Test
    void assembledInTheApplicationEachReaderGetsTheirVariant() {
        ann = new Member(Visitor.of(port));
        assertThat(ann.get("/page").body()).isEqualTo("[hello anonymous]");

        ann.login("ann", "1");

        assertThat(ann.get("/page").body()).isEqualTo("[hello member and your scraps]");
    }

    /** As left by a property placeholder with an unset variable. */
    @Test
    void anEmptySecretIsNone() {
        assertThat(new VariantsProperties("v", "", Duration.ofHours(1), List.of()).secret())
                .isNull();
    }
}
