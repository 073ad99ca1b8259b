package dev.quire.proxy;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentAnswer;
import dev.quire.core.assemble.FragmentSource;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.ClientLifetime;
import dev.quire.proxy.RequestPath.Inquiry;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.Seat;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.FlowingFragment;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.metrics.Metrics;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the answer to one include. What is stored comes whole; what is one client's own is
 * collected here until it is complete, and flows once it has outgrown its bound and its turn has
 * come. An error body is never a fragment.
 */
final class FragmentAnswerSink implements AnswerSink, FragmentSource.Fetching, FlowingFragment {

    /** A fragment that is not stored is held up to this, then it flows. */
    private static final long MAX_HELD_BYTES = 256 * 1024;

    /** What all such fragments of a page may hold while their turn has not come. */
    static final long MAX_HELD_BYTES_OF_A_PAGE = 4 * 1024 * 1024;

    private enum State {
        /** Nothing has come yet. */
        ASKED,
        /** The body is being collected. */
        COLLECTING,
        /** The assembler has been told that the body flows. */
        FLOWING,
        DONE
    }

    private final Inquiry inquiry;
    private final RequestPath path;
    private final Pages.Fragments page;
    private final Consumer<FragmentAnswer<StoredResponse>> answer;
    private final ArrayDeque<ByteBuf> collected = new ArrayDeque<>(0);
    private final long startedNanos;

    private State state = State.ASKED;
    private @Nullable Seat seat;
    private @Nullable BodyFlow flow;
    private @Nullable ResponseHead head;
    private FlowingFragment.@Nullable Sink reader;
    private Metrics.FragmentOutcome way = Metrics.FragmentOutcome.MISS;
    private long deadlineNanos;
    private long heldBytes;
    private boolean isTurn;
    private boolean isPaused;
    private boolean isWhole;
    private @Nullable Failure broken;

    FragmentAnswerSink(
            Inquiry inquiry,
            RequestPath path,
            Pages.Fragments page,
            Consumer<FragmentAnswer<StoredResponse>> answer) {
        this.inquiry = inquiry;
        this.path = path;
        this.page = page;
        this.answer = answer;
        this.startedNanos = page.now();
        this.deadlineNanos = startedNanos + page.includeTimeout().toNanos();
    }

    /** Whether {@code response} can stand in a page: a success whose bytes are the text itself. */
    static boolean isUsable(StoredResponse response) {
        return response.isSuccess() && !response.head().fields().contains("content-encoding");
    }

    void begin() {
        again();
    }

    /** Whether it must be there by its own deadline: not once it flows. */
    boolean isAwaited() {
        return state == State.ASKED || state == State.COLLECTING;
    }

    /** The time left to its deadline. */
    long nanosLeft(long now) {
        return deadlineNanos - now;
    }

    /** Gives it all of its time again if it is held back: it cannot be late. */
    boolean isExcused(long now) {
        if (isPaused) {
            deadlineNanos = now + page.includeTimeout().toNanos();
        }
        return isPaused;
    }

    /** Its deadline has passed. */
    void overdue() {
        if (isAwaited()) {
            var late = new Failure(Side.ORIGIN, Kind.TIMEOUT, "include-timeout");
            leave();
            var standIn = path.standIn(inquiry, late);
            if (standIn != null && isUsable(standIn)) {
                way = Metrics.FragmentOutcome.STALE;
                answered(new FragmentAnswer.Whole<>(standIn), standIn.head().status(), null);
                return;
            }
            if (standIn != null) {
                standIn.release();
            }
            answered(new FragmentAnswer.Failed<>(late), 0, late);
        }
    }

    @Override
    public EventLoop loop() {
        return inquiry.loop();
    }

    @Override
    public RequestHead request() {
        return inquiry.request();
    }

    @Override
    public boolean wantsWhole() {
        return true;
    }

    @Override
    public void stored(StoredResponse response) {
        if (state != State.ASKED) {
            response.release();
            return;
        }
        int status = response.head().status();
        if (isUsable(response)) {
            answered(new FragmentAnswer.Whole<>(response), status, null);
        } else {
            var unusable = unusable(response.head());
            response.release();
            answered(new FragmentAnswer.Failed<>(unusable), status, unusable);
        }
    }

    @Override
    public void rest(StoredResponse response, int from) {
        throw new IllegalStateException("a fragment that is stored comes whole");
    }

    @Override
    public void head(ResponseHead received, BodyFlow body) {
        head = received;
        flow = body;
        if (received.status() < 200
                || received.status() > 299
                || received.fields().contains("content-encoding")) {
            var unusable = unusable(received);
            leave();
            answered(new FragmentAnswer.Failed<>(unusable), received.status(), unusable);
            return;
        }
        state = State.COLLECTING;
    }

    @Override
    public void data(ByteBuf data) {
        switch (state) {
            case COLLECTING -> {
                collect(data);
                if (heldBytes > MAX_HELD_BYTES && isTurn) {
                    flowNow();
                } else if (!isTurn && (heldBytes > MAX_HELD_BYTES || page.holdsEnough())) {
                    pause();
                }
            }
            case FLOWING -> {
                if (reader != null) {
                    reader.data(data);
                } else {
                    collect(data);
                }
            }
            case ASKED, DONE -> data.release();
        }
    }

