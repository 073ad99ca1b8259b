package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.RunningProxy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * A reader gets the same HTML from each way of assembling, with any caches in between, and never
 * another reader's.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SameHtmlIT {
    private static final List<String> TARGETS =
            List.of("/page", "/front", "/fragments/news", "/fragments/greeting", "/fragments/desk");

    private final MembersSite site = MembersSite.start();
    private final MembersSite loopback = MembersSite.start("quire.fallback.mode=loopback");
    private final RunningProxy proxy = proxyInFrontOf(site.url());
    private final DumbCache beforeProxy = DumbCache.inFrontOf(proxy.http());
    private final DumbCache behindProxy = DumbCache.inFrontOf(site.address());
    private final RunningProxy proxyBeforeCache = proxyInFrontOf(behindProxy.url());
    private final DumbCache alone = DumbCache.inFrontOf(site.address());

    @AfterAll
    void stop() {
        alone.close();
        proxyBeforeCache.close();
        behindProxy.close();
        beforeProxy.close();
        proxy.close();
        loopback.close();
        site.close();
    }

    private static RunningProxy proxyInFrontOf(URI origin) {
        return RunningProxy.inFrontOf(origin)
                .with(
                        "variants",
                        "{ cookie: esi-variant, secret: \"%s\" }".formatted(MembersSite.SECRET))
                .start();
    }

    private Map<String, InetSocketAddress> ways() {
        var ways = new LinkedHashMap<String, InetSocketAddress>();
        ways.put("the application, by dispatch", site.address());
        ways.put("the application, by loopback", loopback.address());
        ways.put("a dumb cache before the application", alone.address());
        ways.put("the proxy", proxy.http());
        ways.put("a dumb cache before the proxy", beforeProxy.address());
        ways.put("a dumb cache behind the proxy", proxyBeforeCache.http());
        return ways;
    }

    @Test
    void sameReaderGetsTheSameHtmlOnEveryWay() {
        for (var way : ways().entrySet()) {
            var anonymous = new Browser(way.getValue());
            var ann = Browser.of(way.getValue(), "ann", "1");
            var bob = Browser.of(way.getValue(), "bob", "2");

            for (int round = 0; round < 3; round++) {
                isPage(way.getKey(), anonymous, "anonymous", "none", "null");
                isPage(way.getKey(), ann, "member", "none", "ann");
                isPage(way.getKey(), bob, "member", "editor", "bob");
                // purged responses are fetched from the cache behind the proxy
                proxyBeforeCache.purge(TARGETS.toArray(String[]::new));
            }
        }

        assertThat(beforeProxy.hits()).isPositive();
        assertThat(behindProxy.hits()).isPositive();
        assertThat(alone.hits()).isPositive();
    }

    private static void isPage(String way, Browser reader, String login, String role, String name) {
        var expected =
                List.of(
                        "<h1>news</h1><p>hello greeting of %s<p>desk of %s<p>you are %s<p>end"
                                .formatted(login, role, name),
                        "<h1>news</h1>",
                        "news",
                        "<p>hello greeting of " + login,
                        "<p>desk of " + role);
        for (int i = 0; i < TARGETS.size(); i++) {
            assertThat(reader.get(TARGETS.get(i)).text())
                    .as("%s for %s by %s", TARGETS.get(i), name, way)
                    .isEqualTo(expected.get(i));
        }
    }

    @Test
    void proxyKeepsEachVariantOnceForAllItsReaders() {
        try (var own = MembersSite.start();
                var between = proxyInFrontOf(own.url())) {
            var readers =
                    List.of(
                            new Browser(between.http()),
                            Browser.of(between.http(), "ann", "1"),
                            Browser.of(between.http(), "ann", "1"),
                            new Browser(between.http()));

            var greetings =
                    readers.stream()
                            .map(reader -> reader.get("/fragments/greeting").text())
                            .toList();

            assertThat(greetings)
                    .containsExactly(
                            "<p>hello greeting of anonymous",
                            "<p>hello greeting of member",
                            "<p>hello greeting of member",
                            "<p>hello greeting of anonymous");
            assertThat(own.made("greeting")).isEqualTo(2);
        }
    }

    @Test
    void loggedOutReaderIsAnonymousAtOnce() {
        var ann = Browser.of(proxy.http(), "ann", "1");
        isPage("the proxy", ann, "member", "none", "ann");

        ann.post("/logout?_csrf=" + Browser.token(ann.get("/form").text()));

        assertThat(ann.cookies()).doesNotContainKey("esi-variant");
        isPage("the proxy", ann, "anonymous", "none", "null");
    }

    @Test
    void formOfAPageThatTheProxyKeepsCanBePosted() {
        for (var address : List.of(proxy.http(), beforeProxy.address(), site.address())) {
            var ann = Browser.of(address, "ann", "1");
            var bob = Browser.of(address, "bob", "2");

            var ofAnn = Browser.token(ann.get("/form").text());
            var ofBob = Browser.token(bob.get("/form").text());

            assertThat(ann.post("/posted?text=well&_csrf=" + ofAnn).text())
                    .isEqualTo("ann posted well");
            assertThat(bob.post("/posted?text=well&_csrf=" + ofBob).text())
                    .isEqualTo("bob posted well");
            assertThat(bob.post("/posted?text=well&_csrf=" + ofAnn).status()).isEqualTo(403);
        }
    }
}
