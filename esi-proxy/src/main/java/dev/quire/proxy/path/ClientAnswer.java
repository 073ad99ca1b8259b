package dev.quire.proxy.path;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Admission;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.ClientDirectives;
import dev.quire.core.policy.Conditions;
import dev.quire.core.policy.ForwardReason;
import dev.quire.core.policy.RangeAnswer;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.StandInCause;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.DocumentKind;
import dev.quire.proxy.cache.FetchSubscription;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.deliver.BodyParts;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ResponseChannel;
import dev.quire.proxy.exchange.TierSearch;
import dev.quire.proxy.exchange.TunnelEnd;
import dev.quire.proxy.gzip.GzipPiece;
import dev.quire.proxy.metrics.Metrics;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Receives the response to a client request and delivers it. */
final class ClientAnswer implements AnswerSink, Exchange.Delivery {
    private final Exchange exchange;
    private final Lookup lookup;
    private AnswerSteps steps;
    private final ResponseChannel client;

    private @Nullable FetchSubscription subscription;

    /** Why the request went to the origin; null if it did not. */
    private @Nullable ForwardReason forwardReason;

    /** The failure of the origin for which a stale response is used; otherwise null. */
    private @Nullable Failure stoodInFor;

    private @Nullable BodyFlow flow;

    /** Answers Range; created if it is needed. */
    private @Nullable ArrivingParts parts;

    /** Created for a streamed response; a stored one does not need it. */
    private @Nullable UnwrittenAnswer unwritten;

    /** The kind of the response whose head arrives next. */
    private DocumentKind kind = DocumentKind.NONE;

    /** Whether a request was sent for this client alone, with the codings it accepts. */
    private boolean hasOwnFetch;

    /** Whether a stream of events was silent since the last check. */
    private boolean isSilent;

    /** Whether the stale response that was to be used cannot be decoded for this client. */
    private boolean isStaleUseless;

    /** Whether the client has got a 103 (Early Hints). */
    private boolean isHinted;

    private boolean isOver;
    private boolean isDeclined;

    ClientAnswer(Lookup lookup, AnswerSteps steps) {
        this.exchange = lookup.exchange();
        this.lookup = lookup;
        this.steps = steps;
        this.client = exchange.response();
    }

    void begin() {
        exchange.deliverBy(this);
        retryLookup();
    }

    @Override
    public EventLoop loop() {
        return exchange.loop();
    }

    @Override
    public SentRequest request() {
        return lookup.sent();
    }

    @Override
    public boolean wantsWhole() {
        return false;
    }

    @Override
    public boolean takesStored() {
        return exchange.directives().equals(ClientDirectives.NONE);
    }

    @Override
    public boolean hasStandIn() {
        return !isStaleUseless && steps.path().fallback().isReadyFor(lookup);
    }

    @Override
    public boolean isServedStale() {
        if (isOver || isStaleUseless || unwritten != null || client.status() != 0) {
            return false;
        }
        var standIn = steps.path().fallback().whileSlow(lookup);
        if (standIn == null) {
            return false;
        }
        standIn(standIn, StandInCause.SLOW, Metrics.label(StandInCause.SLOW));
        return true;
    }

    @Override
    public void stored(StoredResponse response) {
        if (!lookup.isServedBy(response) || !(hasOwnFetch || lookup.canTake(response))) {
            // The fetch it joined did not store the source or the coding that is needed here.
            response.release();
            fetchSeparately();
            return;
        }
        var now = steps.time().now();
        var fetches = steps.path().fetches();
        HandlingNotes.answered(lookup, response, forwardReason, subscription, null, fetches, now);
        deliver(response, now);
    }

