package dev.quire.proxy.path;

import dev.quire.core.assemble.Assembly;
import dev.quire.core.assemble.AssemblyNotes;
import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheStatus;
import dev.quire.core.policy.Conditions;
import dev.quire.core.policy.ForwardReason;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.RangeAnswer;
import dev.quire.core.policy.StandInCause;
import dev.quire.core.policy.SurrogateCapability;
import dev.quire.core.policy.Verdict;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.Seat;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ResponseChannel;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.path.RequestPath.Inquiry;
import dev.quire.proxy.route.EsiMode;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes the answer to a client's own request and has it delivered. */
final class ClientAnswer implements AnswerSink, Exchange.Delivery {

    /*
     * What flows past is written with the first flush, not before: should it break off at once, the
     * client has seen nothing, and something stored can still stand in for it. If nothing does he is
     * to see what came, and that it is cut.
     */

    /** More than this does not wait for that. */
    private static final int MAX_UNWRITTEN_BYTES = 64 * 1024;

    /** By this a trusted client asks for key and detail in {@code Cache-Status}. */
    private static final String DEBUG = "Quire-Debug";

    private final Exchange exchange;
    private final Inquiry inquiry;
    private final RequestPath path;
    private final Pages pages;
    private final Codings codings;
    private final Invalidation invalidation;
    private final Time time;
    private final ResponseChannel client;

    private @Nullable Seat seat;

    /** Why the origin was asked; null as long as it was not. */
    private @Nullable ForwardReason forwardReason;

    /** What the origin failed with where something stored is to stand in; null if it did not. */
    private @Nullable Failure stoodInFor;

    private @Nullable BodyFlow flow;

    /** A head that flows past and has not been written, nor what came of its body. */
    private @Nullable ResponseHead unwritten;

    /** Made when something comes of it: what is stored needs none. */
    private @Nullable ArrayDeque<ByteBuf> unwrittenBody;

    private long unwrittenBytes;
    private boolean isFlushDue;

    /** Whether that head is of a document with stamps. */
    private boolean isStamped;

    private boolean isOver;

    ClientAnswer(
            Exchange exchange,
            Inquiry inquiry,
            RequestPath path,
            Pages pages,
            Codings codings,
            Invalidation invalidation,
            Time time) {
        this.exchange = exchange;
        this.inquiry = inquiry;
        this.path = path;
        this.pages = pages;
        this.codings = codings;
        this.invalidation = invalidation;
        this.time = time;
        this.client = exchange.response();
    }

    void begin() {
        exchange.deliverBy(this);
        again();
    }

    @Override
    public EventLoop loop() {
        return exchange.loop();
    }

    @Override
    public RequestHead request() {
        return exchange.request();
    }

    @Override
    public boolean wantsWhole() {
        return false;
    }

    @Override
    public void stored(StoredResponse response) {
        if (!inquiry.isServedBy(response)) {
            // It had joined a fetch that kept less than is wanted here.
            response.release();
            alone();
            return;
        }
        var now = time.now();
        handled(response, false, now);
        note(response);
        invalidation.after(inquiry, response.head());
        deliver(response, now);
    }

    /** One reference is taken over. */
    private void deliver(StoredResponse response, Instant now) {
        if (response.compiled() == null && response.isCoded() && !inquiry.accepts(response)) {
            codings.undone(response, exchange, plain -> undone(response, plain));
            return;
        }
        isOver = true;
        if (response.compiled() == null) {
            whole(response, now);
        } else if (isAssembledThere(response)) {
            unassembled(response);
        } else {
            pages.deliver(exchange, inquiry, response);
        }
    }

    /**
     * What is not assembled, as it is or compressed; one reference is taken over. Preconditions
     * come before Range (RFC 9110 §13.2.2).
     */
    private void whole(StoredResponse response, Instant now) {
        boolean isNotModified = Conditions.isNotModified(request(), response.head());
        var compressed = codings.compressed(response, exchange);
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
        switch (RangeAnswer.of(request(), response.head(), response.length())) {
            case RangeAnswer.Whole all -> Answers.stored(exchange, response, now);
            case RangeAnswer.Parts(var ranges) -> Answers.parts(exchange, response, ranges, now);
            case RangeAnswer.Unsatisfiable none ->
                    Answers.unsatisfiable(exchange, response, time.wall());
        }
    }

