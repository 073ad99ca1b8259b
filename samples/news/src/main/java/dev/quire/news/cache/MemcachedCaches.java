package dev.quire.news.cache;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import net.rubyeye.xmemcached.MemcachedClient;
import org.springframework.cache.Cache;
import org.springframework.cache.support.AbstractCacheManager;

/** Caches in Memcached, each created when it is first used. */
class MemcachedCaches extends AbstractCacheManager {
    private final MemcachedClient memcached;
    private final Duration lifetime;

    MemcachedCaches(MemcachedClient memcached, Duration lifetime) {
        this.memcached = memcached;
        this.lifetime = lifetime;
    }

    @Override
    protected Collection<? extends Cache> loadCaches() {
        return List.of();
    }

    @Override
    protected Cache getMissingCache(String name) {
        return new MemcachedCache(name, memcached, lifetime);
    }
}
