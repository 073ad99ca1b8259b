package dev.quire.proxy.path;

import dev.quire.core.http.ClientNetwork;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheDecision.PassReason;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.Coalescer;
import dev.quire.proxy.cache.FetchSubscription;
import dev.quire.proxy.cache.HitForMiss;
import dev.quire.proxy.cache.LowerTiers;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.PreparedFetch;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.proxy.route.HintMode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Sends lookups to their origins, through the {@link Coalescer}. */
public final class Fetches {
    private final Coalescer coalescer;
    private final UpstreamRequest upstream;
    private final PageStore store;
    private final LowerTiers tiers;
    private final HitForMiss hitForMiss;
    private final RuleGates gates;
    private final CurrentParts current;
    private final long generation;

    /**
     * @param generation the number of the parts to which this belongs
     */
    public Fetches(SharedParts shared, UpstreamRequest upstream, RuleGates gates, long generation) {
        this.generation = generation;
        this.coalescer = shared.coalescer();
        this.current = shared.current();
        this.upstream = upstream;
        this.store = shared.store();
        this.tiers = shared.tiers();
        this.hitForMiss = shared.hitForMiss();
        this.gates = gates;
    }

    /**
     * Searches in a lower tier for what {@code lookup} did not find in the store. Returns false if
     * it cannot be there; otherwise {@code sink} is told.
     */
    boolean search(Lookup lookup, AnswerSink sink) {
        return isSearched(lookup)
                && tiers.search(lookup.key(), lookup.target().rules(), lookup.ruled()::asked, sink);
    }

    /**
     * Returns the stored response that can serve {@code lookup} at {@code now} without a search, or
     * null; the caller owns a reference.
     */
    @Nullable StoredResponse atOnce(Lookup lookup, AnswerSink sink, Instant now) {
        var stored = lookup.storedIn(store);
        if (stored != null || !sink.takesFiles() || !isSearched(lookup)) {
            return stored;
        }
        var inFile = tiers.disk().inFile(lookup.key(), lookup.target().rules(), lookup.sent());
        return inFile == null ? null : lookup.storedIn(store, inFile, now);
    }

    private boolean isSearched(Lookup lookup) {
        return tiers.isOn() && lookup.isAnsweredFromStore() && lookup.pass() == null;
    }

    /** Whether hits may be invalidated elsewhere, and the operator wants them validated then. */
    boolean validatesHits() {
        return tiers.shared().validatesHits();
    }

    /** Whether hits may be invalidated elsewhere. */
    boolean isBehind() {
        return tiers.shared().isBehind();
    }

    /**
     * Decides with {@code stored}, or without a stored response; the decision has its reference, or
     * it is released.
     */
    CacheDecision<StoredResponse> decide(
            Lookup lookup, @Nullable StoredResponse stored, Instant now) {
        boolean isAbsent = stored == null;
        var decision =
                trusted(
                        lookup,
                        lookup.decided(
                                stored,
                                isAbsent && store.hasVariants(lookup.key()),
                                isAbsent && isNoted(lookup),
                                now));
        boolean isHit = decision instanceof CacheDecision.Hit<StoredResponse>;
        if (stored != null && stored.file() != null && !isHit) {
            // Since it was found. Only a hit can be sent from a file.
            stored.release();
            return decide(lookup, lookup.storedIn(store), now);
        }
        if (stored != null && decision.stored() == null) {
            stored.release();
        }
        return decision;
    }

    /** Has hits validated while they may be invalidated elsewhere, if the operator wants that. */
    private CacheDecision<StoredResponse> trusted(
            Lookup lookup, CacheDecision<StoredResponse> decision) {
        if (!validatesHits()
                || !(decision instanceof CacheDecision.FromStore<StoredResponse> hit)) {
            return decision;
        }
        return lookup.exchange().directives().onlyIfCached()
                ? new CacheDecision.Decline<>()
                : new CacheDecision.Revalidate<>(
                        hit.stored(), CacheDecision.RevalidateReason.BEHIND);
    }

    /**
     * Counts {@code lookup} for the limits of misses, once. Null if they admit it; otherwise the
     * decision's reference is released.
     */
    @Nullable RuleRefusal refusal(
            Lookup lookup, CacheDecision.FromOrigin<StoredResponse> decision) {
        var refusal = gates.refusal(lookup.ruled().checks().take());
        var stored = decision.stored();
        if (refusal != null && stored != null) {
            stored.release();
        }
        return refusal;
    }

    /**
     * Joins or starts the coalesced fetch.
     *
     * @param stale the response to validate or replace; takes over one reference
     * @return null if {@code sink} was told to look again because a fetch has just ended
     */
    @Nullable FetchSubscription join(
            Lookup lookup, @Nullable StoredResponse stale, AnswerSink sink) {
        if (stale == null && lookup.isOfOneReader()) {
            return fetchUncoalesced(lookup, sink);
        }
        return coalescer.join(
                lookup.key(),
                fetch(lookup, lookup.purpose()),
                lookup.rules(),
                stale,
                () -> stale == null && isStored(lookup),
                sink);
    }

