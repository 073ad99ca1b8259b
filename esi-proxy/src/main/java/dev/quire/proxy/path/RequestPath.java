package dev.quire.proxy.path;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.AuthorLifetime;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.RangeAnswer;
import dev.quire.core.policy.StandInCause;
import dev.quire.core.policy.Verdict;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.Coalescer;
import dev.quire.proxy.cache.Form;
import dev.quire.proxy.cache.HitForMiss;
import dev.quire.proxy.cache.IntakeRules;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.Seat;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.OriginFetch;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.RequestBody;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.path.UpstreamRequest.Purpose;
import dev.quire.proxy.route.EsiMode;
import io.netty.channel.EventLoop;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The life of one request, top to bottom. Read this class first. On the exchange's event loop;
 * never waits.
 *
 * <p>Listening (package {@code listen}) has made an {@link Exchange} of a request. {@link Inquiry}
 * then stands for one resource asked for: the page, and in turn each of its fragments, which come
 * back through here. {@link ClientAnswer} and {@link FragmentAnswerSink} take the answers; the
 * first delivers (package {@code deliver}), the second hands the fragment to the page's assembler.
 */
public final class RequestPath {
    private final PageStore store;
    private final HitForMiss hitForMiss;
    private final Coalescer coalescer;
    private final UpstreamRequest upstream;
    private final Time time;
    private final Metrics metrics;

    public RequestPath(
            PageStore store,
            HitForMiss hitForMiss,
            Coalescer coalescer,
            UpstreamRequest upstream,
            Time time,
            Metrics metrics) {
        this.store = store;
        this.hitForMiss = hitForMiss;
        this.coalescer = coalescer;
        this.upstream = upstream;
        this.time = time;
        this.metrics = metrics;
    }

    /**
     * One resource asked for.
     *
     * @param request as the cache sees it: its fields pick the variant
     * @param exchange whose request it is, or whose page holds it
     * @param purpose what an answer is for when it may be stored
     * @param sameAuthority whether the client's credentials may go along
     * @param inclusion null unless it is asked for as a fragment
     * @param isDelegated whether the client is a surrogate that assembles pages itself
     */
    record Inquiry(
            CacheKey key,
            RequestHead request,
            Exchange exchange,
            @Nullable RequestBody body,
            Lane lane,
            Purpose purpose,
            boolean sameAuthority,
            @Nullable Inclusion inclusion,
            boolean isDelegated) {

        EventLoop loop() {
            return exchange.loop();
        }

        /** How answers are taken in for it. */
        IntakeRules rules() {
            return lane.rules()
                    .asking(
                            inclusion == null ? AuthorLifetime.UNSAID : inclusion.lifetime(),
                            wantsSource());
        }

        /** Whether an ESI document is wanted as it came. */
        boolean wantsSource() {
            return isDelegated || (inclusion != null && inclusion.wantsSource());
        }

        /** Whether what is wanted of {@code response} is in it. */
        boolean isServedBy(StoredResponse response) {
            return !wantsSource() || response.compiled() == null || response.has(Form.Whole.SOURCE);
        }

        /**
         * Whether the client can be sent {@code response}: he takes its content coding, or we can
         * undo it. Where no origin hears of codings asking it again would change nothing.
         */
        boolean canTake(StoredResponse response) {
            return !response.isCoded()
                    || inclusion != null
                    || lane.rules().esi() != EsiMode.OFF
                    || accepts(response)
                    || response.isCodedReadably();
        }

        /** Whether the client takes the content codings of {@code response}. */
        boolean accepts(StoredResponse response) {
            return exchange.accepted().accepts(response.head().fields().all("Content-Encoding"));
        }

        /** Whether the answer may come from the store, and go there. */
        boolean mayBeStored() {
            return inclusion == null || inclusion.mayBeStored();
        }

        /** The page's own origin hears the name the client used, any other one its own. */
        String authority() {
            return sameAuthority ? request.authority() : key.authority();
        }
    }

    /**
     * A hit, fresh or stale in its grace, or null; the caller owns one reference.
     *
     * @param now on the cache's clock
     */
    @Nullable StoredResponse atHand(Inquiry inquiry, Instant now) {
        var stored = storedFor(inquiry);
        if (stored == null) {
            return null;
        }
        var decision = decide(inquiry, stored, now);
        switch (decision) {
            case CacheDecision.Hit<StoredResponse> hit -> {
                metrics.decided(hit);
                return hit.stored();
            }
            case CacheDecision.StaleHit<StoredResponse> stale -> {
                metrics.decided(stale);
                refresh(inquiry, stale.stored());
                return stale.stored();
            }
            // Nothing is decided yet: find() will be asked.
            case CacheDecision.Revalidate<StoredResponse> ignored -> stored.release();
            case CacheDecision.Miss<StoredResponse> ignored -> stored.release();
            case CacheDecision.Pass<StoredResponse> ignored -> stored.release();
            case CacheDecision.Decline<StoredResponse> ignored -> stored.release();
        }
        return null;
    }