    /**
     * The client does not take the coding of {@code coded}.
     *
     * @param plain the same without it, which has taken over its reference; null if there is none
     */
    private void undone(StoredResponse coded, @Nullable StoredResponse plain) {
        var response = plain == null ? coded : plain;
        var failure = stoodInFor;
        if (isOver) {
            response.release();
        } else if (plain != null) {
            isOver = true;
            var now = time.now();
            if (Conditions.isNotModified(request(), plain.head())) {
                Answers.notModifiedUndone(exchange, plain, now);
            } else {
                Answers.undone(exchange, plain, now);
            }
            plain.release();
        } else if (failure != null) {
            coded.release();
            refuse(failure);
        } else if (inquiry.rules().esi() == EsiMode.OFF) {
            // The origin hears what he takes.
            coded.release();
            forwardReason = ForwardReason.VARY_MISS;
            seat = path.forward(inquiry, this);
        } else {
            isOver = true;
            whole(coded, time.now());
        }
    }

    /** Whether the client assembles the page: of a stamped one only if he knows stamps. */
    private boolean isAssembledThere(StoredResponse response) {
        return inquiry.isDelegated() && (response.verdict() != Verdict.STAMPED || knowsStamps());
    }

    private boolean knowsStamps() {
        return SurrogateCapability.stamp(request().fields()).isPresent();
    }

