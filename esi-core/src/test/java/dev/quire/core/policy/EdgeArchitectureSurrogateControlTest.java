package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.noonPlus;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Edge Architecture 1.0 §2.2: directives in Surrogate-Control, and their targets. */
class EdgeArchitectureSurrogateControlTest {

    @Test
    void absentFieldSaysNothing() {
        var control = SurrogateControl.of(Fields.of("Cache-Control", "max-age=60"), "quire");

        assertThat(control.isPresent()).isFalse();
        assertThat(control.governs()).isFalse();
        assertThat(control.asksForEsi()).isFalse();
        assertThat(control.maxAge()).isEmpty();
    }

    @Test
    void maxAgeHasAFreshAndAStalePart() {
        var control = parsed("max-age=60+30");

        assertThat(control.maxAge()).contains(Duration.ofSeconds(60));
        assertThat(control.staleFor()).contains(Duration.ofSeconds(30));
        assertThat(control.staleWhileRevalidate()).contains(Duration.ofSeconds(30));
        assertThat(control.staleIfError()).contains(Duration.ofSeconds(30));
    }

    @Test
    void namedWindowsStandBeforeTheStalePart() {
        var control = parsed("max-age=60+30, stale-if-error=600, stale-while-revalidate=5");

        assertThat(control.staleWhileRevalidate()).contains(Duration.ofSeconds(5));
        assertThat(control.staleIfError()).contains(Duration.ofMinutes(10));
    }

    @ParameterizedTest
    @ValueSource(strings = {"60+", "+30", "60+x", "x+30", "60+30+10", "60 + 30", "60-30", ""})
    void maxAgeThatIsNoNumberIsOverAtOnce(String value) {
        var control = parsed("max-age=" + value);

        assertThat(control.maxAge()).contains(Duration.ZERO);
        assertThat(control.staleFor()).isEmpty();
        assertThat(control.governs()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "content=\"ESI/1.0\" | true",
                "content=ESI/1.0 | true",
                "content=\"ESI/0.8\" | true",
                "content=\"ESI-Inline/1.0 ESI/1.0\" | true",
                "content=\"X/1.0\", content=\"ESI/1.0\" | true",
                "max-age=60, content=\"ESI/1.0\";quire | true",
                "content=\"ESI/1.1\" | false",
                "content=\"ESI/1\" | false",
                "content=\"ESI/2.0\" | false",
                "content=\"ESI/0.\" | false",
                "content=\"ESI-Inline/1.0\" | false",
                "content=\"ESI/1.0\";other | false",
                "content=\"X/1.0\";quire, content=\"ESI/1.0\" | false",
                "content=\"\" | false",
                "content | false",
                "x=\"content=ESI/1.0\" | false"
            })
    void esiIsAskedForByVersionsWeSpeak(String value, boolean asks) {
        assertThat(parsed(value).asksForEsi()).isEqualTo(asks);
    }

    @Test
    void contentKeepsEveryToken() {
        assertThat(parsed("content=\"ESI/1.0  Foo/2\"").content())
                .containsExactly("ESI/1.0", "Foo/2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "max-age=10;quire",
                "max-age=10; quire",
                "max-age=10 ;quire",
                "max-age=60, max-age=10;quire",
                "max-age=10;quire, max-age=60",
                "max-age=10;quire, max-age=60;other",
                "no-store;other, max-age=10",
                "no-store, max-age=10;quire",
                "max-age=10;other;quire"
            })
    void directiveAimedAtUsOverridesTheGeneralOne(String value) {
        assertThat(parsed(value).maxAge()).contains(Duration.ofSeconds(10));
        assertThat(parsed(value).noStore()).isFalse();
    }

    @Test
    void noStoreAimedAtUsOverridesAGeneralLifetime() {
        var control = parsed("max-age=60, no-store;quire");

        assertThat(control.noStore()).isTrue();
        assertThat(control.maxAge()).isEmpty();
    }

    @Test
    void generalDirectivesHoldBesideOthersAimedAtUs() {
        var control = parsed("max-age=60, content=\"ESI/1.0\";quire");

        assertThat(control.maxAge()).contains(Duration.ofSeconds(60));
    }

    @Test
    void directivesForOthersAreNotForUs() {
        var control = parsed("no-store;other, max-age=1;quire2");

        assertThat(control.isPresent()).isFalse();
        assertThat(control.governs()).isFalse();
    }

    @Test
    void remoteIsNotUs() {
        assertThat(parsed("no-store-remote").noStoreRemote()).isTrue();
        assertThat(parsed("no-store-remote").noStore()).isFalse();
        assertThat(parsed("no-store-remote").governs()).isFalse();
    }

    @Test
    void lifetimeInItDecidesAloneAgainstCacheControl() {
        assertThat(
                        Arriving.with(
                                        "Surrogate-Control", "max-age=60",
                                        "Cache-Control", "no-store, private, max-age=5",
                                        "Expires", "0")
                                .lifetime())
                .isEqualTo(60);
    }

    @Test
    void noStoreInItDecidesAloneAgainstCacheControl() {
        assertThat(
                        Arriving.with(
                                        "Surrogate-Control", "no-store",
                                        "Cache-Control", "public, max-age=60")
                                .refusal())
                .isEqualTo(StorageRefusal.NO_STORE);
    }

    @Test
    void otherDirectivesMeanWhatTheyMeanInCacheControl() {
        assertThat(Arriving.with("Surrogate-Control", "private, max-age=60").refusal())
                .isEqualTo(StorageRefusal.PRIVATE);
        assertThat(
                        Arriving.with("Surrogate-Control", "max-age=60+30, must-revalidate")
                                .freshness()
                                .grace())
                .isZero();
    }

    @Test
    void contentAloneLeavesTheLifetimeToCacheControlAndExpires() {
        var content = "content=\"ESI/1.0\"";

        assertThat(
                        Arriving.with("Surrogate-Control", content, "Cache-Control", "max-age=5")
                                .lifetime())
                .isEqualTo(5);
        assertThat(Arriving.with("Surrogate-Control", content, "Expires", noonPlus(7)).lifetime())
                .isEqualTo(7);
        assertThat(
                        Arriving.with("Surrogate-Control", content, "Cache-Control", "private")
                                .refusal())
                .isEqualTo(StorageRefusal.PRIVATE);
    }

    @Test
    void windowAloneStandsBeforeThatOfCacheControl() {
        var freshness =
                Arriving.with(
                                "Surrogate-Control", "stale-while-revalidate=20",
                                "Cache-Control", "max-age=5, stale-while-revalidate=1")
                        .freshness();

        assertThat(freshness.lifetime()).hasSeconds(5);
        assertThat(freshness.grace()).hasSeconds(20);
    }

    @Test
    void ageStillCountsAgainstItsLifetime() {
        var freshness = Arriving.with("Surrogate-Control", "max-age=60", "Age", "59").freshness();

        assertThat(freshness.isFreshAt(Arriving.NOW)).isTrue();
        assertThat(freshness.isFreshAt(Arriving.NOW.plusSeconds(1))).isFalse();
    }

    @Test
    void noLifetimeIsGuessedUnderIt() {
        var freshness =
                Arriving.with(
                                "Surrogate-Control", "no-cache",
                                "ETag", "\"1\"",
                                "Last-Modified", noonPlus(-86_400))
                        .freshness();

        assertThat(freshness.lifetime()).isZero();
        assertThat(freshness.validateAlways()).isTrue();
    }

    private static SurrogateControl parsed(String value) {
        return SurrogateControl.of(Fields.of("Surrogate-Control", value), "quire");
    }
}
