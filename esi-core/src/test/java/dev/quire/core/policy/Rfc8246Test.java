package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.NOW;
import static dev.quire.core.policy.Arriving.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.policy.CacheDecision.Hit;
import dev.quire.core.policy.CacheDecision.Revalidate;
import dev.quire.core.policy.CacheDecision.RevalidateReason;
import dev.quire.core.policy.CacheDecision.StaleHit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses that do not change while they are fresh. */
class Rfc8246Test {
    private static final Page IMMUTABLE =
            page("Cache-Control", "max-age=60, immutable", "ETag", "\"1\"");

    private record Page(Freshness freshness, boolean hasValidator) implements StoredView {}

    @ParameterizedTest
    @ValueSource(strings = {"max-age=0", "max-age=5"})
    void reloadNeedsNoValidationWhileItIsFresh(String directives) {
        assertThat(decide(directives, IMMUTABLE, 30)).isEqualTo(new Hit<>(IMMUTABLE));
    }

    @Test
    void reloadOfWhatMayChangeDoes() {
        var other = page("Cache-Control", "max-age=60", "ETag", "\"1\"");

        assertThat(decide("max-age=0", other, 30))
                .isEqualTo(new Revalidate<>(other, RevalidateReason.REQUEST));
    }

    @Test
    void forcedReloadIsValidated() {
        assertThat(decide("no-cache", IMMUTABLE, 30))
                .isEqualTo(new Revalidate<>(IMMUTABLE, RevalidateReason.REQUEST));
    }

    @Test
    void staleIsStaleAsEver() {
        assertThat(decide("max-age=0", IMMUTABLE, 61))
                .isEqualTo(new Revalidate<>(IMMUTABLE, RevalidateReason.STALE));
        assertThat(decide("foobar", IMMUTABLE, 61)).isEqualTo(new StaleHit<>(IMMUTABLE));
    }

    @Test
    void lifetimeIsNoLonger() {
        var plain = Arriving.with("Cache-Control", "max-age=60").freshness();
        var immutable = Arriving.with("Cache-Control", "max-age=60, immutable").freshness();

        assertThat(immutable.lifetime()).isEqualTo(plain.lifetime());
        assertThat(immutable.uselessAfter()).isEqualTo(plain.uselessAfter());
    }

    @Test
    void directiveAloneMakesNothingStorable() {
        assertThat(Arriving.with("Cache-Control", "immutable").storing())
                .isInstanceOf(StorageDecision.Refuse.class);
    }

    private static CacheDecision<Page> decide(String directives, Page page, int age) {
        var request = request("GET", "Cache-Control", directives);
        return CachePolicy.decide(
                request,
                ClientDirectives.of(request.fields()),
                false,
                page,
                false,
                false,
                NOW.plusSeconds(age));
    }

    private static Page page(String... fields) {
        return new Page(Arriving.with(fields).freshness(), true);
    }
}
