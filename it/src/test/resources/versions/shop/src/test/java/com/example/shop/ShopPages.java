package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.ApplicationRequest;
import dev.quire.test.EsiSite;
import dev.quire.test.Faults;
import dev.quire.test.TestClock;
import dev.quire.test.junit.EsiTest;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The one test class. Some of its tests are wrong, and must say so. */
@EsiTest
abstract class ShopPages {

    @Test
    void pageIsWhole(EsiSite site) {
        var page = site.get("/");

        assertThat(page.status()).isEqualTo(200);
        assertThat(page.dom().select("p b").text()).isEqualTo("live");
        assertThat(page.html()).doesNotContain("esi:");
    }

    @Test
    void fragmentIsFetchedOnceInItsLifetime(EsiSite site, TestClock clock) {
        site.get("/");
        clock.advance(Duration.ofSeconds(29));
        site.get("/");
        assertThat(requestsForLive(site)).isEqualTo(1);

        clock.advance(Duration.ofSeconds(60));
        site.get("/");

        assertThat(requestsForLive(site)).isEqualTo(2);
    }

    @Test
    void faultOfAFragmentStaysInIt(EsiSite site, Faults faults) {
        var page = site.with(faults.fail("/live", 503)).get("/");

        assertThat(page.status()).isEqualTo(200);
        assertThat(page.dom().select("h1").text()).isEqualTo("Shop");
        assertThat(page.html()).doesNotContain("503");
    }

    @Test
    void changeIsSeenAtOnce(EsiSite site) {
        var before = site.get("/").html();

        site.post("/change", Map.of());

        assertThat(site.get("/").html()).isNotEqualTo(before);
    }

    @Test
    void wrongHeading(EsiSite site) {
        var page = site.get("/");

        assertThat(page.dom().select("h1").text()).isEqualTo("Sale");
    }

    @Test
    void wrongLifetime(EsiSite site, TestClock clock) {
        site.get("/");
        clock.advance(Duration.ofMinutes(2));
        site.get("/");

        assertThat(requestsForLive(site)).isEqualTo(1);
    }

    @Test
    void unknownName(EsiSite site) {
        site.get("nothing");
    }

    @Test
    void clockOfNobody() {
        TestClock.handSet().advance(Duration.ofMinutes(1));
    }

    @Nested
    class Inner {
        @Test
        void innerTestHasTheSiteToo(EsiSite site) {
            assertThat(site.pages()).isEmpty();
            assertThat(site.get("/live").status()).isEqualTo(200);
        }
    }

    private static long requestsForLive(EsiSite site) {
        return site.requests().stream()
                .map(ApplicationRequest::target)
                .filter("/live"::equals)
                .count();
    }
}
