package dev.quire.proxy;

import dev.quire.proxy.admin.HandoverReply;
import dev.quire.proxy.exchange.PlainWords;
import dev.quire.proxy.handover.HandoverOffer;
import dev.quire.proxy.handover.ListeningSockets;
import dev.quire.proxy.handover.Takeover;
import dev.quire.proxy.metrics.HandoverMetrics;
import dev.quire.proxy.metrics.HandoverMetrics.Handover;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands the listening sockets of the running proxy to a new process, one at a time. */
final class Handovers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Handovers.class);

    /** How long a new process may take until it is ready. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Giver giver;
    private final HandoverMetrics metrics;

    /** From the request until the offer has ended; the sockets do not change meanwhile. */
    private final AtomicBoolean isOffered = new AtomicBoolean();

    private volatile @Nullable HandoverOffer offer;
    private volatile boolean isGiven;

    /** The proxy that gives its sockets. */
    interface Giver {
        List<ListeningSockets> sockets();

        /** Closes its sockets, and passes its invalidations to {@code successor}. */
        void stopListening(HandoverOffer.Successor successor);

        /** Ends the process; without a grace if another one serves its clients. */
        void drain();
    }

    Handovers(Giver giver, HandoverMetrics metrics) {
        this.giver = giver;
        this.metrics = metrics;
    }

    boolean isOffered() {
        return isOffered.get();
    }

    /** Whether another process has the sockets, and this one accepts no more. */
    boolean isGiven() {
        return isGiven;
    }

    /** Ends the process once its requests have ended, although no other one takes over. */
    void drain() {
        giver.drain();
    }

    /** Offers the sockets. Blocks. */
    HandoverReply offer() {
        var obstacle = Takeover.obstacle();
        if (obstacle.isPresent()) {
            return new HandoverReply.Unavailable(obstacle.get(), "Linux with epoll");
        }
        if (!isOffered.compareAndSet(false, true)) {
            return new HandoverReply.Conflict(
                    "another process takes over", "one handover at a time");
        }
        try {
            var opened = HandoverOffer.open(giver.sockets(), new Owner(), PATIENCE);
            offer = opened;
            return new HandoverReply.Offered(opened.socket());
        } catch (IOException e) {
            isOffered.set(false);
            metrics.ended(Handover.FAILED);
            return new HandoverReply.Unavailable(
                    "a Unix socket cannot be created in "
                            + System.getProperty("java.io.tmpdir")
                            + ": "
                            + PlainWords.of(e),
                    "a directory for temporary files, with a short path");
        }
    }

    private final class Owner implements HandoverOffer.Owner {
        @Override
        public void stopListening(HandoverOffer.Successor successor) {
            isGiven = true;
            giver.stopListening(successor);
        }

        @Override
        public void ended(@Nullable String failure) {
            if (failure == null) {
                metrics.ended(Handover.GIVEN);
                LOG.atInfo()
                        .addKeyValue("event", "handover-given")
                        .log("handover: a new process accepts connections, this one drains");
                giver.drain();
            } else {
                metrics.ended(Handover.FAILED);
                LOG.atWarn()
                        .addKeyValue("event", "handover-failed")
                        .log("handover: this process continues to serve: {}", failure);
                isOffered.set(false);
            }
        }
    }

    /** Withdraws an offer, or closes the connection to the new process. */
    @Override
    public void close() {
        var open = offer;
        if (open != null) {
            open.close();
        }
    }
}