    /** Takes over one reference. */
    private void deliver(StoredResponse response, Instant now) {
        var page = steps.errors().inPlaceOf(response.head(), exchange);
        if (page != null) {
            isOver = true;
            var intercepted = response.head();
            response.release();
            steps.errors().send(exchange, page, intercepted, steps);
            return;
        }
        if (response.compiled() == null) {
            if (lookup.accepts(response) || !lookup.canTake(response)) {
                whole(response, now);
            } else {
                steps.reshaping().decoded(response, exchange, plain -> decoded(response, plain));
            }
            return;
        }
        isOver = true;
        if (DelegatedAnswer.isFor(lookup, response.stampStatus() == StampStatus.STAMPED)) {
            new DelegatedAnswer(lookup, steps.reshaping()).send(response, now);
        } else if (steps.pages().deliver(exchange, lookup, response)) {
            isHinted = steps.hints().whileFragmentsAreAwaited(lookup, response.head(), isHinted);
        }
    }

    /** Stops waiting for the origin. Returns whether a stale response is sent instead. */
    boolean endsWait() {
        if (isOver || unwritten != null) {
            return false;
        }
        left();
        return isServedStale();
    }

    /** Sends a response that is not assembled; takes over one reference. */
    private void whole(StoredResponse response, Instant now) {
        if (steps.codings().isToBeCompressed(response, exchange)) {
            steps.codings().compressed(response, exchange, piece -> send(response, piece, now));
        } else {
            send(response, null, now);
        }
    }

    /**
     * Sends {@code response}; takes over one reference.
     *
     * @param compressed its body; null to send it as it is
     */
    private void send(StoredResponse response, @Nullable GzipPiece compressed, Instant now) {
        if (isOver) {
            response.release();
            return;
        }
        isOver = true;
        new WholeAnswer(exchange, steps).send(response, compressed, now);
    }

    /**
     * Handles {@code coded}, whose content coding the client does not accept.
     *
     * @param plain the decoded form, which takes over the reference; null if undecodable
     */
    private void decoded(StoredResponse coded, @Nullable StoredResponse plain) {
        var failure = stoodInFor;
        if (isOver) {
            (plain == null ? coded : plain).release();
        } else if (plain != null) {
            whole(plain, steps.time().now());
        } else if (failure != null) {
            coded.release();
            refuse(failure);
        } else {
            // The origin learns which codings the client accepts.
            isStaleUseless = true;
            coded.release();
            forwardReason = ForwardReason.VARY_MISS;
            var fetches = steps.path().fetches();
            subscribed(
                    lookup.asksForPart()
                            ? fetches.part(lookup, sink())
                            : fetches.forward(lookup, sink()));
        }
    }

    @Override
    public void failed(Throwable bug) {
        exchange.failed(bug);
    }

    @Override
    public void interim(ResponseHead head) {
        isHinted = steps.hints().interim(lookup, head, isHinted);
    }

    @Override
    public void switched(ResponseHead head, TunnelEnd origin) {
        var place = exchange.tunnel();
        if (place == null || !client.isOpen()) {
            origin.close();
            return;
        }
        isOver = true;
        HandlingNotes.flowing(lookup, head, forwardReason, subscription);
        Answers.switching(exchange, head, origin, place);
        released();
    }

    @Override
    public void arriving(DocumentKind arriving) {
        kind = arriving;
    }

    @Override
    public void head(ResponseHead head, BodyFlow body) {
        if (isStoodInFor(head)) {
            body.cancel();
            return;
        }
        boolean isNotModified =
                subscription != null
                        && subscription.isBeingStored()
                        && Conditions.isNotModified(exchange.request(), head);
        var answer = isNotModified ? RangeAnswer.WHOLE : inParts(head);
        if (answer == null) {
            return;
        }
        exchange.leaveTunnel();
        HandlingNotes.flowing(lookup, head, forwardReason, subscription);
        var page = steps.errors().inPlaceOf(head, exchange);
        if (page != null) {
            isOver = true;
            body.cancel();
            steps.errors().send(exchange, page, head, steps);
            return;
        }
        if (isNotModified) {
            // The response is stored without this client.
            isOver = true;
            body.cancel();
            steps.codings().notModified(exchange, head, steps.time().wall());
            return;
        }
        var completeBytes = Admission.announcedBytes(head.fields());
        if (answer instanceof RangeAnswer.Unsatisfiable) {
            isOver = true;
            body.cancel();
            Answers.unsatisfiable(exchange, completeBytes, steps.time().wall());
            return;
        }
        flow = body;
        unwritten =
                new UnwrittenAnswer(
                        lookup,
                        steps,
                        head,
                        kind,
                        answer instanceof RangeAnswer.Parts(var ranges)
                                ? new BodyParts(ranges, head, completeBytes)
                                : null,
                        this::released);
        unwritten.flushSoon();
        if (head.isEventStream()) {
            watchSilence();
        }
    }

