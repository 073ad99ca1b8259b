package dev.quire.proxy.store;

import dev.quire.proxy.cache.SharedRecords.Reason;
import dev.quire.proxy.exchange.PlainWords;
import dev.quire.proxy.fault.InternalErrors;
import io.netty.channel.EventLoop;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * A connection to a store, on one event loop. It connects again whenever it is closed. Confined to
 * that loop, except where noted.
 */
public abstract class ServerConnection {
    private static final InternalErrors ERRORS =
            new InternalErrors(
                    LoggerFactory.getLogger(ServerConnection.class),
                    "shared: a connection to the store failed and is made again");

    private static final long LEAST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    /** A connection that has lasted less is made again after a longer pause than the last. */
    private static final long LASTING_NANOS = LONGEST_PAUSE_MILLIS * 1_000_000;

    private final EventLoop loop;
    private final Listener listener;
    private final RecordSeal seal;
    private final Deadlines deadlines;
    private long pauseMillis = LEAST_PAUSE_MILLIS;
    private long connectedAt;
    private boolean isClosed;

    /** Receives what concerns the whole store. Called on the loop. */
    public interface Listener {
        void connected();

        /** Also called if connecting fails. */
        void disconnected(boolean wasConnected, String why);

        /** A call has its reply. */
        void answered();

        /** A call has none in time, or an error. */
        void failed(Reason reason, String detail);
    }

    protected ServerConnection(EventLoop loop, RecordTerms terms, Listener listener) {
        this.loop = loop;
        this.listener = listener;
        this.seal = new RecordSeal(terms.secret());
        this.deadlines = new Deadlines(loop);
    }

    /** Thread-safe. */
    public final EventLoop loop() {
        return loop;
    }

    /** Thread-safe. */
    public abstract boolean isConnected();

    /** Signs the records that are sent, and checks those that are received. */
    public final RecordSeal seal() {
        return seal;
    }

    protected final Listener listener() {
        return listener;
    }

    protected final Deadlines deadlines() {
        return deadlines;
    }

    /** Connects in the background, until that succeeds. */
    final void connect() {
        if (!isClosed) {
            guarded(this::open);
        }
    }

    /** Runs a step before it is connected: if it fails, connects again later. On the loop. */
    protected final void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error bug) {
            lost(false, PlainWords.of(bug));
        }
    }

    /** Begins to connect; {@link #opened} or {@link #lost} follows. */
    protected abstract void open();

    /** It is connected. */
    protected final void opened() {
        connectedAt = System.nanoTime();
        try {
            listener.connected();
        } catch (RuntimeException | Error bug) {
            ERRORS.add(bug);
            reset();
        }
    }

    /** The connection has ended, or was not made: connects again later. */
    protected final void lost(boolean wasConnected, String why) {
        try {
            listener.disconnected(wasConnected, why);
        } catch (RuntimeException | Error bug) {
            ERRORS.add(bug);
        }
        if (isClosed) {
            return;
        }
        if (wasConnected && System.nanoTime() - connectedAt > LASTING_NANOS) {
            pauseMillis = LEAST_PAUSE_MILLIS;
        }
        long pause = pauseMillis / 2 + ThreadLocalRandom.current().nextLong(pauseMillis / 2 + 1);
        pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
        loop.schedule(this::connect, pause, TimeUnit.MILLISECONDS);
    }

    /** Closes the connection, and connects again. */
    protected abstract void reset();

    /** Makes no other connection. */
    protected void close() {
        isClosed = true;
    }

    protected final boolean isClosed() {
        return isClosed;
    }
}
