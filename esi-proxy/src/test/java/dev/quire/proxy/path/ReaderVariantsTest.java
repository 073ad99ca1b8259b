package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.policy.SignedVariant;
import dev.quire.proxy.path.OneThread.Rules;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/caching.md, Variants: a reader gets the variant that the application has signed. */
class ReaderVariantsTest {
    private static final SignedVariant.Key KEY =
            new SignedVariant.Key("esi-variant", "0123456789abcdef0123456789abcdef");
    private static final String[] VARYING = {"Cache-Control: max-age=60", "Vary: Esi-Variant"};

    private static String cookie(String login, Instant expires) {
        var variant = SignedVariant.of(Map.of("login", login), expires);
        return "Cookie: a=b; esi-variant=" + KEY.sign(variant);
    }

    private static String member() {
        return cookie("member", OneThread.NOON.plusSeconds(600));
    }

    @Test
    void eachVariantOfAFragmentIsAHitOfItsOwn() {
        try (var proxy = new OneThread(new Rules().variants(KEY))) {
            var client = proxy.client();
            client.get("/f", member());
            assertThat(proxy.ask("/f").text()).contains("Esi-Variant: login:member\r\n");
            proxy.ask("/f").say(ok("M", VARYING));
            assertThat(client.received())
                    .contains("Vary: Cookie\r\n")
                    .doesNotContain("Esi-Variant")
                    .endsWith("M");
            client.get("/f");
            assertThat(proxy.ask("/f").text()).contains("Esi-Variant: none\r\n");
            proxy.ask("/f").say(ok("A", VARYING));
            assertThat(client.received()).endsWith("A");
            proxy.asked();

            client.get("/f", member());
            assertThat(client.received()).endsWith("M");
            client.get("/f", cookie("member", OneThread.NOON.plusSeconds(900)));
            assertThat(client.received()).endsWith("M");
            client.get("/f", "Cookie: other=1");
            assertThat(client.received()).endsWith("A");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void faultBeforeTheRequestIsRoutedIsAnsweredToo() {
        try (var proxy = new OneThread(new Rules().variants(KEY).sendingIds())) {
            var client = proxy.client();
            proxy.atWall =
                    () -> {
                        proxy.atWall = () -> {};
                        throw new IllegalStateException("expected a clock");
                    };

            client.get("/f", member());

            assertThat(client.received()).startsWith("HTTP/1.1 500 Internal Server Error\r\n");
            assertThat(proxy.asked()).isEmpty();
            assertThat(proxy.open()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Esi-Variant: login:member",
                "Cookie: esi-variant=login:member",
                "Cookie: esi-variant=login:member.9999999999.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "Cookie: ESI-VARIANT=%s",
                "Cookie: esi-variant=%s; esi-variant=%s",
                "Cookie: esi-variant=%sx",
                "Cookie: esi-variant="
            })
    void whoHasNoValidCookieIsNobody(String line) {
        var signed = member().substring(member().lastIndexOf('=') + 1);
        try (var proxy = new OneThread(new Rules().variants(KEY))) {
            proxy.client().get("/f", line.replace("%s", signed));

            assertThat(proxy.ask("/f").text())
                    .containsOnlyOnce("Esi-Variant:")
                    .contains("Esi-Variant: none\r\n");
        }
    }

    @Test
    void cookieIsBelievedUntilItExpires() {
        try (var proxy = new OneThread(new Rules().variants(KEY))) {
            var cookie = cookie("member", OneThread.NOON.plusSeconds(5));
            var client = proxy.client();
            client.get("/f", cookie);
            proxy.ask("/f").say(ok("M", VARYING));
            assertThat(client.received()).endsWith("M");
            proxy.leap(Duration.ofSeconds(6));

            client.get("/f", cookie);

            assertThat(proxy.ask("/f").text()).contains("Esi-Variant: none\r\n");
        }
    }

    @Test
    void pageOfAVariantIsNothingABrowserMayReuseForAnotherLogin() {
        try (var proxy = new OneThread(new Rules().variants(KEY))) {
            var client = proxy.client();
            client.get("/page", member());
            proxy.ask("/page").say(page("a" + include("/f"), "Cache-Control: public, max-age=60"));
            assertThat(proxy.ask("/f").text()).contains("Esi-Variant: login:member\r\n");

            proxy.ask("/f").say(ok("M", VARYING));

            assertThat(client.received())
                    .contains("Cache-Control: private, no-cache\r\n")
                    .doesNotContain("Esi-Variant")
                    .endsWith("aM");
        }
    }

    @Test
    void anotherHostIsNotTold() {
        try (var proxy = new OneThread(new Rules().variants(KEY))) {
            proxy.client().get("/page", member());
            proxy.ask("/page").say(page(include("http://partner.test/f")));

            assertThat(proxy.ask("/f").text()).doesNotContain("Esi-Variant");
        }
    }

    @Test
    void readerCannotHaveItTakenOff() {
        try (var proxy = new OneThread(new Rules().variants(KEY))) {
            var client = proxy.client();

            client.get("/f", member(), "Connection: Esi-Variant");

            assertThat(client.received()).startsWith("HTTP/1.1 400 ");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void withoutASecretNobodySaysAnything() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/f", "Esi-Variant: login:member", member());
            assertThat(proxy.ask("/f").text()).doesNotContain("Esi-Variant");
            proxy.ask("/f").say(ok("same", VARYING));
            client.received();
            proxy.asked();

            client.get("/f", "Esi-Variant: login:admin");

            assertThat(client.received()).endsWith("same");
            assertThat(proxy.asked()).isEmpty();
        }
    }
}
