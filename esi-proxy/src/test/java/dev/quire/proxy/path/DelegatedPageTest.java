package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.OneThread.Rules;
import dev.quire.proxy.route.EsiProcessing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages for a surrogate in front that assembles them itself. */
class DelegatedPageTest {
    private static final String CAPABLE = "Surrogate-Capability: cdn=\"Surrogate/1.0 ESI/1.0\"";
    private static final String DOCUMENT = "a" + include("/f") + "b";

    @Test
    void trustedSurrogateGetsThePageAsItCame() {
        try (var proxy = new OneThread(new Rules().trustingClients())) {
            var client = proxy.client();

            client.get("/page", CAPABLE);

            assertThat(proxy.ask("/page").text())
                    .contains(
                            "Surrogate-Capability: cdn=\"Surrogate/1.0 ESI/1.0\","
                                    + " quire=\"Surrogate/1.0 ESI/1.0 Stamp/1.");
            proxy.ask("/page").say(page(DOCUMENT, "ETag: \"1\""));
            assertThat(client.received())
                    .contains("Surrogate-Control: max-age=60, content=\"ESI/1.0\"\r\n")
                    .contains("ETag: \"1\"\r\n")
                    .contains("Content-Length: " + DOCUMENT.length() + "\r\n")
                    .endsWith("\r\n\r\n" + DOCUMENT);
            proxy.asked();

            client.get("/page", CAPABLE);

            assertThat(client.received()).contains("\r\nAge: 0\r\n").endsWith(DOCUMENT);
            assertThat(proxy.asked()).isEmpty();
        }
    }

    /** Closing the proxy checks that. */
    @ParameterizedTest
    @ValueSource(strings = {"X: y", "If-None-Match: \"1\""})
    void storedPageThatCannotBeSentIsReleased(String line) {
        var memory = new ScarceMemory();
        try (var proxy = new OneThread(new Rules().trustingClients())) {
            proxy.alloc = memory;
            var client = proxy.client();
            client.get("/page", CAPABLE);
            proxy.ask("/page").say(page(DOCUMENT, "ETag: \"1\""));
            client.received();
            memory.failsOnce = true;

            client.get("/page", CAPABLE, line);

            assertThat(memory.failsOnce).isFalse();
            assertThat(client.received()).startsWith("HTTP/1.1 500 Internal Server Error\r\n");
        }
    }

    /** An origin may answer otherwise for other capabilities, also without Vary. */
    @ParameterizedTest
    @ValueSource(strings = {"X: y", "Vary: Surrogate-Capability"})
    void responseIsOnlyForClientsWithTheSameCapabilities(String line) {
        var lists =
                new String[] {
                    CAPABLE,
                    "X: y",
                    "Surrogate-Capability: cdn=\"Surrogate/1.0\"",
                    CAPABLE + ", a=b"
                };
        try (var proxy = new OneThread(new Rules().trustingClients())) {
            proxy.stored("/f", ok("F", "Cache-Control: max-age=60"));
            var client = proxy.client();
            for (int i = 0; i < lists.length; i++) {
                client.get("/page", lists[i]);
                proxy.ask("/page").say(page(i + DOCUMENT, line));
                client.received();
            }
            proxy.asked();

            for (int i = 0; i < lists.length; i++) {
                client.get("/page", lists[i]);

                boolean isDelegated = lists[i].contains("ESI/1.0");
                assertThat(client.received())
                        .endsWith("\r\n\r\n" + i + (isDelegated ? DOCUMENT : "aFb"));
            }
            assertThat(proxy.asked()).isEmpty();
        }
    }

    /** Its fragments are ours to assemble: their requests have our capability alone. */
    @Test
    void fragmentsAreSharedWhateverTheClientOfThePageAnnounces() {
        try (var proxy = new OneThread(new Rules().trustingClients())) {
            var client = proxy.client();
            client.get("/page", "Surrogate-Capability: cdn=\"Surrogate/1.0\"");
            proxy.ask("/page").say(page(DOCUMENT));
            assertThat(proxy.ask("/f").text()).doesNotContain("cdn=");
            proxy.ask("/f").say(ok("F", "Cache-Control: max-age=60"));
            proxy.asked();

            client.get("/f");

            assertThat(client.received()).endsWith("\r\n\r\nF");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void capabilitiesOfATrustedSurrogateAreKeptEvenIfItDoesNotAssemble() {
        try (var proxy = new OneThread(new Rules().trustingClients())) {
            proxy.client().get("/page", "Surrogate-Capability: cdn=\"Surrogate/1.0\"");

            assertThat(proxy.ask("/page").text())
                    .contains(
                            "Surrogate-Capability: cdn=\"Surrogate/1.0\","
                                    + " quire=\"Surrogate/1.0 ESI/1.0 Stamp/1.");
        }
    }

    @Test
    void privatePageIsPassedOnAsItCameToo() {
        try (var proxy = new OneThread(new Rules().trustingClients())) {
            var client = proxy.client();

            client.get("/page", CAPABLE);
            proxy.ask("/page")
                    .say(
                            ok(
                                    DOCUMENT,
                                    "Content-Type: text/html",
                                    "Cache-Control: private",
                                    "Surrogate-Control: content=\"ESI/1.0\""));

            assertThat(client.received())
                    .contains("Surrogate-Control: content=\"ESI/1.0\"\r\n")
                    .endsWith("\r\n\r\n" + DOCUMENT);
        }
    }

    @Test
    void copyOfASurrogateIsValidatedByThePagesOwnTag() {
        try (var proxy = new OneThread(new Rules().trustingClients())) {
            var client = proxy.client();
            client.get("/page", CAPABLE);
            proxy.ask("/page").say(page(DOCUMENT, "ETag: \"1\""));
            client.received();

            client.get("/page", CAPABLE, "If-None-Match: \"1\"");

            assertThat(client.received()).startsWith("HTTP/1.1 304 ");
        }
    }

    @Test
    void nothingIsDelegatedWhereThereIsNoEsi() {
        try (var proxy = new OneThread(new Rules().trustingClients().esi(EsiProcessing.OFF))) {
            proxy.client().get("/page", CAPABLE);

            assertThat(proxy.ask("/page").text()).doesNotContain("Surrogate-Capability");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {CAPABLE, "Surrogate-Capability: x", "X: y"})
    void strangerNeverGetsTheTemplate(String line) {
        try (var proxy = new OneThread()) {
            proxy.stored("/f", ok("F", "Cache-Control: max-age=60"));
            var client = proxy.client();

            client.get("/page", line);

            assertThat(proxy.ask("/page").text())
                    .containsOnlyOnce("Surrogate-Capability")
                    .doesNotContain("cdn");
            proxy.ask("/page").say(page(DOCUMENT));
            assertThat(client.received()).doesNotContain("Surrogate-").endsWith("aFb");
        }
    }
}
