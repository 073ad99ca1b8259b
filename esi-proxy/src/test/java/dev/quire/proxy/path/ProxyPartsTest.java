package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.policy.SignedVariant;
import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.path.OneThread.Rules;
import dev.quire.proxy.route.EsiProcessing;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several generations of the configuration with one store. */
class ProxyPartsTest {
    private static final String PAGE =
            ok("<p>" + include("/part"), "Content-Type: text/html", "Cache-Control: no-store");
    private static final String PART = ok("part", "Cache-Control: no-store");

    @TempDir private Path directory;

    /** They remove each other's records from the store. */
    @Test
    void proxiesWithOtherLimitsOrKeysOfRecordsHaveAnotherHash() throws Exception {
        Files.writeString(directory.resolve("key"), "0123456789abcdefghijkl");
        Files.writeString(directory.resolve("other"), "1123456789abcdefghijkl");
        var one = storedBy("max-object: 256KiB");

        assertThat(storedBy("timeout: 30ms")).isEqualTo(one);
        assertThat(storedBy("max-object: 1MiB")).isNotEqualTo(one);
        assertThat(storedBy("key-file: key"))
                .isNotEqualTo(one)
                .isNotEqualTo(storedBy("key-file: other"));
    }

    private RecordHash storedBy(String shared) throws Exception {
        var yaml = "shared: { servers: [\"store:6379\"], " + shared + " }\n";
        var file = Files.writeString(directory.resolve("quire.yml"), yaml);
        return ProxyParts.storedBy(Configuration.check(file));
    }

    @Test
    void requestKeepsTheGenerationItBeganWith() {
        try (var proxy = new OneThread(new Rules().esi(EsiProcessing.ON))) {
            var before = proxy.client().get("/before");

            proxy.replace(new Rules().esi(EsiProcessing.OFF));
            var after = proxy.client().get("/after");
            proxy.ask("/before").say(PAGE);
            proxy.ask("/after").say(PAGE);

            assertThat(after.received()).endsWith("<p>" + include("/part"));
            assertThat(proxy.open()).isEqualTo(1);
            proxy.ask("/part").say(PART);
            assertThat(before.received()).contains("<p>").contains("part").doesNotContain("esi:");
            assertThat(proxy.open()).isZero();
        }
    }

    @Test
    void connectionThatIsKeptGoesOnWithTheNewGeneration() {
        try (var proxy = new OneThread(new Rules().esi(EsiProcessing.ON))) {
            var client = proxy.client().get("/first");
            proxy.ask("/first").say(ok("first", "Cache-Control: no-store"));

            proxy.replace(new Rules().esi(EsiProcessing.OFF));
            client.get("/second");
            proxy.ask("/second").say(PAGE);

            assertThat(client.received()).endsWith("<p>" + include("/part"));
        }
    }

    @Test
    void whatIsStoredServesAllGenerations() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("stored", "Cache-Control: max-age=60"));

            proxy.replace(new Rules());
            var client = proxy.client().get("/a");

            assertThat(client.received()).endsWith("\r\n\r\nstored");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    /** The next generation may use another origin, or other rules for responses. */
    @Test
    void fetchIsSharedWithinAGenerationOnly() {
        try (var proxy = new OneThread()) {
            var before = proxy.client().get("/a");

            proxy.replace(new Rules());
            var after = proxy.client().get("/a");
            var another = proxy.client().get("/a");
            var asked = proxy.questions();
            assertThat(asked).hasSize(2);
            asked.getFirst().say(ok("old", "Cache-Control: max-age=60"));
            assertThat(after.received()).isEmpty();
            asked.getLast().say(ok("new", "Cache-Control: max-age=60"));

            assertThat(before.received()).endsWith("\r\n\r\nold");
            assertThat(after.received()).endsWith("\r\n\r\nnew");
            assertThat(another.received()).endsWith("\r\n\r\nnew");
        }
    }

    @Test
    void lateResponseOfOtherParsingDoesNotReplaceTheNewOne() {
        try (var proxy = new OneThread(new Rules().esi(EsiProcessing.ON))) {
            var before = proxy.client().get("/a");
            proxy.replace(new Rules().esi(EsiProcessing.OFF));
            proxy.client().get("/a");
            var asked = proxy.questions();
            asked.getLast().say(ok("new", "Cache-Control: max-age=60"));

            asked.getFirst().say(ok("old", "Cache-Control: max-age=60"));

            assertThat(before.received()).endsWith("\r\n\r\nold");
            proxy.asked();
            assertThat(proxy.client().get("/a").received()).endsWith("\r\n\r\nnew");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void lateResponseOfAReplacedOriginIsNotStored() {
        try (var proxy = new OneThread()) {
            var before = proxy.client().get("/a");
            proxy.replace(new Rules());

            proxy.ask("/a").say(ok("old", "Cache-Control: max-age=60"));

            assertThat(before.received()).endsWith("\r\n\r\nold");
            proxy.asked();
            proxy.client().get("/a");
            assertThat(proxy.asked()).hasSize(1);
        }
    }

    @Test
    void connectionsOfAGenerationAreClosedWithItsLastRequest() {
        try (var proxy = new OneThread()) {
            proxy.client().get("/one");
            proxy.client().get("/other");
            proxy.ask("/one").say(PART);
            assertThat(proxy.originConnections(1)).isEqualTo(2);

            proxy.replace(new Rules());
            assertThat(proxy.unused).isEmpty();
            assertThat(proxy.originConnections(1)).isEqualTo(2);
            proxy.ask("/other").say(PART);

            assertThat(proxy.unused).containsExactly(1);
            assertThat(proxy.originConnections(1)).isZero();
        }
    }

    @Test
    void generationWithoutRequestsIsClosedAtOnce() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", PART);
            assertThat(proxy.originConnections(1)).isEqualTo(1);

            proxy.replace(new Rules());

            assertThat(proxy.unused).containsExactly(1);
            assertThat(proxy.originConnections(1)).isZero();
        }
    }

    @Test
    void eachGenerationIsClosedOnItsOwn() {
        try (var proxy = new OneThread()) {
            proxy.client().get("/1");
            proxy.replace(new Rules());
            var leaving = proxy.client().get("/2");
            proxy.replace(new Rules());
            proxy.client().get("/3");
            assertThat(proxy.open()).isEqualTo(3);

            leaving.hangUp();
            assertThat(proxy.unused).containsExactly(2);
            proxy.ask("/1").say(answer("404 Not Found", "", "Cache-Control: no-store"));
            assertThat(proxy.unused).containsExactly(2, 1);
            proxy.ask("/3").say(PART);

            assertThat(proxy.unused).containsExactly(2, 1);
            assertThat(proxy.open()).isZero();
        }
    }

    @Test
    void variantsOfReadersAreThoseOfTheNewGeneration() {
        var key = new SignedVariant.Key("who", "0123456789abcdef0123456789abcdef");
        try (var proxy = new OneThread()) {
            proxy.client().get("/a");
            assertThat(proxy.questions().getLast().text()).doesNotContain(SignedVariant.FIELD);

            proxy.replace(new Rules().variants(key));
            proxy.client().get("/b");

            assertThat(proxy.questions().getLast().text()).contains(SignedVariant.FIELD + ": ");
        }
    }
}
