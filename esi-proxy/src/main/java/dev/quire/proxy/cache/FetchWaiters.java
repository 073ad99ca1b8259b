package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.policy.SelectingFields;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sinks that wait for one fetch, including the asker, which started it. Confined to the loop of
 * the fetch.
 */
final class FetchWaiters {
    private final EventLoop loop;
    private final Runnable overdue;
    private final long slowNanos;
    private final long begunNanos;
    private final Set<AnswerSink> takers = new LinkedHashSet<>();
    private @Nullable AnswerSink asker;
    private @Nullable ScheduledFuture<?> patience;
    private @Nullable ScheduledFuture<?> slowness;
    private boolean isKept;

    /** Whether the request waits for a connection. */
    private boolean isQueued;

    /** Whether the response was stored before, by another proxy. */
    private boolean isFound;

    /**
     * @param slow the time from now after which sinks may use a stale response; zero for never
     * @param overdue called when sinks other than the asker have waited too long
     */
    FetchWaiters(EventLoop loop, Duration slow, Runnable overdue) {
        this.loop = loop;
        this.slowNanos = slow.toNanos();
        this.begunNanos = loop.ticker().nanoTime();
        this.overdue = overdue;
    }

    /** Starts the fetch for {@code first}, which waits. */
    void askedBy(AnswerSink first) {
        asker = first;
        add(first);
    }

    /** The sink for which the fetch was started, even if it no longer waits. */
    AnswerSink asker() {
        if (asker == null) {
            throw new IllegalStateException("a body is streamed, but no sink asked for it");
        }
        return asker;
    }

    boolean isAsker(AnswerSink taker) {
        return taker.equals(asker);
    }

    /** The asker if it waits; null if it has left, or for a background refresh. */
    @Nullable AnswerSink waitingAsker() {
        return asker != null && takers.contains(asker) ? asker : null;
    }

    /** Whether the fetch is for a fragment, which must be whole. */
    boolean isForPage() {
        return asker != null && asker.wantsWhole();
    }

    void add(AnswerSink taker) {
        takers.add(taker);
        if (slowNanos > 0 && taker.hasStandIn()) {
            waitBriefly(taker);
        }
    }

    /** Offers {@code taker} a stale response in due time; one timer for all sinks. */
    private void waitBriefly(AnswerSink taker) {
        long left = begunNanos + slowNanos - loop.ticker().nanoTime();
        if (left <= 0) {
            // In a task: the taker is just joining.
            loop.execute(() -> offerStale(taker));
        } else if (slowness == null) {
            slowness = loop.schedule(this::slow, left, TimeUnit.NANOSECONDS);
        }
    }

    private void slow() {
        List.copyOf(takers).stream()
                .filter(AnswerSink::hasStandIn)
                .forEach(FetchWaiters::offerStale);
    }

    private static void offerStale(AnswerSink taker) {
        FetchSubscription.call(taker.loop(), taker::isServedStale);
    }

    /** The fetch continues without waiting sinks. */
    void keep() {
        isKept = true;
    }

    /** Returns false if it does not wait here. */
    boolean remove(AnswerSink taker) {
        return takers.remove(taker);
    }

    /** Whether no sink except {@code taker} waits. */
    boolean isOnlyFor(AnswerSink taker) {
        return takers.size() == 1 && takers.contains(taker);
    }

    boolean isEmpty() {
        return takers.isEmpty();
    }

    /** Whether the fetch was started for clients only, and no client waits any more. */
    boolean isDeserted() {
        return takers.isEmpty() && asker != null && !isKept;
    }

    /**
     * A request is made. Until it is sent the origin is not slow, and another one would not help.
     */
    void queued() {
        waitNoMore();
        isQueued = true;
    }

    void sending() {
        isQueued = false;
        waitPatiently();
    }

    /** Starts the timeout once a sink other than the asker waits; one timer for all of them. */
    void waitPatiently() {
        if (patience == null && !isQueued && othersWait()) {
            patience =
                    loop.schedule(
                            () -> {
                                patience = null;
                                if (othersWait()) {
                                    overdue.run();
                                }
                            },
                            Coalescer.PATIENCE.toNanos(),
                            TimeUnit.NANOSECONDS);
        }
    }

    private boolean othersWait() {
        return takers.stream().anyMatch(taker -> !isAsker(taker));
    }

    void waitNoMore() {
        if (patience != null) {
            patience.cancel(false);
            patience = null;
        }
    }

    /** Tells all sinks except the asker to look again. */
    void sendOthersBack() {
        dismiss(taker -> !isAsker(taker), AnswerSink::retryLookup);
    }

    /** Tells all sinks except the asker to fetch for themselves. */
    void dismissOthers() {
        dismiss(taker -> !isAsker(taker), AnswerSink::fetchSeparately);
    }

    /** Tells all sinks whose requests {@code selecting} does not match to fetch for themselves. */
    void dismissOthersThan(SelectingFields selecting) {
        dismiss(taker -> !taker.request().isSelectedBy(selecting), AnswerSink::fetchSeparately);
    }

    private interface Call {
        void to(AnswerSink taker);
    }

    private void dismiss(Predicate<AnswerSink> condition, Call last) {
        for (var taker : List.copyOf(takers)) {
            if (condition.test(taker)) {
                takers.remove(taker);
                FetchSubscription.call(taker.loop(), () -> last.to(taker));
            }
        }
    }

    /**
     * The response was stored before, by another proxy: it need not be new enough for each sink.
     */
    void found() {
        isFound = true;
    }

    /** Removes and returns all waiting sinks. */
    List<AnswerSink> takeAll() {
        waitNoMore();
        if (slowness != null) {
            slowness.cancel(false);
        }
        var all = List.copyOf(takers);
        takers.clear();
        return all;
    }

    /**
     * Answers {@code waiting}, which have been removed.
     *
     * @param isPurged whether the response was purged while it was fetched: the sinks except the
     *     asker may have arrived after the purge, and must not see older content
     */
    void answer(List<AnswerSink> waiting, StoredResponse response, boolean isPurged) {
        for (var taker : waiting) {
            if ((isPurged && !isAsker(taker)) || (isFound && !taker.takesStored())) {
                FetchSubscription.call(taker.loop(), taker::retryLookup);
            } else if (response.tryRetain()
                    && !FetchSubscription.call(taker.loop(), () -> taker.stored(response))) {
                response.release();
            }
        }
    }

    static void fail(List<AnswerSink> waiting, Failure failure) {
        for (var taker : waiting) {
            FetchSubscription.call(taker.loop(), () -> taker.failed(failure));
        }
    }
}
