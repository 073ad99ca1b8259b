package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.Admission.Decision;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.StandInCause;
import dev.quire.core.policy.StorageRefusal;
import dev.quire.core.policy.TrailerFields;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.PreparedFetch;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.proxy.exchange.TunnelEnd;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A fetch in flight, with all sinks that wait for it. Its state is confined to its loop. */
final class CoalescedFetch implements ResponseSink, AskerStream.End, SharedLease.Fetch {

    /*
     * A sink on another loop joins by a task on this loop, and is answered by a task on its own;
     * buffers are retained before the task is posted. A cacheable response is delivered whole to
     * all sinks that it matches; the asker, which is on this loop, may stream it while it is being
     * stored. If the response is private, the waiting requests are released at once to fetch.
     */

    private final FetchOrder order;
    private final FetchResources resources;
    private final Consumer<CoalescedFetch> closed;
    private final ResponseAdmission admission;
    private final Revalidation revalidation;
    private final FetchWaiters waiters;
    private final AskerStream stream;
    private final CacheUpdate update;

    private FetchState state = FetchState.AWAITED;
    private final AskedServer server;
    private @Nullable BodyFlow flow;
    private @Nullable ResponseHead received;

    /** The stamp of the current request, if it has one. */
    private @Nullable Stamp stamp;

    /**
     * @param stale the response to validate, or null; takes over one reference
     * @param closed called when no sink can join any more, and again when it has ended
     */
    CoalescedFetch(
            FetchOrder order,
            @Nullable StoredResponse stale,
            FetchResources resources,
            Consumer<CoalescedFetch> closed) {
        this.order = order;
        this.resources = resources;
        this.closed = closed;
        this.server = new AskedServer(order.loop().ticker(), resources);
        this.admission =
                new ResponseAdmission(
                        order.key(),
                        order.request(),
                        order.rules(),
                        order.sharing().isForOthers(),
                        resources);
        this.revalidation =
                new Revalidation(
                        stale,
                        admission,
                        (superseded, newer) ->
                                resources.supersede(superseded, newer, order.rules()));
        this.update = new CacheUpdate(order, resources, revalidation);
        this.waiters =
                new FetchWaiters(
                        order.loop(), order.rules().settings().staleIfSlow(), this::overdue);
        this.stream = new AskerStream(admission, resources.transit(), () -> state, this);
    }

    CacheKey key() {
        return order.key();
    }

    EventLoop loop() {
        return order.loop();
    }

    /** Whether a request that would start {@code fetch} may join: it would get the same. */
    boolean serves(PreparedFetch fetch, RouteCacheRules rules) {
        return order.rules().holdUnder(rules) && order.fetch().origin().equals(fetch.origin());
    }

    /** The server asked last; for sinks that have been answered. */
    AskedServer server() {
        return server;
    }

    /** Why the response is not stored, or null; for answered sinks. */
    @Nullable String refusal() {
        return update.refusal();
    }

    /**
     * Whether the response streamed to the asker is also stored; called by the asker, on the loop
     * of both.
     */
    boolean isBeingStored() {
        return isFeedingStore() && received != null && admission.hasRoom(received);
    }

    /** Whether the response is collected for the store while it is streamed to the asker. */
    boolean isFeedingStore() {
        return state == FetchState.STORING_AND_FLOWING;
    }

    /** Whether the request has the client's Range. */
    boolean isForPart() {
        return order.sharing() == FetchOrder.Sharing.PART;
    }

    /** Whether the request was repeated, since a 304 did not apply; called by the asker. */
    boolean isRepeated() {
        return revalidation.isRepeated();
    }

    /** The freshness of the response, if known; called by the asker. */
    Optional<Freshness> freshness() {
        return admission.freshness();
    }

    /** Starts the fetch; {@code first} is the asker, or null for a background refresh. */
    void start(@Nullable AnswerSink first) {
        if (first == null) {
            update.startsRefresh();
        } else {
            waiters.askedBy(first);
        }
        var lease = update.lease();
        if (lease == null) {
            leased();
        } else {
            flow = lease;
            lease.begin(this);
        }
    }

