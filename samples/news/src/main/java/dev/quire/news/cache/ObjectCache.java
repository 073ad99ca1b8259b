package dev.quire.news.cache;

import java.io.IOException;
import net.rubyeye.xmemcached.MemcachedClient;
import net.rubyeye.xmemcached.XMemcachedClientBuilder;
import net.rubyeye.xmemcached.utils.AddrUtil;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.cache.CacheManager;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The cache behind {@code @Cacheable}, by the key {@code news.object-cache.type}. */
@Configuration(proxyBeanMethods = false)
class ObjectCache {
    private static final String TYPE = "news.object-cache.type";

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = TYPE, havingValue = "none", matchIfMissing = true)
    static class None {
        @Bean
        CacheManager cacheManager() {
            return new NoOpCacheManager();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = TYPE, havingValue = "redis")
    static class InRedis {
        @Bean
        LettuceConnectionFactory redis(ObjectCacheProperties properties) {
            return new LettuceConnectionFactory(properties.host(), properties.port());
        }

        @Bean
        CacheManager cacheManager(
                LettuceConnectionFactory redis, ObjectCacheProperties properties) {
            return RedisCacheManager.builder(redis)
                    .cacheDefaults(
                            RedisCacheConfiguration.defaultCacheConfig()
                                    .entryTtl(properties.lifetime()))
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = TYPE, havingValue = "memcached")
    static class InMemcached {
        @Bean(destroyMethod = "shutdown")
        MemcachedClient memcached(ObjectCacheProperties properties) throws IOException {
            return new XMemcachedClientBuilder(AddrUtil.getAddresses(properties.server())).build();
        }

        @Bean
        CacheManager cacheManager(MemcachedClient memcached, ObjectCacheProperties properties) {
            return new MemcachedCaches(memcached, properties.lifetime());
        }
    }
}