    /**
     * A page for a surrogate that assembles it, under the stamp of his request if it bears one; one
     * reference is taken over.
     */
    private void unassembled(StoredResponse document) {
        var now = time.now();
        if (Conditions.isNotModified(request(), document.head())) {
            var source = path.asItCame(document);
            Answers.notModified(exchange, source, now);
            source.release();
        } else if (document.verdict() == Verdict.STAMPED) {
            var stamp = SurrogateCapability.stamp(request().fields()).orElseThrow();
            var source = path.asItCame(document).restamped(stamp);
            Answers.unassembled(exchange, source, stamp, now);
            source.release();
        } else {
            var source = path.asItCame(document);
            Answers.unassembled(exchange, source, null, now);
            source.release();
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
        invalidation.after(inquiry, head);
        boolean isBeingStored = seat != null && seat.isBeingStored();
        forwarded(head.status(), isBeingStored, false);
        note(head, isBeingStored && seat != null ? seat.freshness() : Optional.empty());
        if (isBeingStored && Conditions.isNotModified(request(), head)) {
            // The rest is stored without this client.
            isOver = true;
            body.cancel();
            Answers.notModified(
                    exchange, head, codings.mayCompress(exchange, head, false), time.wall());
            return;
        }
        flow = body;
        unwritten = head;
        flushSoon();
    }

    @Override
    public void data(ByteBuf data) {
        if (unwritten != null) {
            keep(data);
            if (unwrittenBytes > MAX_UNWRITTEN_BYTES) {
                write();
            }
        } else {
            client.body(data);
        }
        if (flow != null && !client.isWritable()) {
            flow.pause();
        }
        flushSoon();
    }

    private void keep(ByteBuf data) {
        if (unwrittenBody == null) {
            unwrittenBody = new ArrayDeque<>(2);
        }
        unwrittenBytes += data.readableBytes();
        unwrittenBody.add(data);
    }

    /** Writes what has waited for the first flush. */
    private void write() {
        var head = unwritten;
        if (head == null) {
            return;
        }
        unwritten = null;
        boolean isDocument = inquiry.lane().rules().isDocument(head);
        if (isDocument && inquiry.isDelegated() && (!isStamped || knowsStamps())) {
            Answers.passingUnassembled(exchange, head, time.wall());
        } else {
            Answers.passing(
                    exchange,
                    head,
                    isDocument && request().isHead(),
                    codings.mayCompress(exchange, head, isDocument),
                    time.wall());
        }
        var waiting = unwrittenBody;
        while (waiting != null && !waiting.isEmpty()) {
            client.body(waiting.remove());
        }
    }

    private void dropUnwritten() {
        unwritten = null;
        if (unwrittenBody != null) {
            unwrittenBody.forEach(ByteBuf::release);
            unwrittenBody.clear();
        }
    }

    @Override
    public void end() {
        isOver = true;
        write();
        client.end();
    }

    @Override
    public void rest(StoredResponse response, int from) {
        isOver = true;
        write();
        Answers.rest(exchange, response, from);
    }

    @Override
    public void failed(Failure failure) {
        if (client.status() == 0 && isStoodInFor(failure)) {
            dropUnwritten();
            return;
        }
        if (unwrittenBody != null && !unwrittenBody.isEmpty()) {
            write();
            client.flush();
        }
        if (client.status() != 0) {
            isOver = true;
            exchange.trace().failed(failure.toString());
            note(failure);
            client.abort();
            return;
        }
        unwritten = null;
        refuse(failure);
    }

    /** There is nothing to answer with but {@code failure}. */
    private void refuse(Failure failure) {
        isOver = true;
        note(failure);
        if (failure.side() == Side.CLIENT && !client.isOpen()) {
            client.abort();
        } else {
            exchange.trace().failed(failure.toString());
            Answers.error(
                    exchange,
                    path.forbidsStale(inquiry) ? ErrorPage.NOT_VALIDATED : ErrorPage.of(failure),
                    time.wall());
        }
    }

    /** Whether something stored was given in place of an error that the client can do without. */
    private boolean isStoodInFor(ResponseHead head) {
        return exchange.directives().staleIfError().isPresent()
                && StandInCause.isErrorStatus(head.status())
                && isStoodInFor(
                        new Failure(
                                Side.ORIGIN,
                                Kind.STATUS,
                                head.status(),
                                inquiry.key().url() + " gave " + head.status()));
    }

    private boolean isStoodInFor(Failure failure) {
        var standIn = path.standIn(inquiry, failure);
        if (standIn == null) {
            return false;
        }
        exchange.trace().decided("stale", failure.toString());
        var now = time.now();
        handled(standIn, true, now);
        noteStale(standIn);
        stoodInFor = failure;
        deliver(standIn, now);
        return true;
    }

    @Override
    public void alone() {
        seat = path.findAlone(inquiry, this);
    }

    @Override
    public void again() {
        seat = null;
        var found = path.find(inquiry, this, this::decided);
        // What was joined may have turned out otherwise at once: then another seat is taken
        // already.
        if (seat == null && !isOver) {
            seat = found;
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
        if (seat != null) {
            seat.leave();
        }
    }

    private void decided(CacheDecision<StoredResponse> decision) {
        exchange.trace().decided(decision.label(), decision.reasonLabel());
        forwardReason = decision.forwardReason();
        var notes = exchange.notes();
        if (notes != null) {
            notes.decided(AssemblyNotes.way(decision));
        }
    }

    private void note(StoredResponse response) {
        var notes = exchange.notes();
        if (notes != null) {
            notes.page(
                    inquiry.key(),
                    seat == null ? 0 : seat.originStatus(),
                    response.status(),
                    response.head().fields(),
                    response.isShared() ? Optional.of(response.freshness()) : Optional.empty());
        }
    }

    private void noteStale(StoredResponse standIn) {
        var notes = exchange.notes();
        if (notes != null) {
            notes.decided(Assembly.Way.STALE);
            note(standIn);
        }
    }

    private void note(ResponseHead head, Optional<Freshness> freshness) {
        var notes = exchange.notes();
        if (notes != null) {
            notes.page(inquiry.key(), head.status(), head.status(), head.fields(), freshness);
        }
    }

    private void note(Failure failure) {
        var notes = exchange.notes();
        if (notes != null) {
            notes.pageFailed(inquiry.key(), failure.status(), failure);
        }
    }

    /** Notes for those who may know how {@code response} comes to answer (RFC 9211). */
    private void handled(StoredResponse response, boolean isStandIn, Instant now) {
        if (!exchange.peer().isTrusted()) {
            return;
        }
        var left = response.freshness().remainingAt(now).toSeconds();
        if (forwardReason == null) {
            handled(CacheStatus.Hit.HIT, left);
        } else {
            boolean isCollapsed = seat != null && seat.isCollapsed();
            handled(
                    new CacheStatus.Forwarded(
                            forwardReason,
                            seat == null ? 0 : seat.originStatus(),
                            !isStandIn && response.isStored(),
                            isCollapsed,
                            isStandIn),
                    left);
        }
    }

    private void forwarded(int status, boolean isStored, boolean isCollapsed) {
        if (forwardReason != null && exchange.peer().isTrusted()) {
            handled(
                    new CacheStatus.Forwarded(forwardReason, status, isStored, isCollapsed, false),
                    0);
        }
    }

    private void handled(CacheStatus status, long ttlSeconds) {
        var said = status;
        var reason = exchange.trace().reason();
        if (reason != null && request().fields().contains(DEBUG)) {
            said = new CacheStatus.Explained(status, inquiry.key().url(), reason);
        }
        exchange.handled(said, ttlSeconds);
    }

    /** One flush for all that comes with one read of the origin's socket. */
    private void flushSoon() {
        if (isFlushDue) {
            return;
        }
        isFlushDue = true;
        if (unwritten == null) {
            loop().execute(this::flush);
        } else {
            // That the origin has closed behind what was read is told by a task as well, which is
            // due before the second of these.
            loop().execute(() -> loop().execute(this::flush));
        }
    }

    private void flush() {
        exchange.take(() -> {
            isFlushDue = false;
            write();
            client.flush();
        });
    }
}