    @Override
    public void leased() {
        flow = null;
        attempt(revalidation.begin());
    }

    @Override
    public void foundElsewhere(StoredResponse response) {
        waiters.dismissOthersThan(response.selecting());
        update.refreshed(CacheEvents.Refresh.REPLACED);
        waiters.found();
        complete(response);
    }

    @Override
    public void failedElsewhere() {
        var old = revalidation.stale();
        if (old != null
                && revalidation.mayStandIn(StandInCause.NO_ANSWER, resources.time().now())) {
            waiters.dismissOthersThan(old.selecting());
            failed(OriginFailure.elsewhere(key()));
        } else {
            leased();
        }
    }

    /** Releases its resources without having been started. */
    void discard() {
        state = FetchState.ENDED;
        revalidation.drop();
        update.ended();
    }

    /** Adds {@code taker}. Returns false if this has ended. */
    boolean add(AnswerSink taker) {
        switch (state) {
            case AWAITED -> {
                waiters.add(taker);
                waiters.waitPatiently();
            }
            case STORING, STORING_AND_FLOWING -> {
                if (taker.request().isSelectedBy(admission.selecting())) {
                    waiters.add(taker);
                } else {
                    FetchSubscription.call(taker.loop(), taker::fetchSeparately);
                }
            }
            case COMPILING, FLOWING -> FetchSubscription.call(taker.loop(), taker::fetchSeparately);
            case OVERDUE, ENDED -> {
                return false;
            }
        }
        return true;
    }

    /** Removes {@code taker}. A fetch worth storing continues without waiting sinks. */
    void leave(AnswerSink taker) {
        if (!waiters.remove(taker)) {
            return;
        }
        switch (state) {
            case AWAITED, OVERDUE -> {
                if (waiters.isDeserted()) {
                    abandon();
                }
            }
            case COMPILING, FLOWING -> {
                revalidation.outdatedBy(received);
                abandon();
            }
            case STORING_AND_FLOWING -> {
                if (waiters.isAsker(taker)) {
                    state = FetchState.STORING;
                }
            }
            case STORING, ENDED -> {}
        }
    }

    /**
     * Removes {@code taker}, which uses a stale response instead. A fetch whose response may be
     * stored continues as a refresh.
     */
    void goOnWithout(AnswerSink taker) {
        if (state == FetchState.COMPILING) {
            // Not complete: it does not replace the stored response.
            revalidation.drop();
        } else if (order.sharing().isForOthers()) {
            waiters.keep();
            update.startsRefresh();
        }
        leave(taker);
    }

    /** Removes the asker, which asks for a part instead. Continues only if others wait. */
    void leaveForPart(AnswerSink taker) {
        if (isFeedingStore() && waiters.isOnlyFor(taker)) {
            update.refused(StorageRefusal.UNKNOWN_LENGTH, received);
            state = FetchState.FLOWING;
        }
        leave(taker);
    }

    @Override
    public void left() {
        leave(waiters.asker());
    }

    @Override
    public void interim(ResponseHead head) {
        var first = waiters.waitingAsker();
        if (first != null) {
            first.interim(head);
        }
    }

    @Override
    public void switched(ResponseHead head, TunnelEnd origin) {
        var first = waiters.waitingAsker();
        server.status(head.status());
        close();
        if (first == null) {
            origin.close();
        } else {
            first.switched(head, origin);
        }
    }

    @Override
    public void asked(Stamp sent) {
        stamp = sent;
    }

    @Override
    public void sentTo(String url) {
        server.sentTo(url);
        waiters.queued();
    }

    @Override
    public void sending() {
        server.sends();
        waiters.sending();
    }

