package dev.quire.proxy.path;

import dev.quire.core.assemble.Assembly;
import dev.quire.core.assemble.AssemblyNotes;
import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.FragmentAnswer;
import dev.quire.core.assemble.FragmentRequest;
import dev.quire.core.assemble.FragmentSource;
import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.expression.Escape;
import dev.quire.core.expression.RequestVariables;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.FixedAnswer;
import dev.quire.proxy.cache.Compressing;
import dev.quire.proxy.cache.DocumentReader;
import dev.quire.proxy.cache.InFlightBudget;
import dev.quire.proxy.cache.InlineOwners;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.PageDelivery;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ExchangeTrace;
import dev.quire.proxy.exchange.TierSearch;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.route.EsiProcessing;
import dev.quire.proxy.route.Router;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Assembles pages: sends each of their fragments along the {@link RequestPath}. */
public final class Pages {
    private static final Logger LOG = LoggerFactory.getLogger(Pages.class);

    /** The tools that transform fragments. */
    public record Transformers(
            DocumentReader reader, FragmentTransforms reshaping, Compressing compressing) {}

    private enum Refused {
        /** A field that includes must not change. */
        FIELD
    }

    private final RequestPath path;
    private final FragmentLookups.Routing routing;
    private final PageDelivery.Rules rules;
    private final RequestVariables.Rules variables;
    private final Transformers transformers;
    private final UnsafeMethodInvalidation invalidation;
    private final Time time;
    private final Metrics metrics;

    Pages(
            RequestPath path,
            FragmentLookups.Routing routing,
            PageDelivery.Rules rules,
            Transformers transformers,
            UnsafeMethodInvalidation invalidation,
            Time time,
            Metrics metrics) {
        this.path = path;
        this.routing = routing;
        this.rules = rules;
        this.variables = new RequestVariables.Rules(rules.esi().variables());
        this.transformers = transformers;
        this.invalidation = invalidation;
        this.time = time;
        this.metrics = metrics;
        metrics.showDenials(Refused.values());
    }

    /**
     * Delivers {@code page}, an ESI document; takes over one reference. Returns whether fragments
     * are awaited.
     */
    boolean deliver(Exchange exchange, Lookup lookup, StoredResponse page) {
        var fragments = new Fragments(exchange, lookup);
        var delivery =
                new PageDelivery(
                        exchange,
                        page,
                        fragments,
                        new ExchangeInputs(exchange, variables, time),
                        rules,
                        transformers.compressing(),
                        fragments);
        if (rules.esi().passSetCookie()) {
            fragments.cookies = delivery::setCookie;
        }
        fragments.begin(delivery);
        return fragments.areAwaited();
    }

    /** The fragments of one page. */
    final class Fragments implements FragmentSource<StoredResponse>, PageDelivery.Outcome {
        private final Exchange exchange;
        private final FragmentLookups lookups;
        private final InFlightBudget buffered =
                new InFlightBudget(FragmentAnswerSink.MAX_BUFFERED_BYTES_OF_A_PAGE);
        private final List<FragmentAnswerSink> underWay = new ArrayList<>(0);
        private Consumer<String> cookies = dropped -> {};
        private @Nullable ScheduledFuture<?> timer;
        private long dueNanos;
        private boolean hasProblem;
        private int requests;

        /** Set while the page starts, which counts as one moment. */
        private @Nullable Instant beginning;

        Fragments(Exchange exchange, Lookup page) {
            this.exchange = exchange;
            this.lookups = new FragmentLookups(exchange, page, routing);
        }

        /** Starts the page; all lookups during the start use the same time. */
        void begin(PageDelivery delivery) {
            beginning = time.now();
            try {
                delivery.start();
            } finally {
                beginning = null;
            }
        }

        /** Whether a fragment is being fetched. */
        boolean areAwaited() {
            return !underWay.isEmpty() && underWay.stream().anyMatch(FragmentAnswerSink::isAwaited);
        }

        /** The current time on the cache's clock. */
        Instant moment() {
            var first = beginning;
            return first == null ? time.now() : first;
        }

        @Override
        public @Nullable StoredResponse stored(FragmentRequest fragment) {
            var inclusion = inclusion(fragment);
            int dropped = fragment.terms().fields().size() - inclusion.terms().fields().size();
            for (int each = 0; each < dropped; each++) {
                metrics.denied(Refused.FIELD);
            }
            var found = lookups.find(fragment.key(), inclusion);
            var lookup = found instanceof FragmentLookups.Found.Asking(var asking) ? asking : null;
            var response = lookup == null ? null : atHand(lookup, inclusion);
            if (lookup == null || response == null) {
                lookups.keep(fragment, found);
                return null;
            }
            var plain = plainAtOnce(response);
            var shaped = plain == null ? null : shaped(lookup, plain);
            if (shaped == null) {
                (plain == null ? response : plain).release();
                lookups.keep(fragment, found);
            } else {
                metrics.included(Metrics.FragmentOutcome.HIT);
                noteAtHand(fragment, shaped);
            }
            return shaped;
        }