    /** Finds the answer to {@code inquiry}; a seat while it is waited for. */
    @Nullable Seat find(Inquiry inquiry, AnswerSink sink, Decided decided) {
        var stored = storedFor(inquiry);
        var decision = decide(inquiry, stored, time.now());
        metrics.decided(decision);
        decided.on(decision);
        return switch (decision) {
            case CacheDecision.Hit<StoredResponse> hit -> {
                sink.stored(hit.stored());
                yield null;
            }
            case CacheDecision.StaleHit<StoredResponse> stale -> {
                refresh(inquiry, stale.stored());
                sink.stored(stale.stored());
                yield null;
            }
            case CacheDecision.Revalidate<StoredResponse> ignored -> fetch(inquiry, stored, sink);
            case CacheDecision.Miss<StoredResponse> ignored -> fetch(inquiry, stored, sink);
            case CacheDecision.Pass<StoredResponse> pass -> {
                release(stored);
                yield pass(inquiry, pass.reason(), sink);
            }
            case CacheDecision.Decline<StoredResponse> decline -> {
                release(stored);
                sink.failed(
                        new Failure(
                                Failure.Side.CLIENT,
                                Failure.Kind.UNREACHABLE,
                                decline.reasonLabel()));
                yield null;
            }
        };
    }

    /** Fetches for {@code sink} alone: another's fetch turned out not to be for it. */
    Seat findAlone(Inquiry inquiry, AnswerSink sink) {
        return coalescer.fetchAlone(
                inquiry.key(), fetch(inquiry, inquiry.purpose()), inquiry.rules(), sink);
    }

    /** The page that brings along what {@code key} names, if nobody else can be asked for it. */
    @Nullable CacheKey carrierOf(CacheKey key) {
        return store.carrierOf(key);
    }

    /** The page that was thought to bring {@code key} along does not. */
    void forgetCarrierOf(CacheKey key) {
        store.forgetCarrierOf(key);
    }

    /**
     * The ESI document as it came, of which {@code document} is made, but for its stamps, which are
     * for nobody to see; references pass on.
     */
    StoredResponse source(StoredResponse document) {
        var source = asItCame(document);
        return source.verdict() == Verdict.STAMPED ? store.unstamped(source) : source;
    }

    /**
     * The ESI document as it came, stamps and all, of which {@code document} is made; references
     * pass on.
     */
    StoredResponse asItCame(StoredResponse document) {
        var source = store.inForm(document, Form.Whole.SOURCE, nothing -> null);
        if (source == null) {
            throw new IllegalStateException("no source is kept of " + document.key().url());
        }
        return source;
    }

    /** What may stand in for {@code inquiry} after {@code failure}; the caller owns a reference. */
    @Nullable StoredResponse standIn(Inquiry inquiry, Failure failure) {
        if (failure.side() != Failure.Side.ORIGIN || !isAnsweredFromStore(inquiry)) {
            return null;
        }
        var stored = storedFor(inquiry);
        if (stored == null) {
            return null;
        }
        var cause =
                failure.kind() == Failure.Kind.STATUS
                        ? StandInCause.ERROR_STATUS
                        : StandInCause.NO_ANSWER;
        var directives = inquiry.exchange().directives();
        if (inquiry.canTake(stored)
                && CachePolicy.mayStandIn(stored, directives, cause, time.now())) {
            return stored;
        }
        stored.release();
        return null;
    }

    /** Whether what is stored for {@code inquiry} may only be used once the origin has agreed. */
    boolean forbidsStale(Inquiry inquiry) {
        if (!isAnsweredFromStore(inquiry)) {
            return false;
        }
        var stored = store.find(inquiry.key(), inquiry.request());
        if (stored == null) {
            return false;
        }
        boolean forbids =
                CachePolicy.forbidsStale(stored.head().fields(), inquiry.rules().settings());
        stored.release();
        return forbids;
    }

    /** Whether what is stored says anything of it: it answers no other method, and no content. */
    private static boolean isAnsweredFromStore(Inquiry inquiry) {
        var request = inquiry.request();
        return (request.isGet() || request.isHead()) && inquiry.body() == null;
    }

    /** Told which way an inquiry takes, before it takes it. */
    interface Decided {
        void on(CacheDecision<StoredResponse> decision);
    }

