package dev.quire.bench.cost;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.CachePolicy;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.StoredView;
import dev.quire.proxy.cache.StoredResponse;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Looks up a browser's request in a store of {@value FilledStore#KEYS} resources with two variants
 * each, and makes the cache decision.
 */
public class Deciding extends HitBenchmark {
    private static final Instant FRESH = FilledStore.NOON.plusSeconds(1);
    private static final Instant STALE =
            FilledStore.NOON.plus(FilledStore.LIFETIME).plus(Duration.ofSeconds(1));

    private final CacheKey[] keys = new CacheKey[FilledStore.KEYS];
    private final RequestHead[] requests = new RequestHead[FilledStore.KEYS];
    private final SentRequest[] sent = new SentRequest[FilledStore.KEYS];
    private @Nullable FilledStore filled;
    private @Nullable View view;
    private int next;

    /** A stored response as the cache policy sees it. */
    record View(Freshness freshness, boolean hasValidator) implements StoredView {}

    @Setup(Level.Trial)
    public void fill() {
        var store = FilledStore.fill();
        filled = store;
        for (int i = 0; i < keys.length; i++) {
            keys[i] = FilledStore.key(i);
            requests[i] = request(keys[i], i);
            sent[i] = SentRequest.of(requests[i]);
        }
        var first = found(store);
        view = new View(first.freshness(), first.hasValidator());
        first.release();
    }

    @TearDown(Level.Trial)
    public void close() {
        if (filled != null) {
            filled.close();
        }
    }

    /** The look-up alone; the caller releases the result. */
    @Benchmark
    public StoredResponse find() {
        var store = filled;
        if (store == null) {
            throw new IllegalStateException("setup did not run before the benchmark");
        }
        var found = found(store);
        found.release();
        return found;
    }

    @Benchmark
    public CacheDecision<View> decideHit() {
        return decide(view, FRESH);
    }

    @Benchmark
    public CacheDecision<View> decideStaleHit() {
        return decide(view, STALE);
    }

    @Benchmark
    public CacheDecision<View> decideMiss() {
        return decide(null, FRESH);
    }

    private CacheDecision<View> decide(@Nullable View stored, Instant now) {
        return CachePolicy.decide(requests[turn()], false, stored, false, false, now);
    }

    private StoredResponse found(FilledStore store) {
        int turn = turn();
        var found = store.store().find(keys[turn], sent[turn]::isSelectedBy);
        if (found == null) {
            throw new IllegalStateException("not in the store: " + keys[turn].url());
        }
        return found;
    }

    private int turn() {
        next = next + 1 < keys.length ? next + 1 : 0;
        return next;
    }

    private static RequestHead request(CacheKey key, int number) {
        return new RequestHead(
                "GET",
                Scheme.HTTP,
                key.authority(),
                key.target(),
                Fields.of(
                        "Host", key.authority(),
                        "User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101",
                        "Accept", "text/html,application/xhtml+xml",
                        "Accept-Language", FilledStore.language(number % 2),
                        "Accept-Encoding", "gzip, deflate, br, zstd",
                        "Cookie", "group=Advanced; region=ZH; age=21",
                        "Connection", "keep-alive"));
    }
}