    @Override
    public void head(ResponseHead given, BodyFlow body) {
        if (!isAwaited()) {
            body.cancel();
            return;
        }
        server.responds();
        server.status(given.status());
        waiters.waitNoMore();
        flow = body;
        received = given;
        if (revalidation.isNotModified(given)) {
            notModified(given);
            return;
        }
        var head = admission.judged(given, stamp);
        received = head;
        if (admission.rejection() != null) {
            body.cancel();
            failed(admission.rejection());
            return;
        }
        var old = revalidation.stale();
        if (old != null && revalidation.mayStandInFor(head, resources.time().now())) {
            body.cancel();
            waiters.dismissOthersThan(old.selecting());
            failed(OriginFailure.status(key(), head));
            return;
        }
        var times = server.times();
        if (old != null && order.sharing() == FetchOrder.Sharing.HEAD) {
            var confirmed = revalidation.confirmed(head, admission.arrived(head), times);
            if (confirmed != null) {
                complete(confirmed);
                return;
            }
            revalidation.drop();
        }
        switch (admission.begin(head, times, waiters.isForPage())) {
            case Decision.Store store -> store(head, body, store.isDocument());
            case Decision.Compile compile -> {
                state = FetchState.COMPILING;
                forAskerOnly(compile.reason());
            }
            case Decision.Flow flowing -> {
                state = FetchState.FLOWING;
                var taker = forAskerOnly(flowing.reason());
                if (taker != null) {
                    stream.begin(taker, body, head);
                }
            }
            case Decision.TooLarge large -> {
                body.cancel();
                failed(BodyCollector.tooLarge(key(), large.maxBytes()));
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
                boolean wasLevel = stream.isLevel();
                keep(data);
                if (state == FetchState.STORING_AND_FLOWING && wasLevel) {
                    stream.handOn(data);
                }
            }
            case FLOWING -> stream.pass(data);
            case AWAITED, OVERDUE, ENDED -> {}
        }
    }

    /** They are not stored: only an asker that streams the response gets them. */
    @Override
    public void trailers(Fields fields) {
        var taker = waiters.waitingAsker();
        if (taker != null && received != null && stream.hasBegun()) {
            taker.trailers(TrailerFields.ofResponse(received.fields(), fields));
        }
    }

    @Override
    public void end() {
        switch (state) {
            case STORING, COMPILING -> admission.ended(this::later, this::ended);
            case STORING_AND_FLOWING -> {
                // First: if there is no memory, the asker is one of those that are told.
                var response = admission.finish();
                waiters.remove(waiters.asker());
                update.refreshed(CacheEvents.Refresh.REPLACED);
                stream.end(response, () -> complete(response));
            }
            case FLOWING -> stream.endPassing();
            case AWAITED, OVERDUE, ENDED -> {}
        }
    }

    private void ended(@Nullable Failure failure) {
        if (failure == null) {
            var response = admission.finish();
            update.refreshed(CacheEvents.Refresh.REPLACED);
            complete(response);
        } else {
            failed(failure);
        }
    }

    @Override
    public void later(Runnable step) {
        loop().execute(() -> {
            try {
                step.run();
            } catch (RuntimeException | Error fault) {
                failed(new Failure(Side.PROXY, Kind.BUG, fault.toString()));
                resources.events().bug(key(), fault);
            }
        });
    }

    @Override
    public void failed(Failure failure) {
        if (state == FetchState.ENDED) {
            return;
        }
        resources.guarded(key(), server::failed, update::failed);
        var waiting = waiters.takeAll();
        close();
        FetchWaiters.fail(waiting, failure);
    }

    @Override
    public void drained() {
        var taker = waiters.asker();
        revalidation.outdatedBy(received);
        close();
        taker.end();
    }

    private void attempt(Fields conditions) {
        server.begins();
        waiters.queued();
        stamp = null;
        try {
            var started = order.fetch().start(conditions, this);
            if (isAwaited() && flow == null) {
                flow = started;
            }
        } catch (RuntimeException | Error bug) {
            // So that the asker is not called within its own call.
            later(() -> {
                throw bug;
            });
        }
    }