        private @Nullable StoredResponse atHand(Lookup fragment, Inclusion inclusion) {
            var owner = inclusion.mayBeStored() ? ownerOf(fragment) : null;
            var containingLookup = owner == null ? null : containingLookup(fragment, owner.page());
            if (owner == null || containingLookup == null) {
                return path.atHand(fragment, moment());
            }
            var containingPage = path.atHand(containingLookup, moment());
            if (containingPage == null) {
                return owner.isFetchable() ? path.atHand(fragment, moment()) : null;
            }
            var inline = containingPage.inline(fragment.key());
            containingPage.release();
            if (inline == null) {
                hasNoOwner(fragment);
                return path.atHand(fragment, moment());
            }
            return inline;
        }

        /** Returns the stored page whose inline document {@code fragment} is, or null. */
        InlineOwners.@Nullable Owner ownerOf(Lookup fragment) {
            var inlines = path.store().inlines();
            var inclusion = fragment.inclusion();
            if (inlines.isEmpty() || inclusion == null) {
                return null;
            }
            var parent = target(inclusion.parent());
            return parent == null
                    ? null
                    : inlines.of(
                            routed(fragment.key(), fragment.target()),
                            routed(inclusion.parent(), parent));
        }

        /** Records that no page contains {@code fragment} inline any more. */
        void hasNoOwner(Lookup fragment) {
            path.store().inlines().forget(routed(fragment.key(), fragment.target()));
        }

        private static InlineOwners.Routed routed(CacheKey key, RouteTarget target) {
            return new InlineOwners.Routed(target.rules().route(), key);
        }

        private @Nullable RouteTarget target(CacheKey key) {
            return routing.router().match(key) instanceof Router.Match.Matched<RouteTarget> found
                    ? found.target()
                    : null;
        }

        @Override
        public void refused(@Nullable CacheKey key, CacheKey parent, int depth, Failure failure) {
            var notes = exchange.notes();
            if (notes != null) {
                notes.fragmentFailed(notes.place(parent, depth), key, 0, failure);
            }
        }

        private void noteAtHand(FragmentRequest fragment, StoredResponse response) {
            var notes = exchange.notes();
            if (notes != null) {
                notes.fragment(
                        notes.place(fragment.parent(), fragment.depth()),
                        fragment.key(),
                        response.freshness().isFreshAt(moment())
                                ? Assembly.CacheOutcome.HIT
                                : Assembly.CacheOutcome.STALE,
                        response.status(),
                        response.head().fields(),
                        Optional.of(response.freshness()));
            }
        }

        @Override
        public Fetching fetch(
                FragmentRequest fragment, Consumer<FragmentAnswer<StoredResponse>> answer) {
            if (exchange.request().isHead()) {
                // HEAD fetches no fragments; an unknown fragment counts as private.
                answer.accept(new FragmentAnswer.Whole<>(StoredResponse.unknown(fragment.key())));
                return new Fetching() {};
            }
            var inclusion = inclusion(fragment);
            if (!inclusion.terms().isFetchable()) {
                return refuse(
                        fragment,
                        answer,
                        "method not allowed for a fragment: " + inclusion.terms().method());
            }
            return fetch(fragment, inclusion, lookups.found(fragment, inclusion), answer);
        }

        private Fetching fetch(
                FragmentRequest fragment,
                Inclusion inclusion,
                FragmentLookups.Found found,
                Consumer<FragmentAnswer<StoredResponse>> answer) {
            return switch (found) {
                case FragmentLookups.Found.Asking(var lookup) ->
                        fetch(fragment, inclusion, lookup, answer);
                case FragmentLookups.Found.Answered(var content) -> {
                    answer.accept(
                            new FragmentAnswer.Whole<>(
                                    StoredResponse.made(fragment.key(), content.body(), null)));
                    yield new Fetching() {};
                }
                case FragmentLookups.Found.Waiting waiting -> {
                    var fetch = new WaitingFetch();
                    lookups.check(
                            waiting,
                            next -> fetch.begin(() -> fetch(fragment, inclusion, next, answer)));
                    yield fetch;
                }
                case FragmentLookups.Found.Refused(var why) -> refuse(fragment, answer, why);
            };
        }

