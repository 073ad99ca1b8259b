package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.OWN_STAMP;
import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static dev.quire.proxy.path.OneThread.stampedPage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.FragmentTerms;
import dev.quire.proxy.path.OneThread.Rules;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class InlineTest {
    private static final String CARRIER =
            "<esi:@inline name='/inl' fetchable='no'>in<esi:@remove>x</esi:@remove>line</esi:@inline>";

    @Test
    void documentThatAPageContainsServesIncludesOfItsHostAndRoute() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", stampedPage("a" + CARRIER + "b"));
            proxy.stored("/other", page("[" + include("/inl") + "]"));
            var client = proxy.client();

            client.get("/other");

            assertThat(client.received()).endsWith("\r\n\r\n[inline]");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void documentOfUnstampedTagsServesItsOwnPageOnly() {
        try (var proxy = new OneThread()) {
            proxy.stored("/inl", ok("good", "Cache-Control: max-age=60"));
            proxy.stored("/page", page("a" + CARRIER.replace("@", "") + include("/inl")));
            proxy.stored("/other", page("[" + include("/inl") + "]"));
            var client = proxy.client();

            client.get("/page");
            assertThat(client.received()).endsWith("\r\n\r\nainline");
            client.get("/other");
            assertThat(client.received()).endsWith("\r\n\r\n[good]");
        }
    }

    @Test
    void pageWhoseTagsAreNoLongerStampedGivesItToNoOther() {
        try (var proxy = new OneThread()) {
            proxy.stored("/inl", ok("good", "Cache-Control: max-age=60"));
            proxy.stored("/page", stampedPage(CARRIER));
            proxy.purge("/page");
            proxy.stored("/page", page(CARRIER.replace("@", "")));
            proxy.stored("/other", page("[" + include("/inl") + "]"));
            var client = proxy.client();

            client.get("/other");

            assertThat(client.received()).endsWith("\r\n\r\n[good]");
        }
    }

    @Test
    void nameThatAnotherRouteServesIsReadByNoOtherPage() {
        try (var proxy = new OneThread(new Rules().routeOfForum())) {
            proxy.stored("/forum/page", stampedPage(CARRIER));
            proxy.stored("/forum/other", page("[" + include("/inl") + "]"));
            var client = proxy.client();

            client.get("/forum/other");
            proxy.ask("/inl").say(ok("good", "Cache-Control: max-age=60"));

            assertThat(client.received()).endsWith("[good]");
        }
    }

    @Test
    void requestsOfClientsAlwaysGoToTheOrigin() {
        for (var fetchable : List.of("yes", "no")) {
            try (var proxy = new OneThread()) {
                proxy.stored("/inl", ok("good", "Cache-Control: max-age=60"));
                proxy.stored("/page", stampedPage(CARRIER.replace("'no'", "'" + fetchable + "'")));
                var client = proxy.client();

                client.get("/inl");
                assertThat(client.received()).endsWith("\r\n\r\ngood");
                proxy.purge("/inl");
                client.get("/inl");
                proxy.ask("/inl").say(ok("new", "Cache-Control: max-age=60"));

                assertThat(client.received()).endsWith("\r\n\r\nnew");
            }
        }
    }

    @Test
    void includesOfAnotherRouteDoNotReadIt() {
        try (var proxy = new OneThread(new Rules().routeOfForum())) {
            proxy.stored("/forum/page", stampedPage(CARRIER));
            proxy.stored("/other", page("[" + include("/inl") + "]"));
            var client = proxy.client();

            client.get("/other");
            proxy.ask("/inl").say(ok("good", "Cache-Control: max-age=60"));

            assertThat(client.received()).endsWith("[good]");
        }
    }

    @Test
    void itLivesAsLongAsItsPageAndIsPurgedByItsTags() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            proxy.stored(
                    "/page",
                    stampedPage("<esi:@inline name='/inl' fetchable='yes'>i</esi:@inline>"));
            assertThat(includes.ask("/inl", FragmentTerms.NONE))
                    .containsExactly("at hand: document: i");

            proxy.pass(Duration.ofSeconds(71));
            var heard = includes.ask("/inl", FragmentTerms.NONE);
            proxy.ask("/inl").say(ok("fetched", "Cache-Control: max-age=60"));

            assertThat(heard).containsExactly("fetched");
        }
    }

    @Test
    void whatNobodyCanBeAskedForComesWithItsPageOnceMore() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            proxy.stored("/page", stampedPage(CARRIER));
            proxy.purge("/page");

            var heard = includes.ask("/inl", FragmentTerms.NONE);
            assertThat(proxy.asked()).containsExactly("/page");
            proxy.ask("/page").say(stampedPage(CARRIER.replace(">line<", ">coming<")));

            assertThat(heard).singleElement().asString().endsWith("coming");
            assertThat(includes.ask("/inl", FragmentTerms.NONE))
                    .singleElement()
                    .asString()
                    .startsWith("at hand: document: in")
                    .endsWith("coming");
        }
    }

    @Test
    void pageThatIsStillStoredGivesItAgain() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            proxy.stored("/page", stampedPage(CARRIER));
            proxy.purge("/inl");

            assertThat(includes.ask("/inl", FragmentTerms.NONE))
                    .singleElement()
                    .asString()
                    .startsWith("at hand: document: in");
            assertThat(proxy.asked()).isEmpty();
        }
    }

    @Test
    void pageThatBringsItNoMoreIsAskedOnce() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            proxy.stored("/page", stampedPage(CARRIER));
            proxy.purge("/page");

            var heard = includes.ask("/inl", FragmentTerms.NONE);
            proxy.ask("/page").say(page("nothing"));
            assertThat(heard).containsExactly("MALFORMED 0");
            includes.ask("/inl", FragmentTerms.NONE);

            assertThat(proxy.asked()).containsExactly("/page", "/inl");
        }
    }

    @Test
    void failureOfThePageIsAFailureOfWhatItBrings() {
        try (var proxy = new OneThread();
                var includes = proxy.includes()) {
            proxy.stored("/page", stampedPage(CARRIER));
            proxy.purge("/page");

            var heard = includes.ask("/inl", FragmentTerms.NONE);
            proxy.ask("/page").say(answer("500 Broken", "x"));

            assertThat(heard).containsExactly("MALFORMED 0");
        }
    }

    @Test
    void pageIsAsPrivateAsTheOneThatBringsItsFragment() {
        try (var proxy = new OneThread()) {
            proxy.stored("/page", stampedPage(CARRIER));
            proxy.purge("/page");
            proxy.stored("/other", page("[" + include("/inl") + "]"));
            var client = proxy.client();

            client.get("/other", "Cookie: id=1");
            proxy.ask("/page")
                    .say(
                            ok(
                                    CARRIER.replace("@", OWN_STAMP + ":"),
                                    "Content-Type: text/html",
                                    "Cache-Control: private",
                                    "Surrogate-Control: content=\"ESI/1.0\", stamp=\""
                                            + OWN_STAMP
                                            + '"'));

            assertThat(client.received())
                    .contains("Cache-Control: private")
                    .doesNotContain("ETag")
                    .endsWith("[inline]");
        }
    }

    @Test
    void whatAPrivatePageBringsIsForThatPageAlone() {
        try (var proxy = new OneThread()) {
            var client = proxy.client();
            client.get("/page");
            proxy.ask("/page")
                    .say(
                            ok(
                                    "[" + CARRIER.replace("@", "") + include("/inl") + "]",
                                    "Content-Type: text/html",
                                    "Cache-Control: private",
                                    "Surrogate-Control: content=\"ESI/1.0\""));
            proxy.asked();

            assertThat(client.received()).contains("[inline]");

            client.get("/inl");

            assertThat(proxy.asked()).containsExactly("/inl");
        }
    }
}
