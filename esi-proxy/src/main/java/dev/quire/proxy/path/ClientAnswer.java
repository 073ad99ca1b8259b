package dev.quire.proxy.path;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.Conditions;
import dev.quire.core.policy.ForwardReason;
import dev.quire.core.policy.RangeAnswer;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.StandInCause;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.FetchSubscription;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ResponseChannel;
import dev.quire.proxy.route.EsiProcessing;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Receives the response to a client request and delivers it. */
final class ClientAnswer implements AnswerSink, Exchange.Delivery {
    private final Exchange exchange;
    private final Lookup lookup;
    private final AnswerSteps steps;
    private final ResponseChannel client;

    private @Nullable FetchSubscription subscription;

    /** Why the request went to the origin; null if it did not. */
    private @Nullable ForwardReason forwardReason;

    /** The failure of the origin for which a stale response is used; otherwise null. */
    private @Nullable Failure stoodInFor;

    private @Nullable BodyFlow flow;

    /** Created for a streamed response; a stored one does not need it. */
    private @Nullable UnwrittenAnswer unwritten;

    /** Whether the streamed response is a stamped document. */
    private boolean isStamped;

    private boolean isOver;

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
    public void stored(StoredResponse response) {
        if (!lookup.isServedBy(response)) {
            // The fetch it joined did not store the source that is needed here.
            response.release();
            fetchSeparately();
            return;
        }
        var now = steps.time().now();
        HandlingNotes.answered(lookup, response, forwardReason, subscription, false, now);
        steps.invalidation().after(lookup, response.head());
        deliver(response, now);
    }

    /** Takes over one reference. */
    private void deliver(StoredResponse response, Instant now) {
        if (response.compiled() == null && response.isCoded() && !lookup.accepts(response)) {
            steps.reshaping().decoded(response, exchange, plain -> undone(response, plain));
            return;
        }
        isOver = true;
        if (response.compiled() == null) {
            whole(response, now);
        } else if (DelegatedAnswer.isFor(lookup, response.stampStatus() == StampStatus.STAMPED)) {
            new DelegatedAnswer(lookup, steps.reshaping()).send(response, now);
        } else {
            steps.pages().deliver(exchange, lookup, response);
        }
    }

    /**
     * Sends a response that is not assembled, as stored or compressed; takes over one reference.
     * Preconditions are evaluated before Range (RFC 9110 §13.2.2).
     */
    private void whole(StoredResponse response, Instant now) {
        boolean isNotModified = Conditions.isNotModified(exchange.request(), response.head());
        var compressed = steps.codings().compressed(response, exchange);
        if (compressed == null) {
            if (isNotModified) {
                Answers.notModified(exchange, response, now);
            } else {
                asItCame(response, now);
            }
        } else if (isNotModified) {
            Answers.notModifiedCompressed(exchange, response, now);
        } else {
            Answers.compressed(exchange, response, compressed, now);
        }
        response.release();
    }

    private void asItCame(StoredResponse response, Instant now) {
        switch (RangeAnswer.of(exchange.request(), response.head(), response.length())) {
            case RangeAnswer.Whole all -> Answers.stored(exchange, response, now);
            case RangeAnswer.Parts(var ranges) -> Answers.parts(exchange, response, ranges, now);
            case RangeAnswer.Unsatisfiable none ->
                    Answers.unsatisfiable(exchange, response, steps.time().wall());
        }
    }

    /**
     * Handles {@code coded}, whose content coding the client does not accept.
     *
     * @param plain the decoded form, which takes over the reference; null if undecodable
     */
    private void undone(StoredResponse coded, @Nullable StoredResponse plain) {
        var response = plain == null ? coded : plain;
        var failure = stoodInFor;
        if (isOver) {
            response.release();
        } else if (plain != null) {
            isOver = true;
            var now = steps.time().now();
            if (Conditions.isNotModified(exchange.request(), plain.head())) {
                Answers.notModifiedUndone(exchange, plain, now);
            } else {
                Answers.undone(exchange, plain, now);
            }
            plain.release();
        } else if (failure != null) {
            coded.release();
            refuse(failure);
        } else if (lookup.rules().esi() == EsiProcessing.OFF) {
            // The origin receives the client's Accept-Encoding.
            coded.release();
            forwardReason = ForwardReason.VARY_MISS;
            subscribed(steps.path().fetches().forward(lookup, this));
        } else {
            isOver = true;
            whole(coded, steps.time().now());
        }
    }