        private Fetching fetch(
                FragmentRequest fragment,
                Inclusion inclusion,
                Lookup lookup,
                Consumer<FragmentAnswer<StoredResponse>> answer) {
            if (!mayRequest()) {
                var failure =
                        new Failure(Failure.Side.ORIGIN, Failure.Kind.BUDGET, tooManyRequests());
                refused(fragment.key(), fragment.parent(), fragment.depth(), failure);
                answer.accept(new FragmentAnswer.Failed<>(failure));
                return new Fetching() {};
            }
            var sink =
                    new FragmentAnswerSink(
                            lookup, inclusion, path, this, fragment.mustBeWhole(), answer);
            underWay.add(sink);
            long left = sink.nanosLeft(now());
            if (timer == null || left < dueNanos - now()) {
                stopTimer();
                timer = schedule(left);
            }
            sink.begin();
            return sink;
        }

        /** Counts a request; false if the page has made as many as it may have fragments. */
        private boolean mayRequest() {
            return requests++ < rules.esi().limits().maxIncludes();
        }

        private String tooManyRequests() {
            return "more than "
                    + rules.esi().limits().maxIncludes()
                    + " requests of one page, redirects included";
        }

        private Fetching refuse(
                FragmentRequest fragment,
                Consumer<FragmentAnswer<StoredResponse>> answer,
                String why) {
            var failure = new Failure(Failure.Side.PROXY, Failure.Kind.DENIED, why);
            refused(fragment.key(), fragment.parent(), fragment.depth(), failure);
            answer.accept(new FragmentAnswer.Failed<>(failure));
            return new Fetching() {};
        }

        @Override
        public StoredResponse made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled) {
            return StoredResponse.made(key, bytes, compiled);
        }

        @Override
        public StoredResponse escaped(StoredResponse body, Escape escape) {
            return transformers.reshaping().escaped(body, escape);
        }

        @Override
        public void select(
                StoredResponse body, String selector, Consumer<@Nullable StoredResponse> answer) {
            transformers.reshaping().select(body, selector, exchange, answer);
        }

