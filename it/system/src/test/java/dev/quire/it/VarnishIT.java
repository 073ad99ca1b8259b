package dev.quire.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.RunningProxy;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Varnish and Quire give the same bytes for every construct that both support (ESI 1.0 §3). Known
 * differences are explained with the page.
 */
class VarnishIT {
    private static final String HOST = "example.test";
    private static final int MIB = 1024 * 1024;
    private static final List<Integer> PIECES = List.of(1 << 20, 1, 7);

    private static final Origin ORIGIN = Origin.start();
    private static final RunningProxy QUIRE = RunningProxy.inFrontOf(ORIGIN).start();
    private static Optional<Varnish> varnish = Optional.empty();

    @BeforeAll
    static void serve() throws IOException, InterruptedException {
        varnish = Varnish.inFrontOf(ORIGIN.address().getPort());
        var names = List.of("first", "last", "alone", "instead", "no", "ab", "'q'", "a%20b");
        var letters = IntStream.rangeClosed('a', 'z').mapToObj(Character::toString);
        var numbers = IntStream.range(0, 40).mapToObj(Integer::toString);
        Stream.of(names.stream(), letters, numbers)
                .flatMap(each -> each)
                .forEach(name -> fragment("/fragment/" + name));
        fragment("/");
        ORIGIN.on("/empty/0", plain(""));
        for (int status : new int[] {204, 404, 500, 503}) {
            ORIGIN.on("/status/" + status, answer(status, status == 204 ? "" : "error page"));
        }
        ORIGIN.on("/reset", plain("nothing of it").resetAfter(0));
        ORIGIN.on("/broken", plain("half of it").cutAfter(4));
        ORIGIN.on("/redirect/a", answer(302, "").field("Location", "/fragment/a"));
        ORIGIN.on("/large/part", plain("").repeating("part ", MIB));
        ORIGIN.on(
                "/large/page",
                Answer.html("<p>" + "text ".repeat(MIB / 5) + Answers.include("/large/part") + "!")
                        .field("Surrogate-Control", "no-store, " + Answers.ESI)
                        .chunked());
    }

    @AfterAll
    static void stop() {
        varnish.ifPresent(Varnish::close);
        QUIRE.close();
        ORIGIN.close();
    }

    static List<PageCase> cases() throws IOException {
        return PageCase.all();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void quireGivesTheExpectedBytes(PageCase page) {
        for (int piece : PIECES) {
            var target = page.serve(ORIGIN, piece);
            try (var client = QUIRE.connect()) {
                assertThat(get(client, target)).isEqualTo(text(page.expected()));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void varnishGivesTheSameBytesUnlessADifferenceIsListed(PageCase page) {
        assumeThat(varnish).describedAs("Varnish, in a container or installed").isPresent();

        for (int piece : PIECES) {
            var target = page.serve(ORIGIN, piece);
            try (var client = varnish.orElseThrow().connect()) {
                page.expectedOfVarnish()
                        .ifPresentOrElse(
                                bytes -> assertThat(get(client, target)).isEqualTo(text(bytes)),
                                () ->
                                        assertThatExceptionOfType(AssertionError.class)
                                                .isThrownBy(() -> get(client, target)));
            }
        }
        assertThat(page.differsInVarnish())
                .isNotEqualTo(page.expectedOfVarnish().map(text -> same(text, page)).orElse(false));
    }

    @Test
    void largePagesAndFragmentsAreTheSame() {
        assumeThat(varnish).describedAs("Varnish, in a container or installed").isPresent();

        try (var one = QUIRE.connect();
                var other = varnish.orElseThrow().connect()) {
            assertThat(get(one, "/large/page")).isEqualTo(get(other, "/large/page"));
        }
    }

    private static boolean same(byte[] text, PageCase page) {
        return text(text).equals(text(page.expected()));
    }

    private static String get(HttpWire client, String target) {
        var response = client.get(target, "Host", HOST);
        assertThat(response.status()).isEqualTo(200);
        return text(response.body().bytes());
    }

    private static String text(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }

    private static void fragment(String path) {
        ORIGIN.on(path, request -> plain("[" + request.target() + "]"));
    }

    private static Answer plain(String text) {
        return answer(200, text);
    }

    private static Answer answer(int status, String text) {
        return Answer.status(status)
                .field("Content-Type", "text/html")
                .field("Surrogate-Control", "no-store")
                .body(text);
    }
}
