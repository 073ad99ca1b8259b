package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attributes of an include other than its URL, on the wire. */
class FragmentTermsIT {
    private final Origin origin = Origin.start();
    private final RunningProxy proxy = RunningProxy.inFrontOf(origin).start();

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void redirectedFragmentIsFollowed(int status) {
        origin.on("/page", page("<" + include("src='/old'") + ">"));
        origin.on("/old", Answer.status(status).field("Location", "/dir/new").body("moved"));
        origin.on("/dir/new", fragment("new"));

        assertThat(proxy.get("/page").text()).isEqualTo("<new>");
    }

    @Test
    void nestedAddressesStartWhereTheRedirectLed() {
        origin.on("/page", page("<" + include("src='/old'") + ">"));
        origin.on("/old", Answer.status(302).field("Location", "/dir/new"));
        origin.on("/dir/new", page("[" + include("src='leaf'") + "]"));
        origin.on("/dir/leaf", fragment("leaf"));

        assertThat(proxy.get("/page").text()).isEqualTo("<[leaf]>");
    }

    /** Redirects to foreign hosts are not followed, in any spelling. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://HOST/secret",
                "HTTP://HOST/secret",
                "//HOST/secret",
                "http:\\\\HOST\\secret",
                "\\\\HOST\\secret",
                "/\\HOST/secret",
                "http://example.test@HOST/secret",
                "http://HOST#.example.test/secret",
                "http://0x7f.1:PORT/secret",
                "http://2130706433:PORT/secret",
                "http://[::ffff:127.0.0.1]:PORT/secret",
                "http://localhost:PORT/secret"
            })
    void redirectReachesNoHostThatAnIncludeMayNotName(String location) {
        try (var internal = Origin.start()) {
            var address = internal.address();
            origin.on("/page", page("<" + include("src='/old'") + ">"));
            origin.on(
                    "/old",
                    Answer.status(302)
                            .field(
                                    "Location",
                                    location.replace("HOST", "127.0.0.1:" + address.getPort())
                                            .replace("PORT", "" + address.getPort())));

            assertThat(proxy.get("/page").text()).isEqualTo("<>");
            assertThat(internal.requests()).isEmpty();
        }
    }

    @Test
    void fragmentThatOnlyRedirectsEnds() {
        origin.on("/page", page("<" + include("src='/a' alt='/b'") + ">"));
        origin.on("/a", Answer.status(302).field("Location", "/a"));
        origin.on("/b", fragment("other"));

        assertThat(proxy.get("/page").text()).isEqualTo("<other>");
        assertThat(origin.requests("/a")).hasSize(4);
    }

    @Test
    void fragmentIsNotWaitedForLongerThanItsAuthorSays() {
        origin.on("/page", page("<" + include("src='/slow' maxwait='100'") + ">"));
        origin.on("/slow", fragment("slow"));
        var begun = Instant.now();
        try (var held = origin.hold("/slow")) {
            assertThat(held).isNotNull();
            assertThat(proxy.get("/page").text()).isEqualTo("<>");
        }

        assertThat(Duration.between(begun, Instant.now())).isLessThan(Duration.ofSeconds(8));
    }

    @Test
    void fieldsGoUpAsTheIncludeSays() {
        origin.on(
                "/page",
                page(
                        include(
                                "src='/f' setheader='X-Set: set' appendheader='X-Both: page'"
                                        + " removeheader='X-Gone'")));
        origin.on("/f", fragment("F"));

        var text = proxy.get("/page", "X-Set", "no", "X-Both", "client", "X-Gone", "no").text();

        var fields = origin.requests("/f").getFirst().fields();
        assertThat(text).isEqualTo("F");
        assertThat(fields.all("X-Set")).containsExactly("set");
        assertThat(fields.all("X-Both")).containsExactly("client", "page");
        assertThat(fields.contains("X-Gone")).isFalse();
        assertThat(fields.all("X-ESI-Level")).containsExactly("1");
    }

    @Test
    void fragmentMayBePosted() {
        origin.on("/page", page(include("src='/f' method='POST' entity=\"'a=1'\"")));
        origin.on("/f", Answer.html("posted"));

        assertThat(proxy.get("/page").text()).isEqualTo("posted");
        var posted = origin.requests("/f").getFirst();
        assertThat(posted.method()).isEqualTo("POST");
        assertThat(posted.body().text()).isEqualTo("a=1");
    }

    @Test
    void lifetimeOfAFragmentIsItsPagesToSay() {
        origin.on("/page", page(include("src='/kept' ttl='5m'") + include("src='/not' ttl='0s'")));
        origin.on("/kept", Answer.html("k"));
        origin.on("/not", fragment("n"));

        for (int i = 0; i < 3; i++) {
            assertThat(proxy.get("/page").text()).isEqualTo("kn");
        }

        assertThat(origin.requests("/kept")).hasSize(1);
        assertThat(origin.requests("/not")).hasSize(3);
    }

    @Test
    void partOfALegacyPageIsCutOut() {
        origin.on("/page", page("<" + include("src='/legacy' select='#main'") + ">"));
        origin.on("/legacy", fragment("<nav>n</nav><DIV id=main >m</DIV >"));

        assertThat(proxy.get("/page").text()).isEqualTo("<<DIV id=main >m</DIV >>");
        assertThat(proxy.get("/legacy").text()).startsWith("<nav>");
    }

    @Test
    void partOfALongPageIsCutOutBesideTheOtherFragments() {
        origin.on(
                "/page",
                page("<" + include("src='/legacy' select='#main'") + include("src='/f'") + ">"));
        origin.on(
                "/legacy",
                fragment("<p>n</p>".repeat(100_000) + "<i id=main>m</i>")
                        .field("Cache-Control", "max-age=60"));
        origin.on("/f", fragment("f"));

        assertThat(proxy.get("/page").text()).isEqualTo("<<i id=main>m</i>f>");
        assertThat(proxy.get("/page").text()).isEqualTo("<<i id=main>m</i>f>");
        assertThat(origin.requests("/legacy")).hasSize(1);
    }

    @Test
    void redirectedDocumentKnowsTheAddressItCameFrom() {
        origin.on("/page", page("<" + include("src='/old?x=1'") + ">"));
        origin.on("/old?x=1", Answer.status(302).field("Location", "/new?x=2"));
        origin.on("/new?x=2", page("<esi:vars>$(REQUEST_PATH) $(QUERY_STRING{x})</esi:vars>"));

        assertThat(proxy.get("/page").text()).isEqualTo("</new 2>");
    }

    private static String include(String attributes) {
        return "<esi:include " + attributes + "/>";
    }
}
