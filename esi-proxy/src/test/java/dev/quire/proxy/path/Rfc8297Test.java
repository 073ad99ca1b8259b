package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.bare;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.proxy.path.OneThread.Rules;
import dev.quire.proxy.route.HintMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** 103 (Early Hints); docs/caching.md, Early hints. */
class Rfc8297Test {
    private static final String FRESH = "Cache-Control: max-age=60";
    private static final String CSS = "</a.css>; rel=preload; as=style";
    private static final String JS = "</b.js>; rel=modulepreload";
    private static final String NAVIGATION = "Sec-Fetch-Mode: navigate";
    private static final Duration LONG = Duration.ofMinutes(10);

    private static RecordedResponse ask(
            OneThread proxy, String protocol, String method, String target, String... lines) {
        var fields = new Fields.Builder().add("Host", "news.test");
        for (var line : lines) {
            int colon = line.indexOf(':');
            fields.add(line.substring(0, colon), line.substring(colon + 2));
        }
        var head = new RequestHead(method, Scheme.HTTP, "news.test", target, fields.build());
        var response = new RecordedResponse(proxy, head);
        response.protocol = protocol;
        proxy.noting.begin(response.exchange);
        proxy.turn();
        return response;
    }

    private static RecordedResponse navigate(OneThread proxy, String target, String... lines) {
        var all = new ArrayList<>(List.of(lines));
        all.add(NAVIGATION);
        return ask(proxy, "HTTP/2", "GET", target, all.toArray(String[]::new));
    }

    private static OneThread remembering() {
        return new OneThread(new Rules().hints(HintMode.REMEMBER));
    }

    private static List<String> links(RecordedResponse response) {
        assertThat(response.interim).hasSizeLessThan(2);
        return response.interim.isEmpty()
                ? List.of()
                : response.interim.getFirst().fields().all("Link");
    }

    /** Expires everything and returns the links of the 103 before the origin's response. */
    private static List<String> linksOnMiss(OneThread proxy, String target, String... lines) {
        proxy.leap(LONG);
        var response = navigate(proxy, target, lines);
        assertThat(response.status()).isZero();
        var links = links(response);
        proxy.ask(target).say(bare("204 No Content"));
        return links;
    }

