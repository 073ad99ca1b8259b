package com.example.shop;

import static dev.quire.test.EsiAssertions.assertThat;
import static dev.quire.test.User.anonymous;
import static dev.quire.test.User.user;

import dev.quire.test.EsiSite;
import dev.quire.test.Faults;
import dev.quire.test.LeakDetector;
import dev.quire.test.LeakReport;
import dev.quire.test.User;
import dev.quire.test.junit.EsiTest;
import dev.quire.test.wire.TestClock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The one test class. Some of its tests must fail. */
@EsiTest
abstract class ShopPages {

    @Test
    void pageIsWhole(EsiSite site) {
        assertThat(site.get("/"))
                .hasStatus(200)
                .hasText("p b", "live")
                .hasFragments("/live")
                .hasNoUnresolvedIncludes()
                .hasNoEsiMarkup();
    }

    @Test
    void fragmentIsAskedForOnceInItsLifetime(EsiSite site, TestClock clock) {
        assertThat(site.get("/")).trace().madeRequestsOnly("/", "/live");
        clock.advance(Duration.ofSeconds(29));
        assertThat(site.get("/")).trace().madeNoRequests();

        clock.advance(Duration.ofSeconds(60));

        assertThat(site.get("/")).trace().madeRequests("/live", 1).madeRequests("/", 0);
    }

    @Test
    void lifetimeIsTheDeclaredOne(EsiSite site) {
        assertThat(site).keeps("/live").onPage("/").freshFor("30s");
    }

    @Test
    void faultOfAFragmentStaysInIt(EsiSite site, Faults faults) {
        assertThat(site.with(faults.fail("/live", 503)).get("/"))
                .degrades()
                .keepsStatus(200)
                .showsEverythingBut("/live")
                .showsNoErrorBody()
                .and()
                .hasText("h1", "Shop");
    }

    @Test
    void changeIsSeenAtOnce(EsiSite site) {
        var before = site.get("/").html();

        site.post("/change", Map.of());

        assertThat(site.get("/").html()).isNotEqualTo(before);
    }

    @Test
    void invalidationReachesTheFragmentAlone(EsiSite site) {
        assertThat(site).afterInvalidating("live").onPage("/").refetchesOnly("/live");
    }

    @Test
    void nothingLeaks(EsiSite site) {
        assertThat(leaksAt(site, "/", "/live").checked()).containsExactly("/", "/live");
    }

    @Test
    void wrongHeading(EsiSite site) {
        assertThat(site.get("/")).hasText("h1", "Sale");
    }

    @Test
    void wrongRequests(EsiSite site) {
        assertThat(site.get("/")).trace().madeRequests("/live", 2);
    }

    @Test
    void wrongLifetime(EsiSite site) {
        assertThat(site).keeps("/live").onPage("/").freshFor("1m");
    }

    @Test
    void wrongFault(EsiSite site) {
        assertThat(site.get("/")).degrades();
    }

    @Test
    void wrongInvalidation(EsiSite site) {
        assertThat(site).afterInvalidating("live").onPage("/").refetchesOnly("/");
    }

    @Test
    void wrongReader(EsiSite site) {
        leaksAt(site, "/greeting");
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
            assertThat(site.get("/live")).hasStatus(200);
        }
    }

    private static LeakReport leaksAt(EsiSite site, String... paths) {
        return LeakDetector.check(site)
                .users(
                        anonymous(),
                        account("reader-a", "account-1071"),
                        account("reader-b", "account-2042"))
                .paths(paths);
    }

    private static User account(String name, String number) {
        return user(name).withField("X-Account", number).withSecret(number);
    }
}
