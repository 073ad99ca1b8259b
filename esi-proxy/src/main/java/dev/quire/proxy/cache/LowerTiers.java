package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.TierSearch;
import dev.quire.proxy.exchange.Time;
import io.netty.channel.EventLoop;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The tiers below the memory, the nearer one first. Thread-safe. */
public final class LowerTiers {
    private final HeldResponses held;
    private final Time time;
    private final PageStore store;
    private final RecordTier disk;
    private final SharedTier shared;

    /**
     * @param transit accounts for responses that are read and not in memory
     * @param rendering renders their heads
     */
    public LowerTiers(PageStore store, InFlightBudget transit, HeadBytes rendering, Time time) {
        this.store = store;
        this.held = store.held();
        this.time = time;
        this.disk = new RecordTier(store, transit, rendering, time);
        this.shared = new SharedTier(store, rendering, time);
    }

    public RecordTier disk() {
        return disk;
    }

    public SharedTier shared() {
        return shared;
    }

    /** Whether there may be something to find. */
    public boolean isOn() {
        return disk.isOn() || shared.isOn();
    }

    /**
     * Searches the response to a request that the store does not have. Returns false if it cannot
     * be found. Otherwise {@code sink} is told later, on its loop, which is the current one, to
     * look into the store again.
     *
     * @param rules of its route
     * @param asked returns the URL before rules changed it
     */
    public boolean search(
            CacheKey resource,
            RouteCacheRules rules,
            UnaryOperator<CacheKey> asked,
            SearchSink sink) {
        if (!shared.isOn()) {
            return disk.search(resource, rules, asked, sink);
        }
        var both = new Both(resource, rules, asked, sink, time.ticks());
        return disk.search(resource, rules, asked, both) || both.asksStore();
    }

    /** Asks the shared tier if the disk has nothing. */
    private final class Both implements SearchSink {
        private final CacheKey resource;
        private final RouteCacheRules rules;
        private final UnaryOperator<CacheKey> asked;
        private final SearchSink sink;
        private final long sinceTicks;

        Both(
                CacheKey resource,
                RouteCacheRules rules,
                UnaryOperator<CacheKey> asked,
                SearchSink sink,
                long sinceTicks) {
            this.resource = resource;
            this.rules = rules;
            this.asked = asked;
            this.sink = sink;
            this.sinceTicks = sinceTicks;
        }

        boolean asksStore() {
            return shared.search(resource, rules, asked, sink, sinceTicks);
        }

        @Override
        public EventLoop loop() {
            return sink.loop();
        }

        @Override
        public SentRequest request() {
            return sink.request();
        }

        @Override
        public boolean takesFiles() {
            return sink.takesFiles();
        }

        @Override
        public void searched(@Nullable StoredResponse inFile, TierSearch search) {
            if (search.isFound() || !asksStore()) {
                sink.searched(inFile, search);
            }
        }

        @Override
        public void failed(Throwable bug) {
            sink.failed(bug);
        }
    }

    /**
     * Writes {@code response}, which was just stored; otherwise removes what it would replace.
     *
     * @param rules of its route
     * @param isInMemory whether the memory has it too
     * @param begun the newest entry of the invalidations when its fetch began
     * @param lease of its fetch, which ends; null without one
     * @return whether one of them will have it
     */
    boolean offer(
            StoredResponse response,
            RouteCacheRules rules,
            boolean isInMemory,
            long begun,
            @Nullable SharedLease lease) {
        boolean isShared = shared.offer(response, rules, begun, lease);
        return disk.offer(response, rules, isInMemory) || isShared;
    }

    /**
     * Removes {@code response}, which is superseded.
     *
     * @param newer another variant that supersedes it, which may be written already; or null
     */
    void remove(StoredResponse response, @Nullable StoredResponse newer, RouteCacheRules rules) {
        disk.remove(response, newer, rules);
        shared.remove(response, newer != null, rules);
    }

    /** Removes the response to {@code request}, which a newer one outdates that is not stored. */
    void outdate(CacheKey resource, SentRequest request, RouteCacheRules rules) {
        disk.outdate(resource, request, rules);
        shared.outdate(resource, request, rules);
    }

    /** Keeps {@code stale} findable while it is validated; null if the memory does that. */
    HeldResponses.@Nullable Hold hold(StoredResponse stale) {
        return store.hasLowerTier() ? held.hold(stale) : null;
    }

    void release(HeldResponses.Hold hold) {
        held.release(hold);
    }
}
