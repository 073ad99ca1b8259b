package dev.quire.proxy.cache;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** What the cache counted, in order. */
final class CountedEvents implements CacheEvents {
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final AtomicInteger coalesced = new AtomicInteger();

    @Override
    public void uncacheable(Enum<?> reason) {
        seen.add("uncacheable " + reason);
    }

    @Override
    public void parsed(int errors) {
        seen.add("parsed " + errors);
    }

    @Override
    public void coalesced() {
        coalesced.incrementAndGet();
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
