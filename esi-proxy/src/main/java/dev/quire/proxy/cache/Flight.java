package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.Admission.Treatment;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.Moments;
import dev.quire.core.policy.RefusalReason;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.StandInCause;
import dev.quire.core.policy.Validation;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.OriginFetch;
import dev.quire.proxy.exchange.ResponseSink;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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
        /** As AWAITED, for so long that only the asker still waits. */
        OVERDUE,
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

    /** What the origin has been asked. */
    private enum Asking {
        /** What the client asks, under his own conditions if any. */
        FORWARDED,
        /** Whether what is stored still holds. */
        WHETHER_IT_HOLDS,
        /** Once more, without conditions: the 304 said nothing of what is stored. */
        AGAIN
    }

    /** Whom the fetch is for. */
    enum Sharing {
        /** All who ask meanwhile. */
        COALESCED,
        /** One, but what it brings may be stored. */
        ALONE,
        /** One, who asks for the head of what is stored; the answer may confirm or outdate it. */
        HEAD,
        /** One, whose request went up as it is. */
        PASSED
    }

    /** An asker who catches up is handed no more than this at a time. */
    private static final int PIECE_BYTES = 64 * 1024;

    /** What a flight needs of the house. */
    record Surroundings(
            PageStore store,
            HitForMiss hitForMiss,
            RefreshPauses refreshPauses,
            Transit transit,
            HeadBytes heads,
            Supplier<Instant> now,
            Supplier<Instant> wall,
            Supplier<Instant> steadyWall,
            CacheEvents events) {

        Moments momentsSince(Instant requestedAt) {
            return new Moments(requestedAt, now.get(), wall.get(), steadyWall.get());
        }
    }

    private final CacheKey key;
    private final EventLoop loop;
    private final OriginFetch fetch;
    private final IntakeRules rules;
    private final Sharing sharing;
    private final Surroundings around;
    private final Consumer<Flight> closed;
    private final Set<AnswerSink> takers = new LinkedHashSet<>();
    private final Tap tap = new Tap();
    private final Backlog backlog;
    private final Intake intake;

    private final PurgeLog.Epoch epoch;
    private @Nullable StoredResponse stale;
    private @Nullable AnswerSink asker;
    private State state = State.AWAITED;
    private Asking asking = Asking.FORWARDED;
    private boolean isRefresh;
    private Instant requestedAt;
    private @Nullable BodyFlow flow;
    private @Nullable ScheduledFuture<?> patience;
    private @Nullable ResponseHead received;

    /** Of the request that is under way, if it bears one. */
    private @Nullable Stamp stamp;

    private long handedBytes;
    private boolean isEndDue;

    /**
     * @param stale what the answer may validate, or null; the flight takes over one reference
     * @param closed told when nobody can join any more, and again when it has ended
     */
    Flight(
            CacheKey key,
            RequestHead request,
            EventLoop loop,
            OriginFetch fetch,
            IntakeRules rules,
            Sharing sharing,
            @Nullable StoredResponse stale,
            Surroundings around,
            Consumer<Flight> closed) {
        this.key = key;
        this.loop = loop;
        this.fetch = fetch;
        this.rules = rules;
        this.sharing = sharing;
        this.stale = stale;
        this.around = around;
        this.backlog = new Backlog(around.transit());
        this.closed = closed;
        this.epoch = around.store().fetchBegins(request);
        this.requestedAt = around.now().get();
        this.intake = new Intake(key, request, rules, isForOthers(sharing), around);
    }

    private static boolean isForOthers(Sharing sharing) {
        return switch (sharing) {
            case COALESCED, ALONE -> true;
            case HEAD, PASSED -> false;
        };
    }

    CacheKey key() {
        return key;
    }

    EventLoop loop() {
        return loop;
    }

    /** The status of the last head that came, 0 before; for those who have been answered. */
    int originStatus() {
        var last = received;
        return last == null ? 0 : last.status();
    }

    /** Whether it keeps what flows to the asker; for him, on the loop of both. */
    boolean isBeingStored() {
        return state == State.STORING_AND_FLOWING;
    }

    /** How long the answer is to be kept, as far as that is known; for the asker, as above. */
    Optional<Freshness> freshness() {
        return intake.freshness();
    }

    /** Begins; {@code first} is who asked, null for a refresh nobody waits for. */
    void start(@Nullable AnswerSink first) {
        isRefresh = first == null;
        asker = first;
        if (first != null) {
            takers.add(first);
        }
        var conditions =
                stale == null ? Fields.EMPTY : Validation.conditions(stale.head().fields());
        asking = conditions.equals(Fields.EMPTY) ? Asking.FORWARDED : Asking.WHETHER_IT_HOLDS;
        attempt(conditions);
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
            case AWAITED -> {
                takers.add(taker);
                waitPatiently();
            }
            case STORING, STORING_AND_FLOWING -> {
                if (intake.selecting().matches(taker.request())) {
                    takers.add(taker);
                } else {
                    alone(taker);
                }
            }
            case COMPILING, FLOWING -> alone(taker);
            case OVERDUE, ENDED -> {
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
            case AWAITED, OVERDUE -> {
                if (takers.isEmpty() && asker != null) {
                    abandon();
                }
            }
            case COMPILING, FLOWING -> {
                supersede();
                abandon();
            }
            case STORING_AND_FLOWING -> {
                if (taker.equals(asker)) {
                    state = State.STORING;
                }
            }
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
    public void asked(Stamp sent) {
        stamp = sent;
    }

    @Override
    public void head(ResponseHead given, BodyFlow body) {
        if (!isAwaited()) {
            body.cancel();
            return;
        }
        waitNoMore();
        flow = body;
        received = given;
        var old = stale;
        if (given.status() == 304 && old != null && asking != Asking.FORWARDED) {
            notModified(old, given);
            return;
        }
        var head = intake.judged(given, stamp);
        received = head;
        if (old != null && StandInCause.isErrorStatus(head.status()) && mayStandIn(old)) {
            body.cancel();
            dismissOthersThan(old.selecting());
            failed(
                    new Failure(
                            Side.ORIGIN,
                            Kind.STATUS,
                            head.status(),
                            key.url() + " gave " + head.status()));
            return;
        }
        if (old != null && sharing == Sharing.HEAD) {
            if (isConfirmed(old, head)) {
                return;
            }
            dropStale();
        }
        boolean isForPage = asker != null && asker.wantsWhole();
        switch (intake.begin(head, around.momentsSince(requestedAt), isForPage)) {
            case Treatment.Store store -> store(head, store.isDocument());
            case Treatment.Compile compile -> {
                state = State.COMPILING;
                forAskerOnly(compile.reason());
            }
            case Treatment.Flow flowing -> {
                state = State.FLOWING;
                var taker = forAskerOnly(flowing.reason());
                if (taker != null) {
                    if (intake.isStamped()) {
                        taker.stamped();
                    }
                    taker.head(head, tap);
                }
            }
            case Treatment.TooLarge large -> {
                body.cancel();
                failed(BodyCollector.tooLarge(key, large.maxBytes()));
            }
        }
    }

    @Override
    public void data(ByteBuf data) {
        try {
            take(data);
        } finally {
            data.release();
        }
    }

    private void take(ByteBuf data) {
        switch (state) {
            case STORING, COMPILING -> keep(data);
            case STORING_AND_FLOWING -> {
                boolean hadAll = handedBytes == intake.keptBytes();
                keep(data);
                if (state == State.STORING_AND_FLOWING && hadAll && !tap.isPaused) {
                    handedBytes += data.readableBytes();
                    asker().data(data.retain());
                }
            }
            case FLOWING -> {
                if (backlog.isEmpty() && !tap.isPaused) {
                    asker().data(data.retain());
                } else {
                    backlog.add(data.retain());
                }
            }
            case AWAITED, OVERDUE, ENDED -> {}
        }
    }

    @Override
    public void end() {
        switch (state) {
            case STORING, COMPILING -> {
                var failure = intake.ended();
                if (failure == null) {
                    refreshed(CacheEvents.Refresh.REPLACED);
                    complete(intake.finish());
                } else {
                    failed(failure);
                }
            }
            case STORING_AND_FLOWING -> {
                var taker = asker();
                takers.remove(taker);
                rest(taker, intake.finish());
            }
            case FLOWING -> {
                isEndDue = true;
                if (backlog.isEmpty()) {
                    endFlow();
                }
            }
            case AWAITED, OVERDUE, ENDED -> {}
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
            Seat.call(taker.loop(), () -> taker.failed(failure));
        }
    }

    private void endFlow() {
        var taker = asker();
        supersede();
        close();
        taker.end();
    }

    /** The asker may have had less than came; the others get the whole. */
    private void rest(AnswerSink taker, StoredResponse response) {
        int had = (int) handedBytes;
        boolean isHeld = had < response.length() && response.tryRetain();
        complete(response);
        if (isHeld) {
            taker.rest(response, had);
        } else {
            taker.end();
        }
    }

    private void attempt(Fields conditions) {
        requestedAt = around.now().get();
        stamp = null;
        try {
            var started = fetch.start(conditions, this);
            if (isAwaited() && flow == null) {
                flow = started;
            }
        } catch (RuntimeException bug) {
            // Whoever waits, or would join, must not wait for ever. Said later: who asks is not
            // called from within his asking.
            around.events().bug(key, bug);
            loop.execute(() -> failed(new Failure(Side.PROXY, Kind.BUG, bug.toString())));
        }
    }

    private boolean isAwaited() {
        return state == State.AWAITED || state == State.OVERDUE;
    }

    /**
     * The origin keeps the others waiting, and perhaps it is this connection's fault: they ask
     * again, and one of them leads another fetch. This one is the asker's alone from now on.
     */
    private void overdue() {
        patience = null;
        if (state != State.AWAITED) {
            return;
        }
        state = State.OVERDUE;
        closed.accept(this);
        for (var taker : List.copyOf(takers)) {
            if (!taker.equals(asker)) {
                takers.remove(taker);
                Seat.call(taker.loop(), taker::again);
            }
        }
        if (takers.isEmpty() && asker != null) {
            abandon();
        }
    }

    /** Counts the time from when somebody else waits than who asked; a timer for all of them. */
    private void waitPatiently() {
        boolean isSomebodyWaiting = takers.stream().anyMatch(taker -> !taker.equals(asker));
        if (patience == null && isSomebodyWaiting) {
            patience =
                    loop.schedule(
                            this::overdue, Coalescer.PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void waitNoMore() {
        if (patience != null) {
            patience.cancel(false);
            patience = null;
        }
    }

    private void store(ResponseHead head, boolean isDocument) {
        state = State.STORING;
        dismissOthersThan(intake.selecting());
        var first = asker;
        if (first != null
                && takers.contains(first)
                && !isDocument
                && !first.wantsWhole()
                && intake.isAsReceived()) {
            state = State.STORING_AND_FLOWING;
            // Told of the head, the asker drops what his request has made untrue. This answer came
            // of it, and is stored behind that (RFC 9111 §4.4).
            first.head(head, tap);
        }
    }

    private void notModified(StoredResponse old, ResponseHead head) {
        if (asking == Asking.AGAIN) {
            cancelFlow();
            failed(
                    new Failure(
                            Side.ORIGIN,
                            Kind.MALFORMED,
                            key.url() + " gave 304 again, and was asked without a condition"));
            return;
        }
        var merged =
                Validation.selects(old.head().fields(), head.fields()) ? renewed(old, head) : null;
        if (merged == null) {
            // It validates nothing we may keep (RFC 9111 §4.3.4): ask again without conditions.
            // What is stored stays until that is answered.
            cancelFlow();
            flow = null;
            asking = Asking.AGAIN;
            attempt(Fields.EMPTY);
            if (state == State.AWAITED) {
                waitPatiently();
            }
        } else {
            dismissOthersThan(merged.selecting());
            refreshed(CacheEvents.Refresh.RENEWED);
            complete(merged);
        }
    }

    private @Nullable StoredResponse renewed(StoredResponse old, ResponseHead head) {
        return intake.validated(
                old,
                Validation.merged(old.head(), head.fields()),
                around.momentsSince(requestedAt));
    }

    /**
     * Whether a 200 to HEAD renews what is stored (RFC 9111 §4.3.5); if it does not, that goes. One
     * with a cookie, which is that client's own, changes nothing.
     */
    private boolean isConfirmed(StoredResponse old, ResponseHead head) {
        if (head.status() != 200) {
            return false;
        }
        boolean isSame =
                old.head().status() == 200
                        && Validation.isConfirmedByHead(
                                old.head().fields(), old.originBytes(), head.fields());
        var renewed = isSame ? renewed(old, head) : null;
        if (renewed != null) {
            complete(renewed);
            return true;
        }
        if (!isSame || !intake.isForItsCookieAlone(head, around.momentsSince(requestedAt))) {
            around.store().supersede(old);
        }
        return false;
    }

    private void keep(ByteBuf data) {
        var failure = intake.add(data);
        if (failure == null) {
            return;
        }
        boolean hasBegun = state == State.STORING_AND_FLOWING;
        if (hasBegun || (state == State.STORING && intake.isAsReceived())) {
            flowAfterAll(unkept(failure), data, hasBegun);
        } else {
            cancelFlow();
            failed(failure);
        }
    }

    /** What was to come whole will not: the asker takes it as it comes, from where he stands. */
    private void flowAfterAll(RefusalReason reason, ByteBuf data, boolean hasBegun) {
        state = State.FLOWING;
        var kept = intake.surrender();
        if (kept != null) {
            backlog.add(kept.skipBytes((int) handedBytes));
        }
        backlog.add(data.retain());
        var taker = forAskerOnly(reason);
        if (taker == null || received == null) {
            return;
        }
        if (!hasBegun) {
            taker.head(received, tap);
        }
        tap.drain();
    }

    private static RefusalReason unkept(Failure failure) {
        return switch (failure.kind()) {
            case TOO_LARGE -> RefusalReason.SIZE;
            case OVERLOAD -> RefusalReason.TRANSIT;
            default -> RefusalReason.CODING;
        };
    }

    /** Hands {@code response} to the store, if it is shared, and to all who wait for the whole. */
    private void complete(StoredResponse response) {
        boolean isPurged = response.isShared() && !store(response);
        if (!response.isShared()) {
            supersede();
        }
        var waiting = List.copyOf(takers);
        close();
        for (var taker : waiting) {
            if (isPurged && !taker.equals(asker)) {
                // He may have come after the purge, and must not see what was there before it.
                Seat.call(taker.loop(), taker::again);
            } else if (response.tryRetain()
                    && !Seat.call(taker.loop(), () -> taker.stored(response))) {
                response.release();
            }
        }
        response.release();
    }

    /** False if {@code response} has been purged since the fetch began. */
    private boolean store(StoredResponse response) {
        if (response.length() > rules.maxObjectBytes()) {
            around.events().uncacheable(RefusalReason.SIZE);
            supersede();
            return !around.store().isPurged(response, epoch);
        }
        if (around.store().put(response, epoch)) {
            if (stale != null && !stale.selecting().equals(response.selecting())) {
                // What varies otherwise than before stands beside it, not in its place.
                around.store().supersede(stale);
            }
            around.hitForMiss().forget(key);
            around.refreshPauses().end(key);
            around.store().putInlines(response, epoch, around.heads());
            return true;
        }
        return false;
    }

    /** The others fetch for themselves, and nobody joins any more; the asker, if he is there. */
    private @Nullable AnswerSink forAskerOnly(RefusalReason reason) {
        // Without room the next answer may well be stored; side by side they would take even more.
        if (sharing == Sharing.COALESCED && reason != RefusalReason.TRANSIT) {
            around.hitForMiss().note(key);
        }
        around.events().uncacheable(reason);
        refreshed(CacheEvents.Refresh.UNCACHEABLE);
        // Nothing of it is stored any more: neither purges nor bans need to wait for its end.
        around.store().fetchEnded(epoch);
        if (state == State.FLOWING) {
            intake.discard();
        }
        closed.accept(this);
        dismiss(taker -> !taker.equals(asker));
        if (takers.isEmpty()) {
            supersede();
            abandon();
            return null;
        }
        return asker;
    }

    /**
     * What could not be stored has outdated what is: it has come whole, or nobody waits to see
     * that. A failure says nothing.
     */
    private void supersede() {
        var last = received;
        boolean isNewer =
                last != null && last.status() != 304 && !StandInCause.isErrorStatus(last.status());
        if (stale != null && isNewer) {
            around.store().supersede(stale);
        }
        dropStale();
    }

    private void dismissOthersThan(SelectingFields selecting) {
        dismiss(taker -> !selecting.matches(taker.request()));
    }

    private void dismiss(Predicate<AnswerSink> condition) {
        for (var taker : List.copyOf(takers)) {
            if (condition.test(taker)) {
                takers.remove(taker);
                alone(taker);
            }
        }
    }

    private void refreshed(CacheEvents.Refresh outcome) {
        if (!isRefresh) {
            return;
        }
        around.events().refreshed(outcome);
        boolean isFailure =
                switch (outcome) {
                    case FAILED -> true;
                    case UNCACHEABLE ->
                            received != null && StandInCause.isErrorStatus(received.status());
                    case RENEWED, REPLACED -> false;
                };
        if (isFailure) {
            around.refreshPauses().begin(key);
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
        waitNoMore();
        takers.clear();
        intake.discard();
        backlog.discard();
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

    private static void alone(AnswerSink taker) {
        Seat.call(taker.loop(), taker::alone);
    }

    /**
     * The asker's hand. What flows past runs at his speed: the origin is not read while he has not
     * had what came. What is being stored does not wait for him: he catches up from what is kept.
     */
    private final class Tap implements BodyFlow {
        private boolean isPaused;

        @Override
        public void pause() {
            isPaused = true;
            if (state == State.FLOWING && flow != null) {
                flow.pause();
            }
        }

        @Override
        public void resume() {
            isPaused = false;
            switch (state) {
                case STORING_AND_FLOWING -> catchUp();
                case FLOWING -> drain();
                case AWAITED, OVERDUE, STORING, COMPILING, ENDED -> {}
            }
        }

        @Override
        public void cancel() {
            if (asker != null) {
                leave(asker);
            }
        }

        private void catchUp() {
            while (!isPaused
                    && state == State.STORING_AND_FLOWING
                    && handedBytes < intake.keptBytes()) {
                var piece = intake.copy((int) handedBytes, PIECE_BYTES);
                handedBytes += piece.readableBytes();
                asker().data(piece);
            }
        }

        /** Hands over the backlog, piece by piece, while the asker takes it. */
        void drain() {
            while (!isPaused && state == State.FLOWING && !backlog.isEmpty()) {
                asker().data(backlog.next(PIECE_BYTES));
            }
            if (state != State.FLOWING || flow == null) {
                return;
            }
            if (!backlog.isEmpty()) {
                flow.pause();
            } else if (isEndDue) {
                endFlow();
            } else if (!isPaused) {
                flow.resume();
            }
        }
    }
}