    /** Whether {@code lookup} is not coalesced, since the last response was not cacheable. */
    boolean isNoted(Lookup lookup) {
        return hitForMiss.isNoted(lookup.key(), lookup.fields(), lookup.asksForPart());
    }

    /** Forwards with the client's Range, for {@code sink} alone; the response is not stored. */
    FetchSubscription part(Lookup lookup, AnswerSink sink) {
        return coalescer.part(lookup.key(), fetch(lookup, Purpose.PART), lookup.rules(), sink);
    }

    /** Fetches for {@code sink}, which cannot use the response of the fetch it had joined. */
    FetchSubscription separately(Lookup lookup, AnswerSink sink) {
        return lookup.asksForPart() && isNoted(lookup)
                ? part(lookup, sink)
                : fetchUncoalesced(lookup, sink);
    }

    /**
     * Validates {@code stale}, of which it takes over one reference.
     *
     * @return null as for {@link #join}
     */
    @Nullable FetchSubscription validate(Lookup lookup, StoredResponse stale, AnswerSink sink) {
        return lookup.request().isHead() ? head(lookup, stale, sink) : join(lookup, stale, sink);
    }

    private FetchSubscription head(Lookup lookup, StoredResponse stale, AnswerSink sink) {
        return coalescer.head(
                lookup.key(), fetch(lookup, Purpose.HEAD), lookup.rules(), stale, sink);
    }

    /** Fetches for {@code sink} alone; the response is stored if cacheable. */
    FetchSubscription fetchUncoalesced(Lookup lookup, AnswerSink sink) {
        return coalescer.fetchUncoalesced(
                lookup.key(), fetch(lookup, lookup.purpose()), lookup.rules(), sink);
    }

    /** Forwards without coalescing, for {@code sink} alone; the response is not stored. */
    FetchSubscription forward(Lookup lookup, AnswerSink sink) {
        return unstored(
                lookup, lookup.inclusion() == null ? Purpose.FORWARD : Purpose.INCLUDE, sink);
    }

    /** Bypasses the cache for {@code reason}, with the client's Range. */
    FetchSubscription pass(Lookup lookup, PassReason reason, AnswerSink sink) {
        if (lookup.asksForPart()) {
            return part(lookup, sink);
        }
        return switch (reason) {
            case HIT_FOR_MISS -> fetchUncoalesced(lookup, sink);
            case METHOD, BODY, HEAD, CONDITION, RANGE, UPGRADE -> forward(lookup, sink);
            case RULE ->
                    lookup.inclusion() == null
                            ? forward(lookup, sink)
                            : unstored(lookup, lookup.purpose(), sink);
            case NO_STORE ->
                    lookup.request().isHead()
                            ? forward(lookup, sink)
                            : unstored(lookup, lookup.purpose(), sink);
        };
    }

    private FetchSubscription unstored(Lookup lookup, Purpose purpose, AnswerSink sink) {
        return coalescer.pass(lookup.key(), fetch(lookup, purpose), lookup.rules(), sink);
    }

    /** Refreshes {@code stale} in the background. */
    void refreshLater(Lookup lookup, StoredResponse stale) {
        if (!lookup.request().isHead()) {
            coalescer.refreshLater(
                    lookup.key(),
                    lookup.sent(),
                    lookup.loop(),
                    fetch(lookup, lookup.purpose()),
                    lookup.rules(),
                    stale);
        }
    }

    private boolean isStored(Lookup lookup) {
        var stored = lookup.storedIn(store);
        release(stored);
        return stored != null;
    }

    private static void release(@Nullable StoredResponse stored) {
        if (stored != null) {
            stored.release();
        }
    }

    private PreparedFetch fetch(Lookup lookup, Purpose purpose) {
        return new Prepared(lookup, purpose, upstream, current, generation);
    }

    /** A fetch for {@code lookup}. Does not refer to the parts that it began with. */
    private record Prepared(
            Lookup lookup,
            Purpose purpose,
            UpstreamRequest upstream,
            CurrentParts current,
            long generation)
            implements PreparedFetch {

        @Override
        public BodyFlow start(Fields conditions, ResponseSink sink) {
            return lookup.target()
                    .origin()
                    .fetch(
                            new OriginRequest(
                                    upstream.of(lookup, conditions, purpose),
                                    lookup.body(),
                                    ClientNetwork.of(lookup.exchange().client()),
                                    UpstreamRequest.affinity(lookup),
                                    upstream.capabilities(lookup),
                                    lookup.target().deadlines(),
                                    lookup.takesTrailers(),
                                    lookup.target().trailers(),
                                    lookup.upgrade()),
                            lookup.loop(),
                            sink);
        }

        @Override
        public boolean remembersHints() {
            return lookup.target().hints() == HintMode.REMEMBER;
        }

        @Override
        public CacheKey asked(CacheKey key) {
            return lookup.ruled().asked(key);
        }

        @Override
        public Object origin() {
            return lookup.target().origin();
        }

        @Override
        public boolean isCurrent() {
            return current.mayStore(lookup, generation);
        }
    }
}
