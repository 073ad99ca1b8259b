package dev.quire.news.cache;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import net.rubyeye.xmemcached.MemcachedClient;
import net.rubyeye.xmemcached.exception.MemcachedException;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.support.AbstractValueAdaptingCache;
import org.springframework.util.DigestUtils;

/**
 * A cache of Spring in Memcached. A key is the digest of the key's text, because Memcached allows
 * neither spaces nor long keys. A server that does not answer is a miss.
 */
class MemcachedCache extends AbstractValueAdaptingCache {
    private final String name;
    private final MemcachedClient memcached;
    private final int seconds;

    MemcachedCache(String name, MemcachedClient memcached, Duration lifetime) {
        super(true);
        this.name = name;
        this.memcached = memcached;
        this.seconds = Math.toIntExact(lifetime.toSeconds());
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public Object getNativeCache() {
        return memcached;
    }

    @Override
    protected @Nullable Object lookup(Object key) {
        return ask(() -> memcached.get(inMemcached(key)));
    }

    @Override
    public <T> @Nullable T get(Object key, Callable<T> loader) {
        var found = get(key);
        if (found != null) {
            @SuppressWarnings("unchecked")
            @Nullable T value = (T) found.get();
            return value;
        }
        try {
            T value = loader.call();
            put(key, value);
            return value;
        } catch (Exception e) {
            throw new ValueRetrievalException(key, loader, e);
        }
    }

    @Override
    public void put(Object key, @Nullable Object value) {
        ask(() -> memcached.set(inMemcached(key), seconds, toStoreValue(value)));
    }

    @Override
    public void evict(Object key) {
        ask(() -> memcached.delete(inMemcached(key)));
    }

    /** Empties the server, also the other caches in it. */
    @Override
    public void clear() {
        ask(() -> {
            memcached.flushAll();
            return null;
        });
    }

    private String inMemcached(Object key) {
        return name + ":" + DigestUtils.md5DigestAsHex(key.toString().getBytes(UTF_8));
    }

    /** A command to Memcached. */
    @FunctionalInterface
    private interface Command {
        @Nullable Object run() throws InterruptedException, MemcachedException, TimeoutException;
    }

    private static @Nullable Object ask(Command command) {
        try {
            return command.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        } catch (MemcachedException | TimeoutException e) {
            return null;
        }
    }
}
