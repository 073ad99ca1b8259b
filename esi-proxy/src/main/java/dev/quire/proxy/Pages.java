package dev.quire.proxy;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.FragmentAnswer;
import dev.quire.core.assemble.FragmentRequest;
import dev.quire.core.assemble.FragmentSource;
import dev.quire.core.expression.Escape;
import dev.quire.core.expression.RequestVariables;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.RequestPath.Inquiry;
import dev.quire.proxy.UpstreamRequest.Purpose;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.cache.Transit;
import dev.quire.proxy.deliver.PageDelivery;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ExchangeTrace;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.route.Router;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Assembles pages: sends each of their fragments along the {@link RequestPath}. */
final class Pages {
    private static final Logger LOG = LoggerFactory.getLogger(Pages.class);

    /** What bounds the assembly of one page. */
    record Rules(
            PageDelivery.Rules page, RequestVariables.Rules variables, Duration includeTimeout) {}

    private final RequestPath path;
    private final Router<Lane> router;
    private final Rules rules;
    private final Time time;
    private final PageDelivery.Clocks clocks;
    private final Metrics metrics;

    Pages(RequestPath path, Router<Lane> router, Rules rules, Time time, Metrics metrics) {
        this.path = path;
        this.router = router;
        this.rules = rules;
        this.time = time;
        this.clocks = new PageDelivery.Clocks(time::now, time::wall);
        this.metrics = metrics;
    }

    /** Delivers {@code page}, an ESI document; one reference is taken over. */
    void deliver(Exchange exchange, Inquiry inquiry, StoredResponse page) {
        var fragments = new Fragments(exchange, inquiry);
        new PageDelivery(
                        exchange,
                        page,
                        clocks,
                        fragments,
                        new RequestSurroundings(exchange, rules.variables(), time),
                        rules.page(),
                        fragments)
                .start();
    }

    /** The fragments of one page. */
    final class Fragments implements FragmentSource<StoredResponse>, PageDelivery.Outcome {
        private final Exchange exchange;
        private final Inquiry page;
        private final RequestHead request;
        private final Transit held = new Transit(FragmentAnswerSink.MAX_HELD_BYTES_OF_A_PAGE);
        private final ArrayDeque<FragmentAnswerSink> underWay = new ArrayDeque<>();
        private @Nullable ScheduledFuture<?> timer;
        private boolean hasProblem;

        Fragments(Exchange exchange, Inquiry page) {
            this.exchange = exchange;
            this.page = page;
            this.request = asFragmentRequest(exchange.request());
        }

        @Override
        public @Nullable StoredResponse stored(FragmentRequest fragment) {
            var inquiry = inquire(fragment.key());
            var response = inquiry == null ? null : path.atHand(inquiry);
            if (response == null) {
                return null;
            }
            if (FragmentAnswerSink.isUsable(response)) {
                metrics.included(Metrics.FragmentOutcome.HIT);
                return response;
            }
            response.release();
            return null;
        }

        @Override
        public Fetching fetch(
                FragmentRequest fragment, Consumer<FragmentAnswer<StoredResponse>> answer) {
            if (exchange.request().isHead()) {
                // Nothing is fetched for a head; what it would be counts as one client's own.
                answer.accept(new FragmentAnswer.Whole<>(StoredResponse.unknown(fragment.key())));
                return new Fetching() {};
            }
            var inquiry = inquire(fragment.key());
            if (inquiry == null) {
                var failure =
                        new Failure(
                                Failure.Side.PROXY,
                                Failure.Kind.DENIED,
                                "no route leads to " + fragment.key().url());
                answer.accept(new FragmentAnswer.Failed<>(failure));
                return new Fetching() {};
            }
            var sink = new FragmentAnswerSink(inquiry, path, this, answer);
            underWay.addLast(sink);
            if (timer == null) {
                timer = schedule(rules.includeTimeout().toNanos());
            }
            sink.begin();
            return sink;
        }

        @Override
        public StoredResponse made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
            return StoredResponse.made(key, bytes, compiled);
        }

        @Override
        public StoredResponse escaped(StoredResponse body, Escape escape) {
            throw new UnsupportedOperationException("escaped forms");
        }

        @Override
        public @Nullable StoredResponse selected(StoredResponse body, String selector) {
            throw new UnsupportedOperationException("selected forms");
        }

