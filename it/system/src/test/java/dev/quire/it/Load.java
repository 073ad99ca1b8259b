package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.io.IOException;
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
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Clients with their own connections that send requests in turn at an even pace until the load is
 * closed. Errors at a client are recorded, not thrown. Thread-safe.
 */
final class Load implements AutoCloseable {

    /**
     * The latency that scheduling alone may add on a busy machine; much less than any timeout, for
     * which a blocked request would wait.
     */
    private static final Duration JITTER = Duration.ofMillis(50);

    private final Queue<Visit> visits = new ConcurrentLinkedQueue<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final List<Thread> clients = new ArrayList<>();

    /**
     * * A request to repeat.
     *
     * @param name name in its visits
     * @param isRight whether a response is correct
     * @param fields of the request, names and values alternating
     * @param tls null without TLS
     */
    record Asking(
            String name,
            InetSocketAddress address,
            String target,
            Predicate<Response> isRight,
            List<String> fields,
            @Nullable SSLContext tls) {

        Asking {
            fields = List.copyOf(fields);
        }

        Asking(
                String name,
                InetSocketAddress address,
                String target,
                Predicate<Response> isRight,
                List<String> fields) {
            this(name, address, target, isRight, fields, null);
        }

        private HttpWire connect() {
            if (tls == null) {
                return HttpWire.to(address);
            }
            try {
                return HttpWire.to(
                        address,
                        tls.getSocketFactory()
                                .createSocket(address.getAddress(), address.getPort()));
            } catch (IOException e) {
                throw new UncheckedIOException("cannot connect to " + address, e);
            }
        }

        /** Sends requests to {@code proxy}; expects status 200 and the body {@code text}. */
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
     * The result of one request.
     *
     * @param atNanos time of the request, from {@link System#nanoTime}
     * @param status 0 without a complete response
     * @param complaint null if the response was correct
     */
    record Visit(String name, long atNanos, Duration took, int status, @Nullable String complaint) {
        boolean isRight() {
            return complaint == null;
        }
    }

    private Load() {}

    /**
     * Starts the load; each client sends a request every {@code every}, or at once after a late
     * response.
     */
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

    /** Runs for {@code time} and returns the requests that were sent and answered in it. */
    List<Visit> runFor(Duration time) throws InterruptedException {
        long begin = System.nanoTime();
        if (stopped.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException("the load is closed");
        }
        return visits.stream().filter(visit -> visit.atNanos() - begin >= 0).toList();
    }

    /** Returns all visits so far. */
    List<Visit> visits() {
        return List.copyOf(visits);
    }

    /** Stops sending requests and awaits those in flight. */
    @Override
    public void close() {
        stopped.countDown();
        for (var client : clients) {
            try {
                assertThat(client.join(Duration.ofSeconds(30))).as("client has ended").isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting for the clients", e);
            }
        }
    }

    /** Returns the visits named {@code name}. */
    static List<Visit> of(Collection<Visit> visits, String name) {
        return visits.stream().filter(visit -> visit.name().equals(name)).toList();
    }

    /** Returns the 99th percentile of the latency. */
    static Duration p99(Collection<Visit> visits) {
        assertThat(visits).isNotEmpty();
        var sorted = visits.stream().map(Visit::took).sorted().toList();
        return sorted.get((int) (sorted.size() * 0.99));
    }

    /** Asserts that the p99 of {@code visits} is at most twice that of {@code baseline}. */
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

    /** Asserts that all {@code visits} were correct. */
    static void assertRight(Collection<Visit> visits) {
        assertThat(visits).isNotEmpty();
        assertThat(visits.stream().filter(visit -> !visit.isRight()).limit(5)).isEmpty();
    }

    private void ask(int first, int clients, long everyNanos, Asking[] askings) {
        var connections = new HashMap<InetSocketAddress, HttpWire>();
        // Clients that start at the same time would stay in step.
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
            var connection =
                    connections.computeIfAbsent(asking.address(), same -> asking.connect());
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