    @Override
    public void failed(RuntimeException bug) {
        exchange.failed(bug);
    }

    @Override
    public void interim(ResponseHead head) {
        client.interim(head);
    }

    @Override
    public void stamped() {
        isStamped = true;
    }

    @Override
    public void head(ResponseHead head, BodyFlow body) {
        if (isStoodInFor(head)) {
            body.cancel();
            return;
        }
        steps.invalidation().after(lookup, head);
        HandlingNotes.flowing(lookup, head, forwardReason, subscription);
        if (subscription != null
                && subscription.isBeingStored()
                && Conditions.isNotModified(exchange.request(), head)) {
            // The response is stored without this client.
            isOver = true;
            body.cancel();
            boolean mayCompress = steps.codings().mayCompress(exchange, head, false);
            Answers.notModified(exchange, head, mayCompress, steps.time().wall());
            return;
        }
        flow = body;
        unwritten = new UnwrittenAnswer(lookup, steps, head, isStamped);
        unwritten.flushSoon();
    }

    @Override
    public void data(ByteBuf data) {
        var answer = unwritten;
        if (answer == null) {
            data.release();
            return;
        }
        answer.data(data);
        if (flow != null && !client.isWritable()) {
            flow.pause();
        }
        answer.flushSoon();
    }

    private void write() {
        if (unwritten != null) {
            unwritten.write();
        }
    }

    private void dropUnwritten() {
        if (unwritten != null) {
            unwritten.drop();
        }
    }

    @Override
    public void end() {
        isOver = true;
        write();
        client.end();
    }

    @Override
    public void remainder(StoredResponse response, int from) {
        isOver = true;
        write();
        Answers.remainder(exchange, response, from);
    }

    @Override
    public void failed(Failure failure) {
        if (client.status() == 0 && isStoodInFor(failure)) {
            dropUnwritten();
            return;
        }
        if (unwritten != null && unwritten.hasBody()) {
            unwritten.write();
            client.flush();
        }
        if (client.status() != 0) {
            isOver = true;
            exchange.trace().failed(failure.toString());
            HandlingNotes.failed(lookup, failure);
            client.abort();
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
            exchange.trace().failed(failure.toString());
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
        exchange.trace().decided("stale", failure.toString());
        var now = steps.time().now();
        HandlingNotes.answered(lookup, standIn, forwardReason, subscription, true, now);
        stoodInFor = failure;
        deliver(standIn, now);
        return true;
    }

    @Override
    public void fetchSeparately() {
        subscribed(steps.path().fetches().fetchUncoalesced(lookup, this));
    }

    private void subscribed(FetchSubscription taken) {
        subscription = taken;
        exchange.trace().fetchedBy(taken);
    }

    @Override
    public void retryLookup() {
        subscription = null;
        var decision = steps.path().find(lookup);
        forwardReason = decision.forwardReason();
        HandlingNotes.decided(exchange, decision);
        switch (decision) {
            case CacheDecision.FromStore<StoredResponse> hit -> stored(hit.stored());
            case CacheDecision.FromOrigin<StoredResponse> asking -> {
                var taken = steps.path().fetch(lookup, asking, this);
                // The joined fetch may already have redirected it to another subscription.
                if (subscription == null && taken != null && !isOver) {
                    subscribed(taken);
                }
            }
            case CacheDecision.Decline<StoredResponse> decline ->
                    failed(new Failure(Side.CLIENT, Kind.UNREACHABLE, decline.reasonLabel()));
        }
    }

    @Override
    public void writable() {
        if (flow != null) {
            flow.resume();
        }
    }

    @Override
    public void clientGone() {
        dropUnwritten();
        if (isOver) {
            return;
        }
        isOver = true;
        if (subscription != null) {
            subscription.leave();
        }
    }
}
