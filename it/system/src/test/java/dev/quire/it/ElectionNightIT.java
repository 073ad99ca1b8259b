package dev.quire.it;

import static dev.quire.it.Answers.ESI;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.privately;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.it.Load.Asking;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.RunningProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The origin of a busy site fails and recovers. The system property {@code quire.outage} sets the
 * length of the outage in seconds.
 */
@Tag("measured")
class ElectionNightIT {
    private static final Duration OUTAGE =
            Duration.ofSeconds(Integer.getInteger("quire.outage", 5));
    private static final String OWN = "/own/";
    private static final int PAGES = 6;
    private static final int FRAGMENTS = 12;
    private static final int CLIENTS = 12;
    private static final Duration PACE = Duration.ofMillis(20);

    /** Without an outage everything is refreshed at least once in this time. */
    private static final Duration LONGEST_LIFETIME = Duration.ofSeconds(2);

    /** Times of the origin's requests for shared responses. */
    private final Queue<Long> requestNanos = new ConcurrentLinkedQueue<>();

    private final Origin origin = Origin.start().otherwise(this::answer);
    private final RunningProxy proxy =
            RunningProxy.inFrontOf(origin)
                    .origin("connect-timeout: 500ms, first-byte-timeout: 500ms")
                    .with("cache", "{ memory: 64MiB, grace: 1s }")
                    .start();
    private volatile boolean isFailing;

    /** The failure of the origin. */
    enum Death {
        /** Connections are refused, and open ones reset. */
        KILLED,
        /** Accepts connections and requests, but does not respond. */
        SILENT,
        /** Answers 503 to every request. */
        OVERLOADED
    }

    @AfterEach
    void stop() {
        proxy.close();
        origin.close();
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void nobodySeesAnErrorOfWhatHasStaleTimeAndRecoveryIsNoStampede(Death death) throws Exception {
        var askings = askings();
        List<Load.Visit> outage;
        List<Load.Visit> recovery;
        long begin;
        long up;
        try (var load = Load.start(CLIENTS, PACE, askings)) {
            load.runFor(Duration.ofSeconds(1));
            begin = System.nanoTime();
            Load.assertRight(load.runFor(LONGEST_LIFETIME.multipliedBy(2)));
            outage = outage(load, death);
            up = System.nanoTime();
            recovery = load.runFor(LONGEST_LIFETIME.multipliedBy(3));
        }

        var seen = new ArrayList<>(outage);
        seen.addAll(recovery);
        long errors = seen.stream().filter(visit -> !visit.isRight()).count();
        Figure.print(
                "election night, " + death,
                "errors in %d responses, origin down for %d s"
                        .formatted(seen.size(), OUTAGE.toSeconds()),
                errors,
                0);
        long steady = requestsFrom(begin, LONGEST_LIFETIME.multipliedBy(2)) / 2;
        long worst =
                IntStream.range(0, 20)
                        .mapToLong(i ->
                                requestsFrom(
                                        up + i * LONGEST_LIFETIME.toNanos() / 10, LONGEST_LIFETIME))
                        .max()
                        .orElseThrow();
        Figure.print(
                "election night, " + death,
                "most origin requests for shared responses in any %d s after recovery"
                        .formatted(LONGEST_LIFETIME.toSeconds()),
                worst,
                "2 x the steady " + steady);
        Load.assertRight(seen);
        assertThat(steady).as("origin requests under steady load").isPositive();
        assertThat(worst).as("origin requests after recovery").isPositive();
        assertThat(worst).isLessThanOrEqualTo(2 * steady);
    }

    private List<Load.Visit> outage(Load load, Death death) throws InterruptedException {
        return switch (death) {
            case KILLED -> {
                origin.goDown();
                var visits = load.runFor(OUTAGE);
                origin.comeUp();
                yield visits;
            }
            case SILENT -> {
                try (var silence = origin.holdAll()) {
                    var visits = load.runFor(OUTAGE);
                    silence.release();
                    yield visits;
                }
            }
            case OVERLOADED -> {
                isFailing = true;
                var visits = load.runFor(OUTAGE);
                isFailing = false;
                yield visits;
            }
        };
    }

    private long requestsFrom(long beginNanos, Duration time) {
        return requestNanos.stream()
                .filter(at -> at - beginNanos >= 0 && at - beginNanos < time.toNanos())
                .count();
    }

    /** Returns requests for every page and every fragment. */
    private Asking[] askings() {
        var pages =
                IntStream.range(0, PAGES)
                        .mapToObj(i ->
                                Asking.of(
                                        "page",
                                        proxy,
                                        "/page/" + i,
                                        response ->
                                                response.status() == 200
                                                        && response.text().equals(page(i))));
        var fragments =
                IntStream.range(0, FRAGMENTS)
                        .mapToObj(i -> Asking.of(proxy, "/fragment/" + i, fragment(i)));
        return Stream.concat(pages, fragments).toArray(Asking[]::new);
    }

    private Answer answer(ReceivedRequest request) {
        if (!request.path().startsWith(OWN)) {
            requestNanos.add(System.nanoTime());
        }
        if (isFailing) {
            return Answer.status(503).body("too much");
        }
        var path = request.path();
        int number = Integer.parseInt(path.substring(path.lastIndexOf('/') + 1));
        if (path.startsWith("/page/")) {
            return Answer.html(document(number))
                    .field("Surrogate-Control", ESI)
                    .field("Cache-Control", "max-age=2, stale-if-error=3600");
        }
        if (path.startsWith(OWN)) {
            return privately("");
        }
        // Some are refreshed in the background, some while the client waits.
        return Answer.html(fragment(number))
                .field(
                        "Cache-Control",
                        number % 2 == 0
                                ? "max-age=1, stale-while-revalidate=3600, stale-if-error=3600"
                                : "max-age=1, stale-if-error=3600");
    }

    /** Each page has half of the fragments, and an optional private one. */
    private static String document(int page) {
        var document = new StringBuilder("<h1>" + page + "</h1>");
        fragmentsOf(page).forEach(i -> document.append(include("/fragment/" + i)));
        return document.append(include(OWN + page)).toString();
    }

    private static String page(int page) {
        var text = new StringBuilder("<h1>" + page + "</h1>");
        fragmentsOf(page).forEach(i -> text.append(fragment(i)));
        return text.toString();
    }

    private static String fragment(int number) {
        return "<p>" + number + "</p>";
    }

    private static IntStream fragmentsOf(int page) {
        return IntStream.range(0, FRAGMENTS).filter(i -> i % 2 == page % 2);
    }
}