        @Override
        public void omitted(Failure failure) {
            if (isNeverAskedFor(failure.kind())) {
                metrics.included(Metrics.FragmentOutcome.DROPPED);
            }
            if (failure.kind() == Failure.Kind.DENIED) {
                metrics.denied(failure.kind());
            }
            metrics.esiError(failure.kind());
            exchange.trace().omitted();
        }

        @Override
        public void failed(Failure failure) {
            metrics.esiError(failure.kind());
        }

        @Override
        public void problem(CacheKey document, String what) {
            metrics.problem();
            if (!hasProblem) {
                hasProblem = true;
                // An author can cause these on every request, and the logger writes on this loop.
                LOG.debug("{}: {}", document.url(), what);
            }
        }

        @Override
        public void ended() {
            underWay.clear();
            stopTimer();
        }

        /** Counts what fragments hold that nobody stores. */
        Transit held() {
            return held;
        }

        /** Whether fragments hold all they may: whoever's turn it is not must pause. */
        boolean holdsEnough() {
            return held.heldBytes() > FragmentAnswerSink.MAX_HELD_BYTES_OF_A_PAGE;
        }

        long now() {
            return exchange.loop().ticker().nanoTime();
        }

        Duration includeTimeout() {
            return rules.includeTimeout();
        }

        /** A fragment was asked for, and this came of it. */
        void fetched(
                Inquiry fragment,
                Metrics.FragmentOutcome how,
                long startedNanos,
                int status,
                @Nullable Failure failure) {
            metrics.included(how);
            exchange.trace()
                    .fragment(
                            new ExchangeTrace.FragmentTrace(
                                    fragment.key().url(),
                                    how.name().toLowerCase(Locale.ROOT),
                                    Duration.ofNanos(now() - startedNanos),
                                    status,
                                    failure == null ? null : failure.detail()));
        }

        private @Nullable Inquiry inquire(CacheKey key) {
            if (!(router.match(key) instanceof Router.Match.Found<Lane> found)) {
                return null;
            }
            boolean sameAuthority =
                    key.authority().equals(page.key().authority())
                            && key.scheme() == page.key().scheme();
            return new Inquiry(
                    key, request, exchange, null, found.target(), Purpose.INCLUDE, sameAuthority);
        }

        private ScheduledFuture<?> schedule(long nanos) {
            return exchange.loop().schedule(this::due, Math.max(nanos, 0), TimeUnit.NANOSECONDS);
        }

        /**
         * One timer for all fragments: they have the same time-out, so the first is due first. One
         * that is held back has all of it still before it, and so goes to the end of the line.
         */
        private void due() {
            timer = null;
            long now = now();
            for (int each = underWay.size(); each > 0 && !underWay.isEmpty(); each--) {
                var next = underWay.removeFirst();
                if (!next.isAwaited()) {
                    continue;
                }
                if (next.isExcused(now)) {
                    underWay.addLast(next);
                    continue;
                }
                if (next.nanosLeft(now) > 0) {
                    underWay.addFirst(next);
                    break;
                }
                next.overdue();
            }
            if (!underWay.isEmpty()) {
                // An alternative that was asked for meanwhile may have set a later one.
                stopTimer();
                timer = schedule(underWay.getFirst().nanosLeft(now));
            }
        }

        private void stopTimer() {
            if (timer != null) {
                timer.cancel(false);
                timer = null;
            }
        }
    }

    private static boolean isNeverAskedFor(Failure.Kind kind) {
        return switch (kind) {
            case DENIED, LOOP, DEPTH, BUDGET -> true;
            case UNREACHABLE,
                    TIMEOUT,
                    TRUNCATED,
                    MALFORMED,
                    STATUS,
                    TOO_LARGE,
                    OVERLOAD,
                    CANCELLED,
                    BUG ->
                    false;
        };
    }

    /** The page's request as its fragments are judged by: a GET without conditions or body. */
    private static RequestHead asFragmentRequest(RequestHead request) {
        boolean isPlain =
                request.isGet()
                        && !request.fields().contains("if-match")
                        && !request.fields().contains("if-unmodified-since");
        if (isPlain) {
            return request;
        }
        return new RequestHead(
                "GET",
                request.scheme(),
                request.authority(),
                request.target(),
                request.fields().without(Pages::isOfThePageOnly));
    }

    private static boolean isOfThePageOnly(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        return lower.startsWith("if-") || lower.startsWith("content-");
    }
}