    /** What is stored and of use for {@code inquiry}; the caller owns a reference. */
    private @Nullable StoredResponse storedFor(Inquiry inquiry) {
        if (!inquiry.mayBeStored()) {
            return null;
        }
        var stored = store.find(inquiry.key(), inquiry.request());
        if (stored == null || inquiry.isServedBy(stored)) {
            return stored;
        }
        stored.release();
        return null;
    }

    private CacheDecision<StoredResponse> decide(
            Inquiry inquiry, @Nullable StoredResponse stored, Instant now) {
        if (!inquiry.mayBeStored() && inquiry.request().isGet() && inquiry.body() == null) {
            return new CacheDecision.Pass<>(CacheDecision.PassReason.NO_STORE);
        }
        if (stored != null && !inquiry.canTake(stored)) {
            return new CacheDecision.Pass<>(CacheDecision.PassReason.CODING);
        }
        return CachePolicy.decide(
                inquiry.request(),
                inquiry.exchange().directives(),
                inquiry.body() != null,
                stored,
                stored == null && store.hasVariants(inquiry.key()),
                stored == null && hitForMiss.isNoted(inquiry.key()),
                now);
    }

    /** One fetch for all who ask; whoever wants less than the whole answer cannot share it. */
    private @Nullable Seat fetch(
            Inquiry inquiry, @Nullable StoredResponse stored, AnswerSink sink) {
        if (inquiry.request().isHead()) {
            return head(inquiry, stored, sink);
        }
        boolean isValidated = stored != null && stored.hasValidator();
        if (!isValidated && asksForPart(inquiry)) {
            release(stored);
            return pass(inquiry, CacheDecision.PassReason.RANGE, sink);
        }
        boolean foundNothing = stored == null;
        return coalescer.join(
                inquiry.key(),
                fetch(inquiry, inquiry.purpose()),
                inquiry.rules(),
                stored,
                () -> foundNothing && isStored(inquiry),
                sink);
    }

    /** HEAD goes up as HEAD, to learn of what is stored if there is something to ask by. */
    private Seat head(Inquiry inquiry, @Nullable StoredResponse stored, AnswerSink sink) {
        if (stored == null || !stored.hasValidator()) {
            release(stored);
            return pass(inquiry, CacheDecision.PassReason.HEAD, sink);
        }
        return coalescer.head(
                inquiry.key(), fetch(inquiry, Purpose.HEAD), inquiry.rules(), stored, sink);
    }

    private boolean isStored(Inquiry inquiry) {
        var stored = storedFor(inquiry);
        release(stored);
        return stored != null;
    }

    private Seat pass(Inquiry inquiry, CacheDecision.PassReason reason, AnswerSink sink) {
        return switch (reason) {
            case HIT_FOR_MISS ->
                    asksForPart(inquiry) ? forward(inquiry, sink) : findAlone(inquiry, sink);
            case METHOD, BODY, HEAD, CONDITION, RANGE, CODING -> forward(inquiry, sink);
            case NO_STORE ->
                    inquiry.request().isHead()
                            ? forward(inquiry, sink)
                            : unstored(inquiry, inquiry.purpose(), sink);
        };
    }

    /** The request as it is, for this client alone. */
    Seat forward(Inquiry inquiry, AnswerSink sink) {
        var purpose = inquiry.inclusion() == null ? Purpose.FORWARD : Purpose.INCLUDE;
        return unstored(inquiry, purpose, sink);
    }

    private Seat unstored(Inquiry inquiry, Purpose purpose, AnswerSink sink) {
        return coalescer.pass(inquiry.key(), fetch(inquiry, purpose), inquiry.rules(), sink);
    }

    /** Where no ESI can be in it, a part of a response is the origin's to give. */
    private static boolean asksForPart(Inquiry inquiry) {
        return inquiry.rules().esi() == EsiMode.OFF
                && inquiry.purpose() == Purpose.STORE
                && RangeAnswer.asksForOnePart(inquiry.request());
    }

    private void refresh(Inquiry inquiry, StoredResponse stale) {
        if (inquiry.request().isHead()) {
            return;
        }
        coalescer.refreshLater(
                inquiry.key(),
                inquiry.request(),
                inquiry.loop(),
                fetch(inquiry, inquiry.purpose()),
                inquiry.rules(),
                stale);
    }

    private OriginFetch fetch(Inquiry inquiry, Purpose purpose) {
        return (conditions, sink) ->
                inquiry.lane()
                        .origin()
                        .fetch(
                                new OriginRequest(
                                        upstream.of(inquiry, conditions, purpose),
                                        inquiry.body(),
                                        UpstreamRequest.affinity(inquiry),
                                        upstream.capabilities(inquiry)),
                                inquiry.loop(),
                                sink);
    }

    private static void release(@Nullable StoredResponse stored) {
        if (stored != null) {
            stored.release();
        }
    }
}
