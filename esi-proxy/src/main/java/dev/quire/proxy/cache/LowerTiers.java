package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.TierSearch;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fault.InternalErrors;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The tiers below the memory, the nearer one first. Thread-safe. */
public final class LowerTiers {
    private final InternalErrors errors =
            new InternalErrors(
                    LoggerFactory.getLogger(LowerTiers.class),
                    "a response of the shared store was not written to the disk");

    private final HeldResponses held;
    private final Time time;
    private final PageStore store;
    private final RecordTier disk;
    private final SharedTier shared;

    /** Those that look for a newer response than a stale one of the disk, by that. */
    private final ConcurrentMap<StoredResponse, Newer> searches = new ConcurrentHashMap<>();

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

    /** A search that looks in more than one tier. */
    private abstract static class PassedOn implements SearchSink {
        final SearchSink sink;

        PassedOn(SearchSink sink) {
            this.sink = sink;
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
        public void failed(Throwable bug) {
            sink.failed(bug);
        }
    }

    /** Asks the shared tier if the disk has nothing, or only a stale response. */
    private final class Both extends PassedOn {
        private final CacheKey resource;
        private final RouteCacheRules rules;
        private final UnaryOperator<CacheKey> asked;
        private final long sinceTicks;

        Both(
                CacheKey resource,
                RouteCacheRules rules,
                UnaryOperator<CacheKey> asked,
                SearchSink sink,
                long sinceTicks) {
            super(sink);
            this.resource = resource;
            this.rules = rules;
            this.asked = asked;
            this.sinceTicks = sinceTicks;
        }

        boolean asksStore() {
            return asksStore(null, sink);
        }

        private boolean asksStore(HeldResponses.@Nullable Hold stale, SearchSink then) {
            return shared.search(resource, rules, asked, then, sinceTicks, stale);
        }

        @Override
        public void searched(@Nullable StoredResponse inFile, TierSearch search) {
            var found = inFile == null && search.isFound() ? found() : null;
            boolean isAsked =
                    switch (found) {
                        case null -> inFile == null && asksStore();
                        case StoredResponse response -> asksForNewerThan(response);
                    };
            if (!isAsked) {
                sink.searched(inFile, search);
            }
        }

        /** Returns what the disk has for this request, with a reference for the caller; or null. */
        private @Nullable StoredResponse found() {
            return held.find(resource, request()::isSelectedBy);
        }

        /**
         * Takes over the reference. Returns false if {@code response} is fresh, or there is no
         * store.
         */
        private boolean asksForNewerThan(StoredResponse response) {
            var hold = held.held(response);
            boolean isAsked = false;
            try {
                isAsked =
                        !response.freshness().isFreshAt(time.now())
                                && (joins(response, hold) || asksForNewer(hold));
            } finally {
                if (!isAsked) {
                    held.release(hold);
                }
            }
            return isAsked;
        }

        private boolean joins(StoredResponse response, HeldResponses.Hold hold) {
            var present = searches.get(response);
            return present != null && present.add(new Waiting(sink, hold));
        }

        private boolean asksForNewer(HeldResponses.Hold hold) {
            var search = new Newer(this, hold);
            boolean isAsked = asksStore(hold, search);
            if (isAsked) {
                // It is told later.
                searches.put(hold.response(), search);
            }
            return isAsked;
        }
    }

    /**
     * A request for which a stale response was found.
     *
     * @param stale keeps that until the request was told
     */
    private record Waiting(SearchSink sink, HeldResponses.Hold stale) {}

    /**
     * The search for a newer response than one of the disk, for all requests that have found that
     * meanwhile.
     */
    private final class Newer extends PassedOn {
        private final Both first;
        private final HeldResponses.Hold stale;

        /** Guarded by this object, as the next one. */
        private final List<Waiting> others = new ArrayList<>(0);

        private boolean hasEnded;

        Newer(Both first, HeldResponses.Hold stale) {
            super(first.sink);
            this.first = first;
            this.stale = stale;
        }

        /** Adds a request, which is told later. Returns false if it is too late. */
        synchronized boolean add(Waiting other) {
            return !hasEnded && others.add(other);
        }

        /** Takes the others; returns none the second time. */
        private synchronized List<Waiting> end() {
            hasEnded = true;
            searches.remove(stale.response(), this);
            var taken = List.copyOf(others);
            others.clear();
            return taken;
        }

        @Override
        public void searched(@Nullable StoredResponse inFile, TierSearch search) {
            var tier = search.isFound() ? search.found() : TierSearch.DISK;
            var told = new TierSearch(tier, search.nanos());
            var newer = search.isFound() ? first.found() : null;
            try {
                end().forEach(other -> tell(other, newer, told));
                sink.searched(null, told);
                replace(newer);
            } finally {
                held.release(stale);
                if (newer != null) {
                    newer.release();
                }
            }
        }

        private void tell(Waiting other, @Nullable StoredResponse newer, TierSearch told) {
            // Both are kept until it has looked for them.
            var holds = new ArrayList<>(List.of(other.stale()));
            try {
                if (newer != null) {
                    holds.add(held.hold(newer));
                }
            } catch (RuntimeException | Error bug) {
                later(other.sink(), holds, () -> other.sink().failed(bug));
                return;
            }
            later(other.sink(), holds, () -> other.sink().searched(null, told));
        }

        private void later(SearchSink other, List<HeldResponses.Hold> holds, Runnable step) {
            Runnable last = () -> holds.forEach(held::release);
            try {
                other.loop()
                        .execute(() -> {
                            try {
                                step.run();
                            } catch (RuntimeException | Error bug) {
                                other.failed(bug);
                            } finally {
                                last.run();
                            }
                        });
            } catch (RejectedExecutionException closed) {
                last.run();
            }
        }

        private void replace(@Nullable StoredResponse newer) {
            try {
                if (newer != null && !store.hasNewerThan(newer)) {
                    replaceOnDisk(newer, first.rules);
                }
            } catch (RuntimeException | Error fault) {
                // The request was answered.
                errors.add(fault);
            }
        }

        @Override
        public void failed(Throwable bug) {
            for (var other : end()) {
                later(other.sink(), List.of(other.stale()), () -> other.sink().failed(bug));
            }
            held.release(stale);
            super.failed(bug);
        }
    }

    /**
     * Has readers find {@code newer}, which the shared tier had, in place of an older response;
     * takes over the reference.
     */
    HeldResponses.Hold replace(
            StoredResponse newer, UnaryOperator<CacheKey> asked, RouteCacheRules rules) {
        var hold = store.found(newer, asked, rules.route());
        try {
            if (!hold.isReplaced() && !store.hasNewerThan(newer)) {
                replaceOnDisk(newer, rules);
            }
        } catch (RuntimeException | Error fault) {
            held.release(hold);
            throw fault;
        }
        return hold;
    }

    /** The disk must not return to an older one later. */
    private void replaceOnDisk(StoredResponse newer, RouteCacheRules rules) {
        disk.offer(newer, rules, true);
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
