package dev.quire.news.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.memcached.MemcachedServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import net.rubyeye.xmemcached.MemcachedClient;
import net.rubyeye.xmemcached.XMemcachedClientBuilder;
import net.rubyeye.xmemcached.utils.AddrUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.cache.Cache;

/** The object cache with a running Memcached. */
class MemcachedCachesTest {
    private final MemcachedServer server = MemcachedServer.with();

    @SuppressWarnings("NullAway.Init")
    private MemcachedClient client;

    @SuppressWarnings("NullAway.Init")
    private MemcachedCaches caches;

    @BeforeEach
    void connect() throws Exception {
        client =
                new XMemcachedClientBuilder(AddrUtil.getAddresses("127.0.0.1:" + server.port()))
                        .build();
        caches = new MemcachedCaches(client, Duration.ofMinutes(1));
        caches.afterPropertiesSet();
    }

    @AfterEach
    void disconnect() throws Exception {
        client.shutdown();
        server.close();
    }

    @Test
    void valueIsLoadedOnce() {
        var cache = cache("posts");
        var loads = new AtomicInteger();

        for (int time = 0; time < 3; time++) {
            assertThat(cache.get(List.of("a key", 1), () -> "value " + loads.incrementAndGet()))
                    .isEqualTo("value 1");
        }
        assertThat(cache.get(List.of("a key", 2), () -> "value " + loads.incrementAndGet()))
                .isEqualTo("value 2");
    }

    @Test
    void cachesDoNotShareKeys() {
        cache("posts").put("1", "a post");

        assertThat(cache("links").get("1")).isNull();
    }

    @Test
    void nullIsAValue() {
        cache("posts").put("1", null);

        assertThat(cache("posts").get("1"))
                .isNotNull()
                .extracting(Cache.ValueWrapper::get)
                .isNull();
    }

    @Test
    void evictedValueIsGone() {
        cache("posts").put("1", "a post");
        cache("posts").evict("1");

        assertThat(cache("posts").get("1")).isNull();
    }

    @Test
    void serverThatDoesNotAnswerIsAMiss() throws Exception {
        var cache = cache("posts");
        server.close();

        assertThat(cache.get("1", () -> "from the database")).isEqualTo("from the database");
        assertThat(cache.get("1")).isNull();
    }

    private Cache cache(String name) {
        return Objects.requireNonNull(caches.getCache(name));
    }
}