    /** The head has left: what follows is passed on, whatever the configuration is by then. */
    private void released() {
        if (client.status() == 0) {
            return;
        }
        steps = steps.forStream();
        exchange.release();
    }

    /** Ends a silent stream of events to a client that has closed its side: it may have left. */
    private void watchSilence() {
        isSilent = true;
        exchange.later(
                () -> {
                    if (!isOver && isSilent && client.isHalfClosed()) {
                        clientGone();
                        client.abort();
                    } else if (!isOver) {
                        watchSilence();
                    }
                },
                lookup.target().deadlines().betweenBytes().toNanos());
    }

    /** Returns the answer to Range; null if the origin was asked again instead. */
    private @Nullable RangeAnswer inParts(ResponseHead head) {
        var fetch = subscription;
        if (fetch == null || !exchange.request().fields().contains("Range")) {
            return RangeAnswer.WHOLE;
        }
        if (parts == null) {
            parts = new ArrivingParts(lookup, sink(), this::subscribed);
        }
        return parts.of(head, kind, fetch, steps);
    }

    @Override
    public void data(ByteBuf data) {
        isSilent = false;
        var answer = unwritten;
        if (answer == null) {
            data.release();
            return;
        }
        answer.data(data);
        if (answer.isComplete()) {
            // The response may still be stored, without this client.
            end();
            left();
            return;
        }
        if (flow != null && !client.isWritable()) {
            flow.pause();
        }
        answer.flushSoon();
    }

    private void dropUnwritten() {
        if (unwritten != null) {
            unwritten.drop();
        }
    }

    @Override
    public void trailers(Fields fields) {
        if (lookup.takesTrailers()) {
            client.trailers(unwritten == null ? fields : unwritten.trailers(fields));
        }
    }

    @Override
    public void end() {
        isOver = true;
        if (unwritten != null) {
            unwritten.end();
        } else {
            client.end();
        }
    }

    @Override
    public void remainder(StoredResponse response, int from) {
        isOver = true;
        if (unwritten == null) {
            response.release();
        } else {
            unwritten.remainder(response, from);
        }
    }

    @Override
    public void failed(Failure failure) {
        if (client.status() == 0 && isStoodInFor(failure)) {
            dropUnwritten();
            return;
        }
        if (unwritten != null && unwritten.hasBody()) {
            unwritten.flush();
        }
        if (client.status() != 0) {
            isOver = true;
            dropUnwritten();
            exchange.trace().failed(failure.toString());
            HandlingNotes.failed(lookup, failure);
            if (failure.side() == Side.CLIENT) {
                client.abort();
            } else {
                exchange.breakOff();
            }
            return;
        }
        dropUnwritten();
        refuse(failure);
    }

    /** Sends an error page for {@code failure}. */
    private void refuse(Failure failure) {
        isOver = true;
        HandlingNotes.failed(lookup, failure);
        if (failure.side() == Side.CLIENT && !client.isOpen()) {
            client.abort();
        } else {
            if (!isDeclined) {
                exchange.trace().failed(failure.toString());
            }
            Answers.error(
                    exchange,
                    steps.path().fallback().isForbidden(lookup)
                            ? ErrorPage.NOT_VALIDATED
                            : ErrorPage.of(failure),
                    steps.time().wall());
        }
    }

