package dev.quire.proxy.path;

import static dev.quire.proxy.path.OneThread.answer;
import static dev.quire.proxy.path.OneThread.include;
import static dev.quire.proxy.path.OneThread.ok;
import static dev.quire.proxy.path.OneThread.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Assembly;
import dev.quire.proxy.path.OneThread.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The data passed to an observer of pages. */
class AssemblyObserverTest {
    private static final String FRESH = "Cache-Control: max-age=60";

    private final List<Assembly> told = new ArrayList<>();

    @Test
    void pageComesFirstThenItsFragmentsInTheOrderTheyWereAskedFor() {
        try (var proxy = observed()) {
            proxy.stored("/page", page(include("/late") + include("/hit") + include("/own")));
            proxy.stored("/hit", ok("H", FRESH));
            told.clear();
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/own").say(ok("O", "Cache-Control: private"));
            proxy.ask("/late").say(ok("L", FRESH));

            assertThat(client.received()).contains("HO").contains("L");
            assertThat(ways())
                    .containsExactly("0 /page HIT", "1 /late MISS", "1 /hit HIT", "1 /own PASS");
        }
    }

    @Test
    void partsTellTheirParents() {
        try (var proxy = observed()) {
            proxy.stored("/page", page(include("/box")));
            proxy.stored("/box", page(include("/in")));
            told.clear();

            proxy.client().get("/page");
            proxy.ask("/in").say(ok("I", FRESH));

            assertThat(ways()).containsExactly("0 /page HIT", "1 /box HIT", "2 /in MISS");
            assertThat(last().parts().get(2).parent()).isEqualTo(last().parts().get(1).key());
            assertThat(last().parts().get(1).parent()).isEqualTo(last().parts().get(0).key());
            assertThat(last().parts().get(0).parent()).isNull();
        }
    }

    @Test
    void whatIsKeptTellsForHowLong() {
        try (var proxy = observed()) {
            proxy.stored("/page", page(include("/a") + include("/own")));
            proxy.stored("/a", ok("A", "Cache-Control: max-age=60, stale-while-revalidate=30"));
            proxy.client().get("/page");
            proxy.ask("/own").say(ok("O", "Cache-Control: private", "Tag: it"));

            var parts = last().parts();

            assertThat(parts.get(1).freshness())
                    .hasValueSatisfying(clocks -> {
                        assertThat(clocks.lifetime()).isEqualTo(Duration.ofSeconds(60));
                        assertThat(clocks.grace()).isEqualTo(Duration.ofSeconds(30));
                    });
            assertThat(parts.get(2).freshness()).isEmpty();
            assertThat(parts.get(2).fields().first("Tag")).isEqualTo("it");
        }
    }

    @Test
    void ofTwoThatAreStaleTheOneInItsGraceDoesNotWait() {
        try (var proxy = observed()) {
            proxy.stored("/page", page(include("/grace") + include("/old"), "ETag: \"p\""));
            proxy.stored(
                    "/grace", ok("G", "Cache-Control: max-age=60, stale-while-revalidate=600"));
            proxy.stored("/old", ok("O", FRESH, "ETag: \"o\""));
            told.clear();
            proxy.pass(Duration.ofSeconds(100));

            proxy.client().get("/page");
            proxy.ask("/page").say(answer("304 Not Modified", "", "ETag: \"p\""));
            proxy.ask("/old").say(answer("304 Not Modified", "", "ETag: \"o\"", FRESH));

            proxy.ask("/grace").say(ok("G", FRESH));

            assertThat(ways())
                    .containsExactly("0 /page REVALIDATED", "1 /grace STALE", "1 /old REVALIDATED");
        }
    }

    @Test
    void missingFragmentsSayWhy() {
        try (var proxy = observed()) {
            proxy.stored("/page", page(include("/gone") + include("http://evil.test/x")));
            told.clear();

            proxy.client().get("/page");
            proxy.ask("/gone").say(answer("404 Not Found", "no"));

            assertThat(ways()).containsExactly("0 /page HIT", "1 /gone FAILED", "1 null FAILED");
            assertThat(last().parts().get(1).status()).isEqualTo(404);
            assertThat(String.valueOf(last().parts().get(1).failure()))
                    .isEqualTo("origin status: http://news.test/gone responded with status 404");
            assertThat(String.valueOf(last().parts().get(2).failure()))
                    .isEqualTo("proxy denied: a host that is neither the page's own nor allowed");
        }
    }

    @Test
    void whatStandsInForAnErrorIsStale() {
        try (var proxy = observed()) {
            proxy.stored("/page", page(include("/a"), FRESH));
            proxy.stored("/a", ok("A", "Cache-Control: max-age=1, stale-if-error=600"));
            told.clear();
            proxy.pass(Duration.ofSeconds(30));

            proxy.client().get("/page");
            proxy.ask("/a").say(answer("503 Service Unavailable", "down"));

            assertThat(ways()).containsExactly("0 /page HIT", "1 /a STALE");
        }
    }

    @Test
    void whatIsNoDocumentIsAPageOfOnePart() {
        try (var proxy = observed()) {
            proxy.client().get("/kept");
            proxy.ask("/kept").say(ok("K", FRESH));
            assertThat(ways()).containsExactly("0 /kept MISS");
            assertThat(last().parts().getFirst().freshness()).isPresent();

            proxy.client().get("/own");
            proxy.ask("/own").say(ok("O", "Cache-Control: private"));
            assertThat(ways()).containsExactly("0 /own PASS");

            proxy.client().get("/broken");
            proxy.ask("/broken").sayAtTheEnd("");
            proxy.ask("/broken").sayAtTheEnd("");
            assertThat(ways()).containsExactly("0 /broken FAILED");

            proxy.client().get("/kept");
            assertThat(ways()).containsExactly("0 /kept HIT");
        }
    }

    @Test
    void refreshInTheBackgroundIsNobodysPart() {
        try (var proxy = observed()) {
            proxy.stored("/a", ok("A", "Cache-Control: max-age=60, stale-while-revalidate=600"));
            told.clear();
            proxy.pass(Duration.ofSeconds(100));

            proxy.client().get("/a");
            proxy.ask("/a").say(ok("B", FRESH));

            assertThat(told).hasSize(1);
            assertThat(ways()).containsExactly("0 /a STALE");
        }
    }

    @Test
    void fragmentNobodyWaitsForAnyMoreIsNoPartOfThePage() {
        try (var proxy = observed()) {
            proxy.stored("/page", page(include("/slow")));
            told.clear();
            var client = proxy.client();

            client.get("/page");
            proxy.ask("/slow");
            client.hangUp();

            assertThat(ways()).containsExactly("0 /page HIT", "1 /slow FAILED");
        }
    }

    private OneThread observed() {
        return new OneThread(new Rules().observedBy(told::add));
    }

    private Assembly last() {
        return told.getLast();
    }

    private List<String> ways() {
        return last().parts().stream()
                .map(part ->
                        "%d %s %s"
                                .formatted(
                                        part.depth(),
                                        part.key() == null ? null : part.key().target(),
                                        part.way()))
                .toList();
    }
}