        @Override
        public void omitted(Failure failure) {
            if (failure.kind().isRefusal()) {
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

        /** Counts the memory of fragments that are not stored. */
        InFlightBudget buffered() {
            return buffered;
        }

        /** Whether the fragments hold more than they may: all except the next one must pause. */
        boolean buffersEnough() {
            return buffered.usedBytes() > FragmentAnswerSink.MAX_BUFFERED_BYTES_OF_A_PAGE;
        }

        long now() {
            return exchange.loop().ticker().nanoTime();
        }

        long maxBufferedBytes() {
            return rules.esi().limits().maxBufferedBytes();
        }

        /** The timeout of a fragment: the include can only shorten the configured one. */
        Duration timeout(Inclusion inclusion) {
            var configured = rules.esi().includeTimeout();
            return inclusion
                    .terms()
                    .timeout()
                    .filter(own -> own.compareTo(configured) < 0)
                    .orElse(configured);
        }

        /**
         * Passes {@code response} without content coding to {@code answer}, or null if it cannot be
         * used in a page. Passes on its reference unless the result is null. Called on the page's
         * loop, possibly later.
         */
        void plain(StoredResponse response, Consumer<@Nullable StoredResponse> answer) {
            if (response.isSuccess() && response.isCoded()) {
                transformers.reshaping().decoded(response, exchange, answer);
            } else {
                answer.accept(plainAtOnce(response));
            }
        }

        /** Like {@link #plain}, but returns null if decoding takes too long for the loop. */
        private @Nullable StoredResponse plainAtOnce(StoredResponse response) {
            if (FragmentAnswerSink.isUsable(response)) {
                return response;
            }
            return response.isSuccess() ? transformers.reshaping().decodedAtOnce(response) : null;
        }

        /**
         * Returns {@code response}, which is usable, processed as {@code fragment} demands; passes
         * on its reference. Returns null if that is not possible.
         */
        @Nullable StoredResponse shaped(Lookup fragment, StoredResponse response) {
            var inclusion = fragment.inclusion();
            if (inclusion == null) {
                return response;
            }
            boolean isDocument = response.compiled() != null;
            return switch (inclusion.terms().dca()) {
                case UNSAID -> response;
                case NONE -> isDocument ? transformers.reshaping().source(response) : response;
                case ESI ->
                        isDocument || !mayBecomeDocument(fragment, inclusion, response)
                                ? response
                                : transformers
                                        .reader()
                                        .read(response, fragment.rules().documents());
            };
        }

        /**
         * Whether an include may turn {@code fragment} into a document: its own route, or a
         * response rule, must process unstamped ones, and it must be of the host and origin of the
         * including document.
         */
        private boolean mayBecomeDocument(
                Lookup fragment, Inclusion inclusion, StoredResponse response) {
            var processing = fragment.rules().modeOf(response.head(), time.wall());
            var parent = target(inclusion.parent());
            return processing != EsiProcessing.OFF
                    && processing != EsiProcessing.STAMPED
                    && fragment.key().isOfSameAuthority(inclusion.parent())
                    && parent != null
                    && parent.origin().equals(fragment.target().origin());
        }

        /** Handles the head of a private fragment: passes on its cookies. */
        void ofOneClient(Lookup fragment, ResponseHead head) {
            if (fragment.sameAuthority()) {
                head.fields().all("Set-Cookie").forEach(cookies);
            }
        }

        /**
         * Invalidates stored responses after the response to {@code fragment}, if its method is
         * unsafe.
         */
        void answered(Lookup fragment, ResponseHead head) {
            invalidation.after(fragment, head);
        }

        /**
         * Returns the lookup for the page at {@code containingPage}, which contains {@code
         * fragment} inline.
         */
        @Nullable Lookup containingLookup(Lookup fragment, CacheKey containingPage) {
            var inclusion = fragment.inclusion();
            return inclusion == null
                    ? null
                    : lookups.containing(
                            containingPage,
                            new Inclusion(
                                    FragmentTerms.NONE, inclusion.parent(), inclusion.depth()));
        }

        /**
         * Finds the target to which {@code fragment} is redirected.
         *
         * @param answer called once, later if a password has to be checked
         */
        void redirect(Lookup fragment, int status, String location, Consumer<Redirect> answer) {
            redirect(lookups.redirected(fragment, status, location), answer);
        }

        private void redirect(FragmentLookups.Found found, Consumer<Redirect> answer) {
            switch (found) {
                case FragmentLookups.Found.Asking(var lookup) ->
                        answer.accept(
                                mayRequest()
                                        ? new Redirect.To(lookup)
                                        : new Redirect.Refused(tooManyRequests()));
                case FragmentLookups.Found.Answered(var content) ->
                        answer.accept(new Redirect.Answered(content));
                case FragmentLookups.Found.Waiting waiting ->
                        lookups.check(waiting, next -> redirect(next, answer));
                case FragmentLookups.Found.Refused(var why) ->
                        answer.accept(new Redirect.Refused(why));
            }
        }

        /** Records the outcome of a fetched fragment. */
        void fetched(
                Lookup fragment,
                Metrics.FragmentOutcome how,
                long startedNanos,
                int status,
                @Nullable Failure failure,
                @Nullable TierSearch search) {
            long tookNanos = now() - startedNanos;
            metrics.included(how, tookNanos);
            exchange.trace()
                    .fragment(
                            new ExchangeTrace.FragmentTrace(
                                    fragment.key().url(),
                                    how.name().toLowerCase(Locale.ROOT),
                                    Duration.ofNanos(tookNanos),
                                    status,
                                    failure == null ? null : failure.detail(),
                                    search));
        }

        /** The notes on the parts of the page; null without an observer. */
        @Nullable AssemblyNotes notes() {
            return exchange.notes();
        }

        private Inclusion inclusion(FragmentRequest fragment) {
            return new Inclusion(fragment.terms().allowed(), fragment.parent(), fragment.depth());
        }

        private ScheduledFuture<?> schedule(long nanos) {
            dueNanos = now() + nanos;
            return exchange.later(this::due, nanos);
        }

        /**
         * One timer for all fragments, due with the earliest deadline. A paused fragment cannot be
         * late: its deadline restarts.
         */
        private void due() {
            timer = null;
            long now = now();
            for (var each : List.copyOf(underWay)) {
                if (each.isAwaited() && !each.isExcused(now) && each.nanosLeft(now) <= 0) {
                    each.overdue();
                }
            }
            underWay.removeIf(each -> !each.isAwaited());
            stopTimer();
            underWay.stream()
                    .mapToLong(each -> each.nanosLeft(now))
                    .min()
                    .ifPresent(left -> timer = schedule(left));
        }

        private void stopTimer() {
            if (timer != null) {
                timer.cancel(false);
                timer = null;
            }
        }
    }

    /** The target of a redirect. */
    sealed interface Redirect {
        record To(Lookup next) implements Redirect {}

        record Answered(FixedAnswer content) implements Redirect {}

        record Refused(String why) implements Redirect {}
    }
}
