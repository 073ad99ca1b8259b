package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.it.Load.Asking;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.RunningProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The requests of others beside one client that sends the worst it can. */
@Tag("measured")
class AbuseIT {
    private static final Duration SPAN = Duration.ofSeconds(Integer.getInteger("quire.abuse", 8));
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    private static final Duration FIRST_BYTE = Duration.ofMillis(500);
    private static final String ABUSER = "127.0.0.2";
    private static final int UPLOADS = 400;

    private final Origin origin = Origin.start().otherwise(AbuseIT::answer);
    private final RunningProxy proxy =
            RunningProxy.inFrontOf(origin)
                    .origin("retries: 0, first-byte-timeout: " + FIRST_BYTE.toMillis() + "ms")
                    .start();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final List<Thread> abusers = new ArrayList<>();

    @AfterEach
    void stop() throws InterruptedException {
        stopped.countDown();
        for (var each : abusers) {
            assertThat(each.join(Duration.ofSeconds(20))).as("an abuser has ended").isTrue();
        }
        proxy.close();
        origin.close();
    }

    @Test
    void goodRequestsAreAnsweredBesideTwelveBadOnesASecond() throws Exception {
        List<Load.Visit> visits;
        try (var good =
                Load.start(
                        4,
                        Duration.ofSeconds(1),
                        Asking.of(proxy, "/good/1", "fine"),
                        Asking.of(proxy, "/good/2", "fine"))) {
            for (int i = 0; i < 12; i++) {
                var name = i % 2 == 0 ? "/late/" + i + "/" : "/broken/" + i + "/";
                abuse(Duration.ofMillis(i * 1000 / 12), () -> bad(name));
            }
            visits = good.runFor(SPAN);
        }

        long bad = origin.requests().stream().filter(AbuseIT::isBad).count();
        long answered = visits.stream().filter(Load.Visit::isRight).count();
        Figure.print(
                "A1",
                "good requests answered beside %d bad ones in %d s"
                        .formatted(bad, SPAN.toSeconds()),
                answered + " of " + visits.size(),
                "all but one");
        assertThat(bad).as("bad requests sent").isGreaterThan(6 * SPAN.toSeconds());
        assertThat(answered)
                .as("good requests answered, of %d: %s", visits.size(), visits)
                .isGreaterThanOrEqualTo(visits.size() - 1);
    }

    @Test
    void missesAreAsFastBesideFourHundredSlowUploads() throws Exception {
        List<Load.Visit> alone;
        List<Load.Visit> beside;
        List<Load.Visit> later;
        try (var misses =
                Load.start(8, Duration.ofMillis(50), Asking.of(proxy, "/good/miss", "fine"))) {
            misses.runFor(WARM_UP);
            alone = misses.runFor(SPAN.dividedBy(2));
            for (int i = 0; i < UPLOADS; i++) {
                abuse(Duration.ZERO, this::upload);
            }
            misses.runFor(Duration.ofSeconds(1));
            beside = misses.runFor(SPAN.dividedBy(2));
            later = misses.runFor(SPAN.dividedBy(2));
        }

        var bound = bound(alone);
        // The uploads are there all the time; what else the machine does is not.
        var measured = Collections.min(List.of(Load.p99(beside), Load.p99(later)));
        Figure.print(
                "A2",
                "misses beside %d slow uploads, p99 of %d".formatted(UPLOADS, beside.size()),
                Figure.ms(measured),
                Figure.ms(bound));
        Load.assertRight(beside);
        Load.assertRight(later);
        assertThat(measured)
                .as("p99 beside the uploads; alone %s", Figure.ms(Load.p99(alone)))
                .isLessThanOrEqualTo(bound);
    }

    private static Duration bound(Collection<Load.Visit> alone) {
        var p99 = Load.p99(alone);
        var twice = p99.multipliedBy(2);
        var more = p99.plusMillis(50);
        return twice.compareTo(more) > 0 ? twice : more;
    }

    private static Answer answer(ReceivedRequest request) {
        if (request.path().startsWith("/broken/")) {
            return Answer.reset();
        }
        var fine = Answer.html("fine").field("Cache-Control", "no-store");
        return isBad(request) ? fine.delayed(FIRST_BYTE.multipliedBy(2)) : fine;
    }

    private static boolean isBad(ReceivedRequest request) {
        return !request.path().startsWith("/good/");
    }

    private void abuse(Duration delay, Runnable what) {
        abusers.add(
                Thread.ofVirtual()
                        .start(() -> {
                            if (!hasStopped(delay)) {
                                what.run();
                            }
                        }));
    }

    /** Waits for {@code time}, or until the abuse ends. */
    private boolean hasStopped(Duration time) {
        try {
            return stopped.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    /** Asks for new paths below {@code name}, one a second. */
    private void bad(String name) {
        int number = 0;
        do {
            try (var client = connect()) {
                client.get(name + number++);
            }
        } while (!hasStopped(Duration.ofSeconds(1)));
    }

    private void upload() {
        try (var client = connect()) {
            client.send("POST /good/up HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
            do {
                client.send("-".repeat(1000));
            } while (!hasStopped(Duration.ofMillis(200)));
        }
    }

    private HttpWire connect() {
        try {
            var socket = new Socket();
            socket.bind(new InetSocketAddress(ABUSER, 0));
            return HttpWire.to(proxy.http(), socket);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot connect from " + ABUSER, e);
        }
    }
}
