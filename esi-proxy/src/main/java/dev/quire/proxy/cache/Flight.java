package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.Moments;
import dev.quire.core.policy.StandInCause;
import dev.quire.core.policy.Validation;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.OriginFetch;
import dev.quire.proxy.exchange.ResponseSink;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One fetch, and everyone who waits for it. All its state belongs to the loop that fetches. */
final class Flight implements ResponseSink {

    /*
     * Who joins from another loop does so by a task on this one, and is answered by a task on his
     * own; a buffer is retained before the task is posted. A storable answer goes whole to all who
     * match it; the asker, whose own loop this is, may take it piecemeal while it is being stored.
     * An answer that is for the asker alone sends the others away at once, side by side.
     */

    private enum State {
        /** Asked; no head yet. */
        AWAITED,
        /** The answer is being kept, to be stored. */
        STORING,
        /** As STORING, while the asker already takes it piecemeal. */
        STORING_AND_FLOWING,
        /** The answer is an ESI document for the asker. */
        COMPILING,
        /** The answer flows past, to the asker. */
        FLOWING,
        ENDED
    }

    /** What a flight needs of the house. */
    record Surroundings(
            PageStore store,
            HitForMiss hitForMiss,
            Transit transit,
            HeadBytes heads,
            Supplier<Instant> now,
            Supplier<Instant> wall,
            CacheEvents events) {

        Moments momentsSince(Instant requestedAt) {
            return new Moments(requestedAt, now.get(), wall.get());
        }
    }

    private final CacheKey key;
    private final RequestHead request;
    private final EventLoop loop;
    private final OriginFetch fetch;
    private final IntakeRules rules;
    private final Surroundings around;
    private final Consumer<Flight> closed;
    private final PurgeLog.Epoch epoch;
    private final List<AnswerSink> takers = new ArrayList<>();

    private @Nullable StoredResponse stale;
    private @Nullable AnswerSink asker;
    private State state = State.AWAITED;
    private Intake intake;
    private boolean isRefresh;
    private Instant requestedAt;
    private @Nullable BodyFlow flow;

    /**
     * @param stale what the answer may validate, or null; the flight takes over one reference
     * @param closed told once, when nobody can join any more
     */
    Flight(
            CacheKey key,
            RequestHead request,
            EventLoop loop,
            OriginFetch fetch,
            IntakeRules rules,
            @Nullable StoredResponse stale,
            Surroundings around,
            Consumer<Flight> closed) {
        this.key = key;
        this.request = request;
        this.loop = loop;
        this.fetch = fetch;
        this.rules = rules;
        this.stale = stale;
        this.around = around;
        this.closed = closed;
        this.epoch = around.store().fetchBegins();
        this.requestedAt = around.now().get();
        this.intake = new Intake(key, request, rules, around);
    }

    CacheKey key() {
        return key;
    }

    EventLoop loop() {
        return loop;
    }

    /** Begins; {@code first} is who asked, null for a refresh nobody waits for. */
    void start(@Nullable AnswerSink first) {
        isRefresh = first == null;
        asker = first;
        if (first != null) {
            takers.add(first);
        }
        attempt(stale == null ? Fields.EMPTY : Validation.conditions(stale.head().fields()));
    }

    /** Never started: gives back what it holds. */
    void discard() {
        state = State.ENDED;
        dropStale();
        around.store().fetchEnded(epoch);
    }

    /** Lets {@code taker} wait too; false if this has ended. */
    boolean add(AnswerSink taker) {
        switch (state) {
            case AWAITED -> takers.add(taker);
            case STORING, STORING_AND_FLOWING -> {
                if (intake.selecting().matches(taker.request())) {
                    takers.add(taker);
                } else {
                    on(taker, taker::alone);
                }
            }
            case COMPILING, FLOWING -> on(taker, taker::alone);
            case ENDED -> {
                return false;
            }
        }
        return true;
    }

    /** {@code taker} waits no more. A fetch worth storing goes on without anyone. */
    void leave(AnswerSink taker) {
        if (!takers.remove(taker)) {
            return;
        }
        switch (state) {
            case AWAITED -> {
                if (takers.isEmpty() && asker != null) {
                    abandon();
                }
            }
            case COMPILING, FLOWING -> abandon();
            case STORING_AND_FLOWING -> state = State.STORING;
            case STORING, ENDED -> {}
        }
    }

    @Override
    public void interim(ResponseHead head) {
        var first = asker;
        if (first != null && takers.contains(first)) {
            first.interim(head);
        }
    }

    @Override
    public void head(ResponseHead head, BodyFlow body) {
        flow = body;
        var old = stale;
        if (old != null && old.hasValidator() && head.status() == 304) {
            notModified(old, head);
            return;
        }
        if (old != null && StandInCause.isErrorStatus(head.status()) && mayStandIn(old)) {
            body.cancel();
            failed(new Failure(Side.ORIGIN, Kind.STATUS, key.url() + " gave " + head.status()));
            return;
        }
        switch (intake.begin(head, around.momentsSince(requestedAt))) {
            case Intake.Treatment.Store store -> store(head, store.isDocument());
            case Intake.Treatment.Compile compile -> {
                state = State.COMPILING;
                forAskerOnly(compile.reason());
            }
            case Intake.Treatment.Flow flowing -> {
                state = State.FLOWING;
                var taker = forAskerOnly(flowing.reason());
                if (taker != null) {
                    taker.head(head, body);
                }
            }
        }
    }

