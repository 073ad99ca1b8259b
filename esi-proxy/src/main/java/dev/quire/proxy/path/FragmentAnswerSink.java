package dev.quire.proxy.path;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentAnswer;
import dev.quire.core.assemble.FragmentSource;
import dev.quire.core.http.DurationText;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.ClientDirectives;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.StandInCause;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.FetchSubscription;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.TierSearch;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives the response to one include. A stored response is delivered whole. A private one is
 * collected here, and is streamed once it exceeds its limit and is next in the page. An error
 * response is never used as a fragment.
 */
final class FragmentAnswerSink implements AnswerSink, FragmentSource.Fetching {

    /** A fragment that is not stored is buffered up to this size, and streamed beyond it. */
    private static final long MAX_BUFFERED_BYTES = 256 * 1024;

    /** Limit for all such fragments of a page that are not next in the page. */
    static final long MAX_BUFFERED_BYTES_OF_A_PAGE = 4 * 1024 * 1024;

    private enum State {
        /** No response yet. */
        ASKED,
        /** The stored response is being decoded. */
        DECODING,
        /** The body is being collected. */
        COLLECTING,
        /** The body is being streamed to the assembler. */
        FLOWING,
        DONE
    }

    private static final Failure UNWANTED =
            new Failure(Side.CLIENT, Kind.CANCELLED, "the fragment is no longer needed");

    private final Lookup asked;
    private final RequestPath path;
    private final Pages.Fragments page;
    private final Duration timeout;
    private final boolean mustBeWhole;
    private final Consumer<FragmentAnswer<StoredResponse>> answer;
    private final FragmentRecord record;
    private final FragmentRedirects redirects;

    /**
     * The resource being fetched: the fragment, its redirect target, or the page that contains it.
     */
    private Lookup lookup;

    private boolean isForContainingPage;

    /** Whether a request was sent for this fragment alone, without codings. */
    private boolean hasOwnFetch;

    /** Whether the stale response that was to be used has a coding that cannot be undone. */
    private boolean isStaleUseless;

    private State state = State.ASKED;
    private @Nullable FetchSubscription subscription;
    private @Nullable BufferedBody body;
    private long deadlineNanos;
    private boolean isTurn;

    /**
     * @param inclusion the inclusion of {@code asked}
     * @param mustBeWhole whether it must not be streamed, regardless of size
     */
    FragmentAnswerSink(
            Lookup asked,
            Inclusion inclusion,
            RequestPath path,
            Pages.Fragments page,
            boolean mustBeWhole,
            Consumer<FragmentAnswer<StoredResponse>> answer) {
        this.asked = asked;
        this.lookup = asked;
        this.path = path;
        this.page = page;
        this.timeout = page.timeout(inclusion);
        this.mustBeWhole = mustBeWhole;
        this.answer = answer;
        this.record = new FragmentRecord(asked, page);
        this.redirects = new FragmentRedirects(asked, page);
        this.deadlineNanos = page.now() + timeout.toNanos();
    }

    /**
     * Whether {@code response} can be inserted into a page: successful and without content coding.
     */
    static boolean isUsable(StoredResponse response) {
        return response.isSuccess() && !response.isCoded();
    }

    void begin() {
        var owner = page.ownerOf(asked);
        if (owner != null && !owner.isFetchable()) {
            var containingLookup = page.containingLookup(asked, owner.page());
            isForContainingPage = containingLookup != null;
            lookup = containingLookup == null ? asked : containingLookup;
        }
        retryLookup();
    }

    /** Whether its own deadline applies: not while it is streamed. */
    boolean isAwaited() {
        return state == State.ASKED || state == State.COLLECTING;
    }

    /** The time left until its deadline. */
    long nanosLeft(long now) {
        return deadlineNanos - now;
    }

    /** Restarts its deadline if it is paused, so that back-pressure never counts as lateness. */
    boolean isExcused(long now) {
        boolean isPaused = body != null && body.isPaused();
        if (isPaused) {
            deadlineNanos = now + timeout.toNanos();
        }
        return isPaused;
    }