    private boolean isAwaited() {
        return state == FetchState.AWAITED || state == FetchState.OVERDUE;
    }

    /**
     * The origin is slow, perhaps only on this connection: the other sinks look again, and one of
     * them starts another fetch. This fetch is for the asker alone from now on.
     */
    private void overdue() {
        if (state != FetchState.AWAITED) {
            return;
        }
        state = FetchState.OVERDUE;
        closed.accept(this);
        waiters.sendOthersBack();
        if (waiters.isDeserted()) {
            abandon();
        }
    }

    private void store(ResponseHead head, BodyFlow body, boolean isDocument) {
        state = FetchState.STORING;
        waiters.dismissOthersThan(admission.selecting());
        var first = waiters.waitingAsker();
        if (first != null && !isDocument && !first.wantsWhole() && admission.isAsReceived()) {
            state = FetchState.STORING_AND_FLOWING;
            // On receiving the head, the asker invalidates after an unsafe request. This response
            // results from that request, and is stored after the invalidation (RFC 9111 §4.4).
            stream.begin(first, body, head);
        }
    }

    private void notModified(ResponseHead head) {
        if (revalidation.isRepeated()) {
            cancelFlow();
            failed(OriginFailure.unaskedNotModified(key()));
            return;
        }
        var renewed = revalidation.renewed(head, server.times());
        if (renewed == null) {
            // It validates nothing that may be stored (RFC 9111 §4.3.4): repeat without conditions.
            // The stored response stays until there is a new one.
            cancelFlow();
            flow = null;
            revalidation.repeat();
            attempt(Fields.EMPTY);
        } else {
            waiters.dismissOthersThan(renewed.selecting());
            update.refreshed(CacheEvents.Refresh.RENEWED);
            complete(renewed);
        }
    }

    private void keep(ByteBuf data) {
        var failure = admission.add(data);
        if (failure != null && state != FetchState.COMPILING && admission.isAsReceived()) {
            flowAfterAll(CacheUpdate.reason(failure), data);
        } else if (failure != null) {
            cancelFlow();
            failed(failure);
        }
    }

    /**
     * The response turned out not to be cacheable: the asker streams it from its current position.
     */
    private void flowAfterAll(StorageRefusal reason, ByteBuf data) {
        state = FetchState.FLOWING;
        stream.keepNoMore(data);
        var taker = forAskerOnly(reason);
        if (taker == null || flow == null || received == null) {
            return;
        }
        if (!stream.hasBegun()) {
            stream.begin(taker, flow, received);
        }
        stream.drain();
    }

    /** Stores {@code response} if it is shared, and delivers it to all waiting sinks. */
    private void complete(StoredResponse response) {
        try {
            boolean isPurged = !update.store(response, received);
            var waiting = waiters.takeAll();
            close();
            waiters.answer(waiting, response, isPurged);
        } finally {
            response.release();
        }
    }

    /**
     * Releases the other sinks to fetch for themselves, and closes the fetch to new ones. Returns
     * the asker, or null if it has left.
     */
    private @Nullable AnswerSink forAskerOnly(StorageRefusal reason) {
        update.refused(reason, received);
        if (state == FetchState.FLOWING) {
            admission.discard();
        }
        closed.accept(this);
        waiters.dismissOthers();
        if (waiters.isEmpty()) {
            revalidation.outdatedBy(received);
            abandon();
            return null;
        }
        return waiters.asker();
    }

    private void abandon() {
        resources.guarded(key(), this::cancelFlow);
        close();
    }

    private void cancelFlow() {
        if (flow != null) {
            flow.cancel();
        }
    }

    private void close() {
        if (state == FetchState.ENDED) {
            return;
        }
        state = FetchState.ENDED;
        waiters.takeAll();
        resources.guarded(
                key(),
                admission::discard,
                stream::discard,
                revalidation::drop,
                update::ended,
                () -> closed.accept(this));
    }
}
