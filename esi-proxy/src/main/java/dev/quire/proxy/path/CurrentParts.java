package dev.quire.proxy.path;

import dev.quire.proxy.route.Router;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The parts for the next exchange, and replaced ones until their last exchange has ended.
 * Thread-safe.
 */
public final class CurrentParts {
    private final Streams streams = new Streams();
    private final List<ProxyParts> inUse = new CopyOnWriteArrayList<>();
    private volatile @Nullable ProxyParts parts;

    /** The responses of parts that are no longer in use. */
    private Responses past = new Responses(0, 0);

    /**
     * A number of responses to clients.
     *
     * @param errors those that were errors of a server or of the proxy, or broke off
     */
    public record Responses(long all, long errors) {
        Responses and(Responses more) {
            return new Responses(all + more.all, errors + more.errors);
        }
    }

    /** Returns the current parts, which have been set. */
    ProxyParts get() {
        var now = parts;
        if (now == null) {
            throw new IllegalStateException("no configuration is in use yet");
        }
        return now;
    }

    /** Uses {@code next} for all exchanges that begin from now on. One thread at a time. */
    void set(ProxyParts next) {
        var last = parts;
        inUse.add(next);
        parts = next;
        if (last != null) {
            last.replaced();
        }
    }

    /**
     * Whether a response to {@code lookup} may be stored now.
     *
     * @param number the generation of its target, which sent and judged it
     */
    boolean mayStore(Lookup lookup, long number) {
        var now = get();
        return now.number() == number
                || (now.router.match(lookup.key())
                                instanceof Router.Match.Matched<RouteTarget> found
                        && lookup.target().holdsUnder(found.target(), lookup.ruled().origin()));
    }

    /** Drops {@code unused}, which has been replaced; keeps its counts. */
    synchronized void forget(ProxyParts unused) {
        if (inUse.remove(unused)) {
            past = past.and(unused.answered());
        }
    }

    /** The responses of all generations so far. */
    synchronized Responses responses() {
        var all = past;
        for (var each : inUse) {
            all = all.and(each.answered());
        }
        return all;
    }

    /** Counts responses that go on without parts. */
    Streams streams() {
        return streams;
    }

    /** Exchanges in progress. */
    long open() {
        return inUse.stream().mapToLong(ProxyParts::open).sum() + streams.open();
    }

    /** Releases all parts. */
    void close() {
        inUse.forEach(ProxyParts::close);
    }
}