    /** Handles an expired deadline. */
    void overdue() {
        if (isAwaited()) {
            leave();
            without(
                    new Failure(
                            Side.ORIGIN,
                            Kind.TIMEOUT,
                            "not complete within " + DurationText.of(timeout)));
        }
    }

    @Override
    public EventLoop loop() {
        return lookup.loop();
    }

    @Override
    public SentRequest request() {
        return lookup.sent();
    }

    @Override
    public boolean wantsWhole() {
        return true;
    }

    @Override
    public boolean takesStored() {
        return lookup.exchange().directives().equals(ClientDirectives.NONE);
    }

    @Override
    public boolean hasStandIn() {
        return !isStaleUseless && path.fallback().isReadyFor(standInLookup());
    }

    @Override
    public boolean isServedStale() {
        var standIn =
                state != State.ASKED || isStaleUseless
                        ? null
                        : path.fallback().whileSlow(standInLookup());
        if (standIn == null) {
            return false;
        }
        standIn(standIn, this::waitForOrigin);
        return true;
    }

    /** Continues without the stale response, which turned out to be useless. */
    private void waitForOrigin() {
        isStaleUseless = true;
        state = State.ASKED;
        retryLookup();
    }

    @Override
    public void stored(StoredResponse response) {
        if (state != State.ASKED) {
            response.release();
            return;
        }
        if (isForContainingPage) {
            withContainingPage(response);
            response.release();
            return;
        }
        if (!lookup.isServedBy(response) || !(hasOwnFetch || lookup.canTake(response))) {
            // The fetch it joined did not store the source or the coding that is needed here.
            response.release();
            fetchSeparately();
            return;
        }
        page.answered(lookup, response.head());
        state = State.DECODING;
        page.plain(response, plain -> answered(response, plain));
    }

    /**
     * Continues with {@code response}.
     *
     * @param plain the response without content coding; null if it cannot be used as a fragment
     */
    private void answered(StoredResponse response, @Nullable StoredResponse plain) {
        if (state != State.DECODING) {
            (plain == null ? response : plain).release();
            return;
        }
        state = State.ASKED;
        if (plain != null) {
            if (!plain.isShared()) {
                page.ofOneClient(lookup, plain.head());
            }
            whole(plain);
            return;
        }
        var received = response.head();
        response.release();
        if (!isRedirected(received)) {
            refused(unusable(received));
        }
    }

    @Override
    public void remainder(StoredResponse response, int from) {
        throw new IllegalStateException("a stored fragment must be delivered whole");
    }

    @Override
    public void head(ResponseHead received, BodyFlow flow) {
        if (isForContainingPage) {
            leave();
            withContainingPage(null);
            return;
        }
        page.answered(lookup, received);
        if (!isSuccess(received) || received.fields().contains("content-encoding")) {
            leave();
            if (!isRedirected(received)) {
                refused(unusable(received));
            }
            return;
        }
        body = new BufferedBody(received, flow, page.buffered(), this::cancel);
        page.ofOneClient(lookup, received);
        state = State.COLLECTING;
    }

    @Override
    public void data(ByteBuf data) {
        switch (state) {
            case COLLECTING -> collect(body(), data);
            case FLOWING -> body().data(data);
            case ASKED, DECODING, DONE -> data.release();
        }
    }

    @Override
    public void end() {
        switch (state) {
            case COLLECTING -> whole(body().whole(lookup.key()));
            case FLOWING -> {
                var head = body().head();
                record.succeeded(head.status(), head.fields(), Optional.empty(), subscription);
                body().end();
            }
            case ASKED, DECODING, DONE -> {}
        }
    }

    @Override
    public void failed(Failure failure) {
        switch (state) {
            case ASKED, COLLECTING -> {
                drop();
                without(failure);
            }
            case FLOWING -> {
                state = State.DONE;
                record.failed(body().head().status(), failure);
                body().failed(failure);
            }
            case DECODING, DONE -> {}
        }
    }

