package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.HttpWire;
import dev.quire.test.Response;
import dev.quire.test.RunningProxy;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Clients with connections of their own that ask over and over, each at an even pace and in turn
 * for all that is to be asked, until the load is closed. What goes wrong at a client is part of
 * what is seen, not thrown. Any thread.
 */
final class Load implements AutoCloseable {

    /**
     * What scheduling alone may add to a latency on a busy machine; much less than any time-out,
     * which is what a visit that is held up waits for.
     */
    private static final Duration JITTER = Duration.ofMillis(50);

    private final Queue<Visit> visits = new ConcurrentLinkedQueue<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final List<Thread> clients = new ArrayList<>();

    /**
     * One thing to ask for.
     *
     * @param name what its visits are found by
     * @param isRight whether a response is what it should be
     * @param fields of the request, names and values alternating
     */
    record Asking(
            String name,
            InetSocketAddress address,
            String target,
            Predicate<Response> isRight,
            List<String> fields) {

        Asking {
            fields = List.copyOf(fields);
        }

        /** Asks {@code proxy}; {@code text} is the one right body, with status 200. */
        static Asking of(RunningProxy proxy, String target, String text) {
            return of(
                    target,
                    proxy,
                    target,
                    response -> response.status() == 200 && response.text().equals(text));
        }

        static Asking of(
                String name, RunningProxy proxy, String target, Predicate<Response> isRight) {
            return new Asking(name, proxy.http(), target, isRight, List.of());
        }
    }

    /**
     * What came of asking once.
     *
     * @param atNanos when it was asked, by {@link System#nanoTime}
     * @param status 0 if no whole response came
     * @param complaint null if it was right
     */
    record Visit(String name, long atNanos, Duration took, int status, @Nullable String complaint) {
        boolean isRight() {
            return complaint == null;
        }
    }

    private Load() {}

    /** Begins; each of {@code clients} asks once in {@code every}, or at once after the answer. */
    static Load start(int clients, Duration every, Asking... askings) {
        var load = new Load();
        for (int i = 0; i < clients; i++) {
            int first = i;
            load.clients.add(
                    Thread.ofVirtual()
                            .name("client-" + i)
                            .start(() -> load.ask(first, clients, every.toNanos(), askings)));
        }
        return load;
    }

    /** Lets it run for {@code time}, and gives what was asked and answered in it. */
    List<Visit> runFor(Duration time) throws InterruptedException {
        long begin = System.nanoTime();
        if (stopped.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException("the load has been closed");
        }
        return visits.stream().filter(visit -> visit.atNanos() - begin >= 0).toList();
    }

    /** All visits so far. */
    List<Visit> visits() {
        return List.copyOf(visits);
    }

    /** Stops asking, and waits for the answers that are under way. */
    @Override
    public void close() {
        stopped.countDown();
        for (var client : clients) {
            try {
                assertThat(client.join(Duration.ofSeconds(30))).as("client has ended").isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while clients end", e);
            }
        }
    }

    /** Those of {@code visits} that asked for what is called {@code name}. */
    static List<Visit> of(Collection<Visit> visits, String name) {
        return visits.stream().filter(visit -> visit.name().equals(name)).toList();
    }

    /** The latency that only one in a hundred exceeds. */
    static Duration p99(Collection<Visit> visits) {
        assertThat(visits).isNotEmpty();
        var sorted = visits.stream().map(Visit::took).sorted().toList();
        return sorted.get((int) (sorted.size() * 0.99));
    }

    /** Holds the p99 of {@code visits} against twice that of {@code baseline}. */
    static void assertTwiceAtMost(
            String fault, String what, Collection<Visit> visits, Collection<Visit> baseline) {
        var measured = p99(visits);
        var bound = p99(baseline).multipliedBy(2);
        Figure.print(
                fault,
                what + ", p99 of " + visits.size(),
                Figure.ms(measured),
                "2 x the same run's baseline = " + Figure.ms(bound));
        assertThat(measured).as(what).isLessThanOrEqualTo(bound.plus(JITTER));
    }

    /** Every one of {@code visits} was right. */
    static void assertRight(Collection<Visit> visits) {
        assertThat(visits).isNotEmpty();
        assertThat(visits.stream().filter(visit -> !visit.isRight()).limit(5)).isEmpty();
    }

    private void ask(int first, int clients, long everyNanos, Asking[] askings) {
        var connections = new HashMap<InetSocketAddress, HttpWire>();
        // Clients that all begin at one moment would stay in step.
        long due = System.nanoTime() + everyNanos * first / clients;
        for (int next = first; stopped.getCount() > 0; next++) {
            while (due - System.nanoTime() > 0) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            visits.add(visit(askings[next % askings.length], connections));
            due = Math.max(due + everyNanos, System.nanoTime());
        }
        connections.values().forEach(HttpWire::close);
    }

    private static Visit visit(Asking asking, Map<InetSocketAddress, HttpWire> connections) {
        long at = System.nanoTime();
        try {
            var connection = connections.computeIfAbsent(asking.address(), HttpWire::to);
            var response = connection.get(asking.target(), asking.fields().toArray(String[]::new));
            var took = Duration.ofNanos(System.nanoTime() - at);
            if (!response.keepAlive()) {
                leave(asking, connections);
            }
            return new Visit(
                    asking.name(),
                    at,
                    took,
                    response.status(),
                    asking.isRight().test(response)
                            ? null
                            : response.status() + ": " + response.text());
        } catch (AssertionError | UncheckedIOException e) {
            leave(asking, connections);
            var took = Duration.ofNanos(System.nanoTime() - at);
            return new Visit(asking.name(), at, took, 0, e.toString());
        }
    }

    private static void leave(Asking asking, Map<InetSocketAddress, HttpWire> connections) {
        var connection = connections.remove(asking.address());
        if (connection != null) {
            connection.close();
        }
    }
}