    @Override
    public void end() {
        isWhole = true;
        switch (state) {
            case COLLECTING -> {
                var received = present(head);
                // Its bytes go on counting until the last reference to them is gone.
                heldBytes = 0;
                var body =
                        StoredResponse.ofOneClient(inquiry.key(), received, collected, page.held());
                answered(new FragmentAnswer.Whole<>(body), received.status(), null);
            }
            case FLOWING -> {
                fetched(null);
                if (reader != null) {
                    state = State.DONE;
                    reader.end();
                }
            }
            case ASKED, DONE -> {}
        }
    }

    @Override
    public void failed(Failure failure) {
        switch (state) {
            case ASKED, COLLECTING -> {
                drop();
                var standIn = path.standIn(inquiry, failure);
                if (standIn != null && isUsable(standIn)) {
                    way = Metrics.FragmentOutcome.STALE;
                    answered(new FragmentAnswer.Whole<>(standIn), standIn.head().status(), null);
                    return;
                }
                if (standIn != null) {
                    standIn.release();
                }
                answered(new FragmentAnswer.Failed<>(failure), 0, failure);
            }
            case FLOWING -> {
                state = State.DONE;
                drop();
                fetched(failure);
                if (reader != null) {
                    reader.broken(failure);
                } else {
                    broken = failure;
                }
            }
            case DONE -> {}
        }
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
        if (seat == null && state != State.DONE) {
            seat = found;
        }
    }

    @Override
    public void turn() {
        isTurn = true;
        if (state == State.COLLECTING && heldBytes > MAX_HELD_BYTES) {
            flowNow();
        }
        resume();
    }

    @Override
    public void cancel() {
        if (state != State.DONE) {
            leave();
            state = State.DONE;
        }
    }

    @Override
    public ClientLifetime clientLifetime() {
        return ClientLifetime.of(present(head).fields(), Duration.ZERO);
    }

    @Override
    public void flowTo(FlowingFragment.Sink sink) {
        reader = sink;
        if (broken != null) {
            sink.broken(broken);
            return;
        }
        while (!collected.isEmpty()) {
            var data = collected.removeFirst();
            release(data.readableBytes());
            sink.data(data);
        }
        if (isWhole) {
            state = State.DONE;
            sink.end();
        }
    }

    @Override
    public void pause() {
        if (flow != null && !isPaused) {
            isPaused = true;
            flow.pause();
        }
    }

    @Override
    public void resume() {
        if (flow != null && isPaused) {
            isPaused = false;
            flow.resume();
        }
    }

    private void decided(CacheDecision<StoredResponse> decision) {
        way =
                switch (decision) {
                    case CacheDecision.Hit<StoredResponse> hit -> Metrics.FragmentOutcome.HIT;
                    case CacheDecision.StaleHit<StoredResponse> stale ->
                            Metrics.FragmentOutcome.STALE;
                    case CacheDecision.Revalidate<StoredResponse> old ->
                            Metrics.FragmentOutcome.MISS;
                    case CacheDecision.Miss<StoredResponse> miss -> Metrics.FragmentOutcome.MISS;
                    case CacheDecision.Pass<StoredResponse> pass -> Metrics.FragmentOutcome.PASS;
                };
    }

    private void collect(ByteBuf data) {
        int bytes = data.readableBytes();
        collected.addLast(data);
        heldBytes += bytes;
        page.held().charge(bytes);
    }

    private void release(int bytes) {
        heldBytes -= bytes;
        page.held().give(bytes);
    }

    private void flowNow() {
        state = State.FLOWING;
        answer.accept(new FragmentAnswer.Flowing<>(this));
    }

    /** Gives up the seat and what has been collected. */
    private void leave() {
        if (seat != null) {
            seat.leave();
            seat = null;
        }
        drop();
    }

    private void drop() {
        page.held().give(heldBytes);
        heldBytes = 0;
        collected.forEach(ByteBuf::release);
        collected.clear();
    }

    /** A fragment that flows has come to its end. */
    private void fetched(@Nullable Failure failure) {
        page.fetched(
                inquiry,
                failure == null ? way : outcome(failure),
                startedNanos,
                present(head).status(),
                failure);
    }

    private void answered(
            FragmentAnswer<StoredResponse> what, int status, @Nullable Failure failure) {
        state = State.DONE;
        page.fetched(
                inquiry, failure == null ? way : outcome(failure), startedNanos, status, failure);
        answer.accept(what);
    }

    private static Metrics.FragmentOutcome outcome(Failure failure) {
        return failure.kind() == Kind.TIMEOUT
                ? Metrics.FragmentOutcome.TIMEOUT
                : Metrics.FragmentOutcome.ERROR;
    }

    private Failure unusable(ResponseHead received) {
        boolean isError = received.status() < 200 || received.status() > 299;
        return new Failure(
                Side.ORIGIN,
                isError ? Kind.STATUS : Kind.MALFORMED,
                inquiry.key().url()
                        + (isError ? " gave " + received.status() : " came with a content coding"));
    }

    private static <T> T present(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("a fragment's body came before its head");
        }
        return value;
    }
}
