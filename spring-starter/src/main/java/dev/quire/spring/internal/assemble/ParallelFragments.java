package dev.quire.spring.internal.assemble;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentAnswer;
import dev.quire.core.assemble.FragmentRequest;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The fragments of one page, fetched in parallel over HTTP from the application itself. Each fetch
 * waits on its own virtual thread. Responses are delivered on the thread of the page, in order of
 * arrival, so that all other page state is confined to one thread.
 */
final class ParallelFragments extends PageFragments {

    private final Loopback loopback;
    private final LoopbackPage page;
    private final boolean aloneByDispatch;
    private final Queue<Fetch> waiting = new ArrayDeque<>();
    private final Set<Fetch> inFlight = new HashSet<>();
    private final BlockingQueue<Completion> completions = new LinkedBlockingQueue<>();
    private Loopback.@Nullable Permit permit;
    private boolean refused;

    private record Completion(Fetch fetch, Fetched fetched) {}

    /**
     * Creates a source for one page.
     *
     * @param aloneByDispatch whether a single fragment, with no other to fetch, is dispatched
     */
    ParallelFragments(
            FragmentTransport dispatch,
            Rules rules,
            Loopback loopback,
            LoopbackPage page,
            boolean aloneByDispatch) {
        super(dispatch, rules);
        this.loopback = loopback;
        this.page = page;
        this.aloneByDispatch = aloneByDispatch;
    }

    /** One requested fragment. Confined to the page's thread, except {@link #run}. */
    private final class Fetch implements Fetching, Runnable {

        private final FragmentRequest request;
        private final StartedFragment started;
        private final Consumer<FragmentAnswer<FragmentBody>> answer;
        private final LoopbackTransport transport = new LoopbackTransport(loopback, page);

        Fetch(FragmentRequest request, Consumer<FragmentAnswer<FragmentBody>> answer) {
            this.request = request;
            this.started = started(request);
            this.answer = answer;
        }

        @Override
        public void run() {
            Fetched fetched =
                    new Fetched.Failed(
                            new Failure(
                                    Side.PROXY,
                                    Kind.UNREACHABLE,
                                    request.key().target() + " could not be fetched"));
            try {
                fetched = fetched(request, transport);
            } finally {
                completions.add(new Completion(this, fetched));
            }
        }

        void answer(Fetched fetched) {
            answer.accept(ParallelFragments.this.answer(started, fetched));
        }

        @Override
        public void cancel() {
            boolean isAwaited = waiting.remove(this);
            if (inFlight.remove(this)) {
                isAwaited = true;
                transport.cancel();
            }
            if (isAwaited) {
                cancelled(started);
            }
        }
    }

    @Override
    public Fetching fetch(FragmentRequest request, Consumer<FragmentAnswer<FragmentBody>> answer) {
        var fetch = new Fetch(request, answer);
        waiting.add(fetch);
        return fetch;
    }

    @Override
    boolean advance() {
        var next = waiting.peek();
        if (next == null) {
            return !inFlight.isEmpty() && handOver();
        }
        if (isAlone() || !isPermitted()) {
            waiting.remove();
            next.answer(dispatched(next.request));
            return true;
        }
        while (!waiting.isEmpty()) {
            var fetch = waiting.remove();
            inFlight.add(fetch);
            Thread.ofVirtual().name("quire-fragment").start(fetch);
        }
        return handOver();
    }

    private boolean isAlone() {
        return aloneByDispatch && inFlight.isEmpty() && waiting.size() == 1;
    }

    /** Whether this page has a permit to block its thread; requested once. */
    private boolean isPermitted() {
        if (permit == null && !refused) {
            permit = loopback.permit();
            refused = permit == null;
        }
        return permit != null;
    }

    /** Delivers the next response; each fetch ends by its own timeout at the latest. */
    private boolean handOver() {
        try {
            while (!inFlight.isEmpty()) {
                var next = completions.take();
                if (inFlight.remove(next.fetch())) {
                    next.fetch().answer(next.fetched());
                    return true;
                }
            }
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(
                    "interrupted while fragments were fetched", interrupted);
        }
    }

    @Override
    void end() {
        waiting.clear();
        for (var fetch : inFlight) {
            fetch.transport.cancel();
        }
        inFlight.clear();
        if (permit != null) {
            permit.close();
        }
    }
}