    @ParameterizedTest
    @EnumSource(names = {"PASS", "REMEMBER"})
    void linksOfAnOriginGoToNavigationsOverHttp2(HintMode mode) {
        try (var proxy = new OneThread(new Rules().hints(mode))) {
            var response = navigate(proxy, "/a");

            proxy.ask("/a")
                    .say(
                            bare(
                                    "103 Early Hints",
                                    "Link: " + CSS,
                                    "Set-Cookie: a=b",
                                    "Cache-Control: max-age=60",
                                    "Connection: close",
                                    "X-Any: 1"))
                    .say(ok("body", FRESH));

            assertThat(response.interim)
                    .containsExactly(new ResponseHead(103, "Early Hints", Fields.of("Link", CSS)));
            assertThat(response.body).hasToString("body");
            assertThat(proxy.metrics.scrape())
                    .contains("quire_hints_total{source=\"origin\"} 1.0")
                    .contains("quire_hints_total{source=\"remembered\"} 0.0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.1", "HTTP/1.0"})
    void olderProtocolsGetNone(String protocol) {
        try (var proxy = remembering()) {
            proxy.stored("/a", ok("body", FRESH, "Link: " + CSS));
            proxy.leap(LONG);

            var response = ask(proxy, protocol, "GET", "/a", NAVIGATION);
            proxy.ask("/a").say(bare("103 Early Hints", "Link: " + CSS)).say(ok("body"));

            assertThat(response.interim).isEmpty();
            assertThat(response.body).hasToString("body");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Sec-Fetch-Mode: no-cors", "Accept: text/html"})
    void requestsThatDoNotNavigateGetNone(String line) {
        try (var proxy = remembering()) {
            proxy.stored("/a", ok("body", FRESH, "Link: " + CSS));
            proxy.leap(LONG);

            var response = ask(proxy, "HTTP/2", "GET", "/a", line);
            proxy.ask("/a").say(bare("103 Early Hints", "Link: " + CSS)).say(ok("body"));

            assertThat(response.interim).isEmpty();
        }
    }

    @Test
    void routeMaySendNone() {
        try (var proxy = new OneThread(new Rules().hints(HintMode.OFF))) {
            proxy.stored("/a", ok("body", FRESH, "Link: " + CSS));
            proxy.leap(LONG);

            var response = navigate(proxy, "/a");
            proxy.ask("/a").say(bare("103 Early Hints", "Link: " + CSS)).say(ok("body"));

            assertThat(response.interim).isEmpty();
        }
    }

    @Test
    void requestGetsOneAtMost() {
        try (var proxy = remembering()) {
            var first = navigate(proxy, "/a");
            proxy.ask("/a")
                    .say(bare("103 Early Hints", "X-Any: without a link"))
                    .say(bare("103 Early Hints", "Link: " + CSS))
                    .say(bare("103 Early Hints", "Link: " + JS))
                    .say(ok("body", FRESH, "Link: " + CSS));
            proxy.leap(LONG);
            var second = navigate(proxy, "/a");
            proxy.ask("/a").say(bare("103 Early Hints", "Link: " + JS)).say(ok("body"));

            assertThat(links(first)).containsExactly(CSS);
            assertThat(links(second)).containsExactly(CSS);
        }
    }

    @Test
    void earlierLinksAreSentBeforeTheOriginResponds() {
        try (var proxy = remembering()) {
            proxy.stored(
                    "/a", ok("body", FRESH, "Link: " + CSS + ", </next>; rel=next", "Link: " + JS));
            proxy.leap(LONG);

            var response = navigate(proxy, "/a");

            assertThat(proxy.asked()).containsExactly("/a");
            assertThat(response.status()).isZero();
            assertThat(links(response)).containsExactly(CSS, JS);
            proxy.ask("/a").say(ok("body"));
            assertThat(response.status()).isEqualTo(200);
            assertThat(proxy.metrics.scrape())
                    .contains("quire_hints_total{source=\"remembered\"} 1.0");
        }
    }

    @Test
    void routeThatPassesRemembersNothing() {
        try (var proxy = new OneThread()) {
            proxy.stored("/a", ok("body", FRESH, "Link: " + CSS));

            assertThat(linksOnMiss(proxy, "/a")).isEmpty();
        }
    }

    @Test
    void revalidationIsAwaitedToo() {
        try (var proxy = remembering()) {
            proxy.stored(
                    "/a", ok("body", "Cache-Control: no-cache", "ETag: \"1\"", "Link: " + CSS));

            var response = navigate(proxy, "/a");

            assertThat(links(response)).containsExactly(CSS);
            proxy.ask("/a").say(bare("304 Not Modified", "ETag: \"1\""));
            assertThat(response.body).hasToString("body");
        }
    }

    @Test
    void hitAndStaleHitAreAnsweredWithoutHints() {
        try (var proxy = remembering()) {
            proxy.stored("/a", ok("body", FRESH, "Link: " + CSS));

            var fresh = navigate(proxy, "/a");
            proxy.leap(Duration.ofSeconds(65));
            var stale = navigate(proxy, "/a");

            assertThat(fresh.body).hasToString("body");
            assertThat(stale.body).hasToString("body");
            assertThat(fresh.interim).isEmpty();
            assertThat(stale.interim).isEmpty();
            proxy.ask("/a").say(ok("body"));
        }
    }

    @Test
    void storedPageHintsWhileFragmentsAreFetched() {
        try (var proxy = remembering()) {
            proxy.stored("/f", ok("fragment", FRESH));
            proxy.stored("/p", page("<" + include("/f") + ">", "Link: " + CSS));
            proxy.stored("/q", page("<" + include("/mine") + ">", "Link: " + JS));
            proxy.asked();

            var whole = navigate(proxy, "/p");
            var waiting = navigate(proxy, "/q");

            assertThat(whole.body).hasToString("<fragment>");
            assertThat(whole.interim).isEmpty();
            assertThat(waiting.status()).isZero();
            assertThat(links(waiting)).containsExactly(JS);
            proxy.ask("/mine")
                    .say(bare("103 Early Hints", "Link: " + CSS))
                    .say(ok("private", "Cache-Control: private"));
            assertThat(links(waiting)).containsExactly(JS);
            assertThat(waiting.body).hasToString("<private>");
        }
    }

    @Test
    void otherMethodsGetNoneOfTheirPage() {
        try (var proxy = remembering()) {
            proxy.stored("/a", ok("body", FRESH, "Link: " + CSS));
            proxy.leap(LONG);

            var head = ask(proxy, "HTTP/2", "HEAD", "/a", NAVIGATION);
            var post = ask(proxy, "HTTP/2", "POST", "/a", NAVIGATION);

            assertThat(head.interim).isEmpty();
            assertThat(post.interim).isEmpty();
            proxy.questions().forEach(each -> each.say(bare("204 No Content")));
        }
    }

    @Test
    void linksOfOneVariantAreNotSentToAnother() {
        try (var proxy = remembering()) {
            for (var language : List.of("de", "fr")) {
                navigate(proxy, "/a", "Accept-Language: " + language);
                proxy.ask("/a")
                        .say(
                                ok(
                                        language,
                                        FRESH,
                                        "Vary: Accept-Language",
                                        "Link: </" + language + ".css>; rel=preload"));
            }

            assertThat(linksOnMiss(proxy, "/a", "Accept-Language: de"))
                    .containsExactly("</de.css>; rel=preload");
            assertThat(linksOnMiss(proxy, "/a", "Accept-Language: fr"))
                    .containsExactly("</fr.css>; rel=preload");
            assertThat(linksOnMiss(proxy, "/a", "Accept-Language: en")).isEmpty();
            assertThat(linksOnMiss(proxy, "/a")).isEmpty();
        }
    }

    @Test
    void purgesForgetLinks() {
        try (var proxy = remembering()) {
            for (var target : List.of("/a", "/b", "/c", "/d")) {
                proxy.stored(target, ok("body", FRESH, "Link: " + CSS, "Surrogate-Key: " + target));
            }
            proxy.leap(LONG);

            proxy.purge("/a");
            proxy.purge("/b", true);
            proxy.purgeTag("/c", false);

            assertThat(linksOnMiss(proxy, "/a")).isEmpty();
            assertThat(linksOnMiss(proxy, "/b")).isEmpty();
            assertThat(linksOnMiss(proxy, "/c")).isEmpty();
            assertThat(linksOnMiss(proxy, "/d")).containsExactly(CSS);
        }
    }

    @Test
    void banForgetsLinks() {
        try (var proxy = remembering()) {
            proxy.stored("/a", ok("body", FRESH, "Link: " + CSS));

            proxy.ban();

            assertThat(linksOnMiss(proxy, "/a")).isEmpty();
            proxy.stored("/a", ok("body", FRESH, "Link: " + JS));
            assertThat(linksOnMiss(proxy, "/a")).containsExactly(JS);
        }
    }

    @Test
    void unsafeMethodForgetsLinks() {
        try (var proxy = remembering()) {
            proxy.stored("/a", ok("body", FRESH, "Link: " + CSS));
            var client = proxy.client();
            client.send(request("POST", "/a", "Content-Length: 1") + "x");
            proxy.ask("/a").say(ok("done"));

            assertThat(linksOnMiss(proxy, "/a")).isEmpty();
        }
    }

    @Test
    void invalidatedGroupForgetsLinksOfItsMembers() {
        try (var proxy = remembering()) {
            proxy.stored("/a", ok("body", FRESH, "Link: " + CSS, "Cache-Groups: \"g\""));
            proxy.stored("/b", ok("body", FRESH, "Link: " + JS));
            var client = proxy.client();
            client.send(request("POST", "/c", "Content-Length: 1") + "x");
            proxy.ask("/c").say(ok("done", "Cache-Group-Invalidation: \"g\""));

            assertThat(linksOnMiss(proxy, "/a")).isEmpty();
            assertThat(linksOnMiss(proxy, "/b")).containsExactly(JS);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Cache-Control: max-age=60\r\nX-Any: without links",
                "Cache-Control: private\r\nLink: </mine.css>; rel=preload",
                "Cache-Control: max-age=60\r\nSet-Cookie: a=b\r\nLink: </mine.css>; rel=preload"
            })
    void linksOfAnOlderPageAreForgotten(String lines) {
        try (var proxy = remembering()) {
            proxy.stored("/a", ok("old", FRESH, "Link: " + CSS));
            proxy.leap(LONG);

            proxy.stored("/a", ok("new", lines));

            assertThat(linksOnMiss(proxy, "/a")).isEmpty();
        }
    }

    @Test
    void privateResponseLeavesTheLinksOfOtherVariants() {
        try (var proxy = remembering()) {
            proxy.stored("/a", ok("body", FRESH, "Vary: Cookie", "Link: " + CSS));
            proxy.leap(LONG);

            navigate(proxy, "/a", "Cookie: login=1");
            proxy.ask("/a").say(ok("mine", "Cache-Control: private", "Vary: Cookie"));

            assertThat(linksOnMiss(proxy, "/a", "Cookie: login=1")).isEmpty();
            assertThat(linksOnMiss(proxy, "/a")).containsExactly(CSS);
        }
    }

    @Test
    void linksOfAChangedPageReplaceTheOlder() {
        try (var proxy = remembering()) {
            proxy.stored("/a", ok("old", FRESH, "Link: " + CSS));
            proxy.leap(LONG);

            proxy.stored("/a", ok("new", FRESH, "Link: " + JS));

            assertThat(linksOnMiss(proxy, "/a")).containsExactly(JS);
        }
    }

    @Test
    void responseToCredentialsIsNotRemembered() {
        try (var proxy = remembering()) {
            navigate(proxy, "/a", "Authorization: Basic x");
            proxy.ask("/a").say(ok("body", "Cache-Control: public, max-age=60", "Link: " + CSS));

            assertThat(linksOnMiss(proxy, "/a")).isEmpty();
        }
    }

    @Test
    void linksAreForgottenAfterADay() {
        try (var proxy = remembering()) {
            proxy.stored("/a", ok("body", FRESH, "Link: " + CSS));
            proxy.leap(Duration.ofHours(25));

            assertThat(linksOnMiss(proxy, "/a")).isEmpty();
        }
    }
}