    @Override
    public void fetchSeparately() {
        hasOwnFetch = true;
        subscription = path.fetches().fetchUncoalesced(lookup, this);
    }

    @Override
    public void failed(Throwable bug) {
        lookup.exchange().failed(bug);
    }

    @Override
    public void retryLookup() {
        subscription = null;
        var decision = path.find(lookup, this);
        if (decision != null) {
            decided(decision, null);
        }
    }

    @Override
    public void searched(@Nullable StoredResponse inFile, TierSearch search) {
        if (state == State.ASKED) {
            decided(path.afterSearch(lookup, inFile), search);
        }
    }

    private void decided(CacheDecision<StoredResponse> decision, @Nullable TierSearch search) {
        record.decided(decision, search);
        switch (decision) {
            case CacheDecision.FromStore<StoredResponse> hit -> stored(hit.stored());
            case CacheDecision.FromOrigin<StoredResponse> asking -> {
                var refusal = path.fetches().refusal(lookup, asking);
                if (refusal != null) {
                    fail(0, refusal.failure());
                    return;
                }
                var taken = path.fetch(lookup, asking, this);
                // The joined fetch may already have redirected it to another subscription.
                if (subscription == null && state != State.DONE) {
                    subscription = taken;
                }
            }
            case CacheDecision.Decline<StoredResponse> decline ->
                    failed(new Failure(Side.CLIENT, Kind.UNREACHABLE, decline.reasonLabel()));
        }
    }

    @Override
    public void onTurn() {
        isTurn = true;
        if (body != null) {
            if (state == State.COLLECTING && body.bytes() > MAX_BUFFERED_BYTES && !mustBeWhole) {
                flowNow(body);
            }
            body.resume();
        }
    }

    @Override
    public void cancel() {
        boolean isDelivered = body != null && body.isDelivered();
        if (state != State.DONE && !isDelivered) {
            leave();
            state = State.DONE;
            record.cancelled(UNWANTED);
        }
    }

    private void collect(BufferedBody buffered, ByteBuf data) {
        buffered.data(data);
        if (mustBeWhole) {
            stopIfTooLarge(buffered);
        } else if (buffered.bytes() > MAX_BUFFERED_BYTES && isTurn) {
            flowNow(buffered);
        } else if (!isTurn && (buffered.bytes() > MAX_BUFFERED_BYTES || page.buffersEnough())) {
            buffered.pause();
        }
    }

    private void flowNow(BufferedBody buffered) {
        state = State.FLOWING;
        answer.accept(new FragmentAnswer.Flowing<>(buffered));
    }

    private void stopIfTooLarge(BufferedBody buffered) {
        if (buffered.bytes() > page.maxBufferedBytes()) {
            leave();
            fail(
                    buffered.head().status(),
                    failure(
                            Kind.TOO_LARGE,
                            0,
                            " is larger than " + page.maxBufferedBytes() + " bytes"));
        }
    }

    /**
     * Whether {@code received} is a redirect; its target is then fetched, or the fragment fails.
     */
    private boolean isRedirected(ResponseHead received) {
        return redirects.follow(lookup, received, target -> redirected(received.status(), target));
    }

    private void redirected(int status, FragmentRedirects.Target target) {
        if (state == State.DONE) {
            // The deadline has expired during the check of a password.
            return;
        }
        switch (target) {
            case FragmentRedirects.Target.Next(var next) -> {
                lookup = next;
                retryLookup();
            }
            case FragmentRedirects.Target.Answered(var content) -> {
                var made = StoredResponse.made(lookup.key(), content.body(), null);
                record.succeeded(
                        made.status(),
                        made.head().fields(),
                        Optional.of(made.freshness()),
                        subscription);
                state = State.DONE;
                answer.accept(new FragmentAnswer.Whole<>(made));
            }
            case FragmentRedirects.Target.Refused(var failure) -> fail(status, failure);
        }
    }