    /** Whether a stale response was sent instead of this error, which the client accepts. */
    private boolean isStoodInFor(ResponseHead head) {
        return exchange.directives().staleIfError().isPresent()
                && StandInCause.isErrorStatus(head.status())
                && isStoodInFor(
                        new Failure(
                                Side.ORIGIN,
                                Kind.STATUS,
                                head.status(),
                                lookup.key().url() + " responded with status " + head.status()));
    }

    private boolean isStoodInFor(Failure failure) {
        var standIn = steps.path().fallback().after(failure, lookup);
        if (standIn == null) {
            return false;
        }
        stoodInFor = failure;
        standIn(standIn, StaleFallback.cause(failure), failure.toString());
        return true;
    }

    /** Sends {@code stale} in place of the origin's response; takes over one reference. */
    private void standIn(StoredResponse stale, StandInCause cause, String reason) {
        exchange.trace().decided("stale", reason);
        var now = steps.time().now();
        var fetches = steps.path().fetches();
        HandlingNotes.answered(lookup, stale, forwardReason, subscription, cause, fetches, now);
        deliver(stale, now);
    }

    @Override
    public void fetchSeparately() {
        hasOwnFetch = true;
        subscribed(steps.path().fetches().separately(lookup, sink()));
    }

    private AnswerSink sink() {
        return UnsafeAnswer.before(this, lookup, steps.invalidation());
    }

    private void subscribed(FetchSubscription taken) {
        subscription = taken;
        exchange.trace().fetchedBy(taken);
    }

    @Override
    public void retryLookup() {
        subscription = null;
        var decision = steps.path().find(lookup, this);
        if (decision != null) {
            var hit = decision.stored();
            decided(decision, hit == null || hit.file() == null ? null : TierSearch.AT_ONCE);
        }
    }

    @Override
    public boolean takesFiles() {
        return client.takesFiles()
                && !steps.path().fetches().validatesHits()
                && exchange.request().isGet()
                && takesStored();
    }

    @Override
    public void searched(@Nullable StoredResponse inFile, TierSearch search) {
        if (!isOver) {
            decided(steps.path().afterSearch(lookup, inFile), search);
        } else if (inFile != null) {
            inFile.release();
        }
    }

    /**
     * @param search of the tier below the memory; null if it was not needed
     */
    private void decided(CacheDecision<StoredResponse> decision, @Nullable TierSearch search) {
        forwardReason = decision.forwardReason();
        exchange.trace().searched(search);
        HandlingNotes.decided(exchange, decision);
        switch (decision) {
            case CacheDecision.FromStore<StoredResponse> hit -> stored(hit.stored());
            case CacheDecision.FromOrigin<StoredResponse> asking -> {
                var refusal = steps.path().fetches().refusal(lookup, asking);
                if (refusal != null) {
                    isOver = true;
                    Ruling.refuse(lookup, refusal, steps.time().wall());
                    return;
                }
                var taken = steps.path().fetch(lookup, asking, sink());
                // The joined fetch may already have redirected it to another subscription.
                if (subscription == null && taken != null && !isOver) {
                    subscribed(taken);
                }
                if (!isOver) {
                    isHinted = steps.hints().whilePageIsAwaited(lookup, isHinted);
                }
            }
            case CacheDecision.Decline<StoredResponse> decline -> {
                isDeclined = true;
                failed(new Failure(Side.CLIENT, Kind.UNREACHABLE, decline.reasonLabel()));
            }
        }
    }

    @Override
    public void writable() {
        if (flow != null) {
            flow.resume();
        }
        if (unwritten != null) {
            unwritten.writable();
        }
    }

    @Override
    public void clientGone() {
        dropUnwritten();
        if (isOver) {
            return;
        }
        isOver = true;
        left();
    }

    private void left() {
        if (subscription != null) {
            subscription.leave();
        }
    }
}
