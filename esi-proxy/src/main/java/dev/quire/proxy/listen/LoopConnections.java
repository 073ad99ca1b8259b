package dev.quire.proxy.listen;

import dev.quire.proxy.fault.InternalErrors;
import io.netty.channel.EventLoop;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.LoggerFactory;

/** The client connections of one loop, checked twice a second. Confined to the loop. */
final class LoopConnections {
    private static final long CHECK_MILLIS = 500;

    private final InternalErrors errors =
            new InternalErrors(
                    LoggerFactory.getLogger(LoopConnections.class),
                    "the check of a client connection failed and will be repeated");

    private final Set<LoopConnection> open = new LinkedHashSet<>();
    private final EventLoop loop;
    private final Traffic traffic;
    private boolean isDraining;
    private boolean isCheckDue;

    /**
     * @param traffic counts the bytes of the loop
     */
    LoopConnections(EventLoop loop, Traffic traffic) {
        this.loop = loop;
        this.traffic = traffic;
    }

    Traffic traffic() {
        return traffic;
    }

    long now() {
        return loop.ticker().nanoTime();
    }

    /** Adds a connection, once. */
    void opened(LoopConnection connection) {
        if (open.add(connection)) {
            checkLater();
            if (isDraining) {
                connection.drain(GoAwayReason.DRAIN);
            }
        }
    }

    void closed(LoopConnection connection) {
        open.remove(connection);
    }

    void drain() {
        isDraining = true;
        List.copyOf(open).forEach(connection -> connection.drain(GoAwayReason.DRAIN));
    }

    /** Ends the connections that {@code allowed} rejects, after their current requests. */
    void endUnless(Predicate<Arrival> allowed, GoAwayReason reason) {
        for (var connection : List.copyOf(open)) {
            if (!allowed.test(connection.arrival())) {
                connection.drain(reason);
            }
        }
    }

    void end() {
        List.copyOf(open).forEach(LoopConnection::end);
    }

    private void checkLater() {
        if (!isCheckDue && !open.isEmpty()) {
            isCheckDue = true;
            loop.schedule(this::check, CHECK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void check() {
        isCheckDue = false;
        checkLater();
        long now = now();
        for (var connection : List.copyOf(open)) {
            try {
                connection.check(now);
            } catch (RuntimeException | Error bug) {
                errors.add(bug);
            }
        }
    }
}
