package dev.quire.bench;

import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Compression;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.Settings;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.StorageRefusal;
import dev.quire.proxy.cache.CacheEvents;
import dev.quire.proxy.cache.Coalescer;
import dev.quire.proxy.cache.DocumentRules;
import dev.quire.proxy.cache.HitForMiss;
import dev.quire.proxy.cache.InFlightBudget;
import dev.quire.proxy.cache.LowerTiers;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.RouteCacheRules;
import dev.quire.proxy.deliver.StoredHeads;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.route.EsiProcessing;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.Set;

/** A store with the coalescer that fills it. All fetched responses must be storable. */
public final class MeasuredCache implements AutoCloseable {
    private static final int MIB = 1 << 20;

    private static final RouteCacheRules RULES =
            new RouteCacheRules(
                    Settings.DEFAULT,
                    EsiProcessing.AUTO,
                    new DocumentRules(
                            Set.of("text/html"),
                            ReferenceResolver.OWN_AUTHORITY,
                            8L * MIB,
                            256,
                            ParseOptions.STANDARD,
                            false),
                    16L * MIB);

    private static final BodyFlow UNSTOPPABLE =
            new BodyFlow() {
                @Override
                public void pause() {}

                @Override
                public void resume() {}

                @Override
                public void cancel() {}
            };

    private final PageStore store;
    private final Coalescer coalescer;

    public MeasuredCache(long storeBytes, Time time) {
        this(storeBytes, false, time);
    }

    /**
     * @param isBySize whether the store admits responses by their size
     */
    public MeasuredCache(long storeBytes, boolean isBySize, Time time) {
        var transit = new InFlightBudget(256L * MIB);
        store = new PageStore(storeBytes, isBySize, transit, time::now, time::ticks);
        var heads = new StoredHeads(() -> Compression.ESI);
        coalescer =
                new Coalescer(
                        store,
                        new LowerTiers(store, transit, heads, time),
                        new HitForMiss(Duration.ofMinutes(2), time::now),
                        transit,
                        heads,
                        time,
                        new NoEvents());
    }

    public PageStore store() {
        return store;
    }

    /**
     * Stores the response to {@code request}; takes ownership of {@code body}. Call on {@code
     * loop}.
     */
    public void fetch(EventLoop loop, RequestHead request, Fields head, ByteBuf body) {
        coalescer.fetchUncoalesced(
                CacheKey.of(request),
                (conditions, sink) -> {
                    sink.head(new ResponseHead(200, "OK", head), UNSTOPPABLE);
                    sink.data(body);
                    sink.end();
                    return UNSTOPPABLE;
                },
                RULES,
                new Reader(loop, SentRequest.of(request)));
    }

    @Override
    public void close() {
        store.close();
    }

    private static final class NoEvents implements CacheEvents {
        @Override
        public void judged(String route, StampStatus stampStatus) {}

        @Override
        public void uncacheable(StorageRefusal reason) {
            if (reason != StorageRefusal.ADMISSION) {
                throw new IllegalStateException("expected a storable response, found " + reason);
            }
        }

        @Override
        public void parsed(CacheKey key, ParsedPage page, boolean isStrict) {}

        @Override
        public void coalesced() {}

        @Override
        public void bug(CacheKey key, Throwable bug) {
            throw new AssertionError(bug);
        }

        @Override
        public void refreshed(Refresh outcome) {}
    }
}
