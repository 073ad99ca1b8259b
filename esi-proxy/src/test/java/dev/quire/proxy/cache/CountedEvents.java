package dev.quire.proxy.cache;

import dev.quire.core.parse.ParsedPage;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.StorageRefusal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** The events counted by the cache, in order. */
final class CountedEvents implements CacheEvents {
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private volatile boolean isBroken;
    private final AtomicInteger coalesced = new AtomicInteger();

    @Override
    public void judged(String route, StampStatus stampStatus) {}

    @Override
    public void uncacheable(StorageRefusal reason) {
        seen.add("uncacheable " + reason);
    }

    @Override
    public void parsed(CacheKey key, ParsedPage page, boolean isStrict) {
        if (isBroken) {
            throw new OutOfMemoryError("expected no more memory");
        }
        seen.add("parsed " + page.errors());
    }

    /** Each document fails. */
    void breaks() {
        isBroken = true;
    }

    @Override
    public void coalesced() {
        coalesced.incrementAndGet();
    }

    @Override
    public void bug(CacheKey key, Throwable bug) {
        seen.add("bug " + bug.getMessage());
    }

    @Override
    public void refreshed(Refresh outcome) {
        seen.add("refreshed " + outcome);
    }

    List<String> seen() {
        return seen;
    }

    int joined() {
        return coalesced.get();
    }
}