    @Override
    public void data(ByteBuf data) {
        switch (state) {
            case STORING, COMPILING -> keep(data);
            case STORING_AND_FLOWING -> {
                asker().data(data.retain());
                keep(data);
            }
            case FLOWING -> asker().data(data.retain());
            case AWAITED, ENDED -> {}
        }
        data.release();
    }

    @Override
    public void end() {
        switch (state) {
            case STORING, COMPILING -> {
                refreshed(CacheEvents.Refresh.REPLACED);
                complete(intake.finish());
            }
            case STORING_AND_FLOWING -> {
                var taker = asker();
                takers.remove(taker);
                taker.end();
                complete(intake.finish());
            }
            case FLOWING -> {
                var taker = asker();
                close();
                taker.end();
            }
            case AWAITED, ENDED -> {}
        }
    }

    @Override
    public void failed(Failure failure) {
        if (state == State.ENDED) {
            return;
        }
        refreshed(CacheEvents.Refresh.FAILED);
        var waiting = List.copyOf(takers);
        close();
        for (var taker : waiting) {
            on(taker, () -> taker.failed(failure));
        }
    }

    private void attempt(Fields conditions) {
        requestedAt = around.now().get();
        var started = fetch.start(conditions, this);
        if (state == State.AWAITED && flow == null) {
            flow = started;
        }
    }

    private void store(ResponseHead head, boolean isDocument) {
        state = State.STORING;
        dismiss(taker -> !intake.selecting().matches(taker.request()));
        var first = asker;
        if (first != null && takers.contains(first) && !isDocument && !first.wantsWhole()) {
            state = State.STORING_AND_FLOWING;
            first.head(head, NO_TAP);
        }
    }

    private void notModified(StoredResponse old, ResponseHead head) {
        var merged =
                Validation.selects(old.head().fields(), head.fields())
                        ? intake.validated(
                                old,
                                Validation.merged(old.head(), head.fields()),
                                around.momentsSince(requestedAt))
                        : null;
        if (merged == null) {
            // It validates nothing we may keep (RFC 9111 §4.3.4): ask again without conditions.
            dropStale();
            flow = null;
            attempt(Fields.EMPTY);
        } else {
            refreshed(CacheEvents.Refresh.RENEWED);
            complete(merged);
        }
    }

    private void keep(ByteBuf data) {
        var failure = intake.add(data);
        if (failure == null) {
            return;
        }
        intake.discard();
        if (state == State.STORING_AND_FLOWING) {
            // Too much to keep, but the asker takes it piecemeal: he goes on, alone.
            state = State.FLOWING;
            forAskerOnly(Intake.Oversize.SIZE);
        } else {
            cancelFlow();
            failed(failure);
        }
    }

    /** Hands {@code response} to the store, if it is shared, and to all who wait for the whole. */
    private void complete(StoredResponse response) {
        if (response.isShared() && around.store().put(response, epoch)) {
            around.hitForMiss().forget(key);
        }
        var waiting = List.copyOf(takers);
        close();
        for (var taker : waiting) {
            if (response.tryRetain()) {
                on(taker, () -> taker.stored(response));
            }
        }
        response.release();
    }

    /** The others fetch for themselves, and nobody joins any more; the asker, if he is there. */
    private @Nullable AnswerSink forAskerOnly(Enum<?> reason) {
        around.hitForMiss().note(key);
        around.events().uncacheable(reason);
        refreshed(CacheEvents.Refresh.UNCACHEABLE);
        if (stale != null) {
            around.store().supersede(stale);
        }
        closed.accept(this);
        dismiss(taker -> taker != asker);
        if (takers.isEmpty()) {
            abandon();
            return null;
        }
        return asker;
    }

    private void dismiss(Predicate<AnswerSink> condition) {
        for (var taker : List.copyOf(takers)) {
            if (condition.test(taker)) {
                takers.remove(taker);
                on(taker, taker::alone);
            }
        }
    }

    private void refreshed(CacheEvents.Refresh outcome) {
        if (isRefresh) {
            around.events().refreshed(outcome);
        }
    }

    private void abandon() {
        cancelFlow();
        close();
    }

    private void cancelFlow() {
        if (flow != null) {
            flow.cancel();
        }
    }

    private void close() {
        if (state == State.ENDED) {
            return;
        }
        state = State.ENDED;
        takers.clear();
        intake.discard();
        dropStale();
        around.store().fetchEnded(epoch);
        closed.accept(this);
    }

    private void dropStale() {
        if (stale != null) {
            stale.release();
            stale = null;
        }
    }

    private AnswerSink asker() {
        if (asker == null) {
            throw new IllegalStateException("a body flows to nobody: " + key.url());
        }
        return asker;
    }

    private boolean mayStandIn(StoredResponse old) {
        return CachePolicy.mayStandIn(old, StandInCause.ERROR_STATUS, around.now().get());
    }

    private static void on(AnswerSink taker, Runnable call) {
        if (taker.loop().inEventLoop()) {
            call.run();
        } else {
            taker.loop().execute(call);
        }
    }

    /** A body being stored runs at the speed of the store, not of its reader. */
    private static final BodyFlow NO_TAP =
            new BodyFlow() {
                @Override
                public void pause() {}

                @Override
                public void resume() {}

                @Override
                public void cancel() {}
            };
}
