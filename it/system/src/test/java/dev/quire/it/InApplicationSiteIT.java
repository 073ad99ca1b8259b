package dev.quire.it;

import static dev.quire.test.EsiAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.quire.test.Application;
import dev.quire.test.ApplicationRequest;
import dev.quire.test.Assembling;
import dev.quire.test.EsiSite;
import dev.quire.test.Faults;
import dev.quire.test.Fragment;
import dev.quire.test.Page;
import dev.quire.test.User;
import dev.quire.test.internal.AssemblyRecorder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sites of one application with the starter, assembled in the application and by the proxy. */
class InApplicationSiteIT {
    private static final AssemblyRecorder DISPATCHED = new AssemblyRecorder();
    private static final AssemblyRecorder FETCHED = new AssemblyRecorder();

    private static MembersSite dispatching;
    private static MembersSite fetching;

    private final List<EsiSite> opened = new ArrayList<>();

    /** The place of assembly. */
    enum Way {
        DISPATCH,
        LOOPBACK,
        PROXY;

        EsiSite open() {
            return switch (this) {
                case DISPATCH ->
                        EsiSite.over(Application.at(dispatching.url(), DISPATCHED::take))
                                .assembledBy(Assembling.APPLICATION);
                case LOOPBACK ->
                        EsiSite.over(Application.at(fetching.url(), FETCHED::take))
                                .assembledBy(Assembling.APPLICATION);
                case PROXY ->
                        EsiSite.over(dispatching.url())
                                .assembledBy(
                                        Assembling.proxy(setup ->
                                                setup.with(
                                                        "variants",
                                                        "{ cookie: esi-variant, secret: \"%s\" }"
                                                                .formatted(MembersSite.SECRET))));
            };
        }
    }

    @BeforeAll
    static void start() {
        dispatching = MembersSite.observed(DISPATCHED, "quire.fallback.mode=dispatch");
        fetching = MembersSite.observed(FETCHED, "quire.fallback.mode=loopback");
    }

    @AfterAll
    static void stop() {
        dispatching.close();
        fetching.close();
    }

    @AfterEach
    void close() {
        opened.forEach(EsiSite::close);
    }

    private EsiSite site(Way way) {
        var site = way.open();
        opened.add(site);
        return site;
    }

    @ParameterizedTest
    @EnumSource
    void pageTellsWhatItIsMadeOf(Way way) {
        var page = site(way).get("/page");

        assertThat(page.html())
                .isEqualTo(
                        "<h1>news</h1><p>hello greeting of anonymous<p>desk of none<p>you are null<p>end");
        assertThat(page).hasNoUnresolvedIncludes().trace().hasDepth(1);
        assertThat(page.document().status()).isEqualTo(200);
        assertThat(page.fragments())
                .extracting(Fragment::target, Fragment::status)
                .containsExactly(
                        tuple("/fragments/news", 200),
                        tuple("/fragments/greeting", 200),
                        tuple("/fragments/desk", 200),
                        tuple("/fragments/name", 200));
        assertThat(page.fragment("/fragments/news").headers().first("Content-Type"))
                .startsWith("text/html");
    }

    @ParameterizedTest
    @EnumSource
    void usersLogInByTheFormAndSeeTheirOwn(Way way) {
        var site = site(way);
        var bob = User.user("bob").logsIn("/login", "2");

        assertThat(site.as(bob).get("/page").html())
                .isEqualTo(
                        "<h1>news</h1><p>hello greeting of member<p>desk of editor<p>you are bob<p>end");
        assertThat(site.get("/page").html()).contains("you are null");
    }

    @ParameterizedTest
    @EnumSource(names = {"DISPATCH", "LOOPBACK"})
    void nothingIsKeptInsideTheApplication(Way way) {
        var site = site(way);
        site.get("/page");

        var again = site.get("/page");

        assertThat(ways(again)).allMatch(part -> part.endsWith(" PASS"));
        assertThat(targets(again)).containsExactly("/page");
        assertThat(site.hasCache()).isFalse();
    }

    @Test
    void proxyKeepsWhatThePoliciesAllow() {
        var site = site(Way.PROXY);
        var first = site.get("/page");

        var again = site.get("/page");

        assertThat(targets(first))
                .containsExactlyInAnyOrder(
                        "/page",
                        "/fragments/news",
                        "/fragments/greeting",
                        "/fragments/desk",
                        "/fragments/name");
        assertThat(ways(again))
                .containsExactly(
                        "/page HIT",
                        "/fragments/news HIT",
                        "/fragments/greeting HIT",
                        "/fragments/desk HIT",
                        "/fragments/name PASS");
        assertThat(targets(again)).containsExactly("/fragments/name");
        assertThat(again.fragment("/fragments/news").html()).contains("news");
    }

    @ParameterizedTest
    @EnumSource
    void pageWithoutFragmentsIsOnePart(Way way) {
        var page = site(way).get("/fragments/news");

        assertThat(page.html()).isEqualTo("news");
        assertThat(page.document().target()).isEqualTo("/fragments/news");
        assertThat(page.document().status()).isEqualTo(200);
        assertThat(page.fragments()).isEmpty();
    }

    @Test
    void applicationThatDoesNotTellHasPagesWithoutParts() {
        var site = EsiSite.over(dispatching.url()).assembledBy(Assembling.APPLICATION);
        opened.add(site);

        var page = site.get("/page");

        assertThat(page.html()).contains("you are null");
        assertThatThrownBy(page::fragments).isInstanceOf(AssertionError.class);
    }

    @Test
    void poisonInAStampedFragmentIsText() {
        var site = site(Way.PROXY);

        var page = site.with(Faults.none().poison("/fragments/*")).get("/front");

        assertThat(page.html()).contains("<esi:include src=\"/poisoned\"/>");
        assertThat(targets(page)).containsExactly("/front", "/fragments/news");
    }

    private static List<String> ways(Page page) {
        return Stream.concat(Stream.of(page.document()), page.fragments().stream())
                .map(part -> part.target() + " " + part.outcome())
                .toList();
    }

    private static List<String> targets(Page page) {
        return page.trace().requests().stream().map(ApplicationRequest::target).toList();
    }
}
