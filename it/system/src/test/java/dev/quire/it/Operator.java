package dev.quire.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** The operator of a proxy, at its admin address. */
public final class Operator {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration POLL = Duration.ofMillis(1);

    private Operator() {}

    /** The response to this purge, a JSON document. */
    public static Response postPurge(RunningProxy proxy, String json) {
        return post(proxy, "/v1/purge", json);
    }

    /** The response to this ban, a JSON document. */
    static Response postBan(RunningProxy proxy, String json) {
        return post(proxy, "/v1/bans", json);
    }

    /** Whether the invalidation was made in the process; a slow disk may have it later. */
    public static boolean isMade(Response answer) {
        return answer.status() == 200
                || (answer.status() == 202 && answer.text().contains("\"durable\":false"));
    }

    private static Response post(RunningProxy proxy, String target, String json) {
        try (var wire = HttpWire.to(proxy.admin())) {
            return wire.request(
                            "POST",
                            target,
                            json.getBytes(UTF_8),
                            "Content-Type",
                            "application/json")
                    .response();
        }
    }

    /** Waits until a metric has fallen to {@code value}. */
    static void awaitMetricAtMost(RunningProxy proxy, String name, double value) {
        await(
                () -> proxy.metric(name) <= value,
                () ->
                        "expected %s to fall to %s, found %s"
                                .formatted(name, value, proxy.metric(name)));
    }

    /** Waits until {@code /v1/stats} contains {@code text}. */
    static void awaitStats(RunningProxy proxy, String text) {
        Supplier<String> stats = () -> proxy.getAdmin("/v1/stats").text();
        await(
                () -> stats.get().contains(text),
                () -> "expected %s, found %s".formatted(text, stats.get()));
    }

    /** Waits until the proxy reports that it accepts no more requests, or has closed the port. */
    static void awaitDraining(RunningProxy proxy) {
        await(
                () -> isDraining(() -> proxy.getAdmin("/readyz").status()),
                () -> "expected 503 from /readyz, found 200");
    }

    /** Whether {@code readyz} returns 503 or gets no response. */
    private static boolean isDraining(IntSupplier readyz) {
        try {
            return readyz.getAsInt() == 503;
        } catch (UncheckedIOException | AssertionError closed) {
            return true;
        }
    }

    /**
     * Whether {@code request} to the admin port gets no response: the port closes after the
     * connections of clients have begun to drain. A port that a container engine forwards accepts
     * connections although nothing listens behind it.
     */
    static boolean isClosed(Runnable request) {
        try {
            request.run();
            return false;
        } catch (UncheckedIOException | AssertionError closed) {
            return true;
        }
    }

    private static void await(BooleanSupplier reached, Supplier<String> failure) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(
                        failure.get() + " (waited " + PATIENCE.toSeconds() + " seconds)");
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }
}
