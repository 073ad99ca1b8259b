package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.ResponseRules;
import dev.quire.proxy.route.EsiProcessing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** Tests with several proxies and one store. */
abstract class ProxiesOfOneStore {
    static final RouteCacheRules RULES =
            CacheHouse.rules(EsiProcessing.ON).recorded(ResponseRules.NONE, CacheHouse.REQUESTS);
    static final String CACHE = "Cache-Control";
    static final String FRESH = "max-age=100";
    static final SharedTier.Terms TERMS =
            new SharedTier.Terms(
                    Duration.ofSeconds(10),
                    Duration.ofHours(24),
                    1_000,
                    1 << 20,
                    Duration.ofSeconds(4));

    final OneStore store = new OneStore();
    private final List<CacheHouse> all = new ArrayList<>();
    final CacheHouse one = started("one");
    final CacheHouse other = started("other");

    /** Returns a proxy that is ended after the test. */
    final CacheHouse started(String node) {
        var house = new CacheHouse();
        all.add(house);
        var positions = new AlikePositions(house.store.invalidations());
        house.tiers.shared().use(store.of(node), positions, TERMS);
        return house;
    }

    @AfterEach
    void end() {
        all.forEach(house -> house.tiers.shared().end(Duration.ofSeconds(5)));
        // Each counts the memory of all.
        all.forEach(house -> house.store.close());
        all.forEach(CacheHouse::close);
    }

    /** Returns what a reader of {@code house} hears of a search; null without one. */
    static @Nullable String searched(CacheHouse house, String... fields) {
        var taker = house.reader(house.here, fields).looking(() -> house.textOf(fields));
        boolean isSearched =
                house.here.call(() ->
                        house.tiers.search(
                                CacheHouse.PAGE, RULES, UnaryOperator.<CacheKey>identity(), taker));
        if (!isSearched) {
            return null;
        }
        TierRest.await(() -> !taker.heard().isEmpty());
        return taker.heard().getFirst();
    }
}