    /** Continues with the page that contains the fragment inline; null if it is not a document. */
    private void withContainingPage(@Nullable StoredResponse containingPage) {
        isForContainingPage = false;
        lookup = asked;
        var found = containingPage == null ? null : containingPage.inline(asked.key());
        if (found != null) {
            whole(found);
            return;
        }
        page.hasNoOwner(asked);
        fail(
                0,
                new Failure(
                        Side.ORIGIN,
                        Kind.MALFORMED,
                        "no page contains the inline fragment " + asked.key().url()));
    }

    /** 206 does not count: no range was requested. */
    private static boolean isSuccess(ResponseHead received) {
        return received.status() >= 200 && received.status() < 300 && received.status() != 206;
    }

    /** Completes with {@code body}, which is usable, processed as the include demands. */
    private void whole(StoredResponse body) {
        int status = body.status();
        var shaped = page.shaped(lookup, body);
        if (shaped == null) {
            body.release();
            fail(status, failure(Kind.MALFORMED, 0, " cannot be parsed as an ESI document"));
            return;
        }
        // The memory it used while being collected is charged to the page from now on.
        shaped.chargeTo(page.buffered());
        record.succeeded(
                status,
                shaped.head().fields(),
                shaped.isShared() ? Optional.of(shaped.freshness()) : Optional.empty(),
                subscription);
        state = State.DONE;
        answer.accept(new FragmentAnswer.Whole<>(shaped));
    }

    /** Completes after {@code failure}, with a stale response if one may be used. */
    private void without(Failure failure) {
        var standIn = path.fallback().after(failure, standInLookup());
        if (standIn == null) {
            fail(failure.status(), failure);
        } else {
            standIn(standIn, () -> fail(failure.status(), failure));
        }
    }

    /** The lookup of a stale response to use; never that of the page that contains the fragment. */
    private Lookup standInLookup() {
        return isForContainingPage ? asked : lookup;
    }

    /**
     * Completes with {@code stale} in place of the origin's response.
     *
     * @param otherwise called if it cannot be used as a fragment
     */
    private void standIn(StoredResponse stale, Runnable otherwise) {
        state = State.DECODING;
        page.plain(stale, plain -> stoodIn(stale, plain, otherwise));
    }

    /** Like {@link #answered}, for a stale response. */
    private void stoodIn(StoredResponse stale, @Nullable StoredResponse plain, Runnable otherwise) {
        if (state != State.DECODING) {
            (plain == null ? stale : plain).release();
        } else if (plain != null) {
            lookup = standInLookup();
            record.stale();
            whole(plain);
        } else {
            stale.release();
            otherwise.run();
        }
    }

    /** Rejects the origin's response; for an error, a stale response may be used. */
    private void refused(Failure failure) {
        if (StandInCause.isErrorStatus(failure.status())) {
            without(failure);
        } else {
            fail(failure.status(), failure);
        }
    }

    private void fail(int status, Failure failure) {
        record.failed(status, failure);
        state = State.DONE;
        answer.accept(new FragmentAnswer.Failed<>(failure));
    }

    /** Leaves the fetch and releases the collected body. */
    private void leave() {
        if (subscription != null) {
            subscription.leave();
            subscription = null;
        }
        drop();
    }

    private void drop() {
        if (body != null) {
            body.drop();
        }
    }

    private Failure unusable(ResponseHead received) {
        int status = received.status();
        return isSuccess(received)
                ? failure(Kind.MALFORMED, status, " has a content coding (expected none)")
                : failure(Kind.STATUS, status, " responded with status " + status);
    }

    /** A failure of the origin; its detail is the URL followed by {@code what}. */
    private Failure failure(Kind kind, int status, String what) {
        return new Failure(Side.ORIGIN, kind, status, lookup.key().url() + what);
    }

    private BufferedBody body() {
        if (body == null) {
            throw new IllegalStateException("body data before the head of a fragment");
        }
        return body;
    }
}
