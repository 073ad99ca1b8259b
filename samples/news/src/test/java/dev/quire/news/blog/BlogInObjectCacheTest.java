package dev.quire.news.blog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.news.NewsSiteTest;
import dev.quire.proxy.memcached.MemcachedServer;
import dev.quire.proxy.redis.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** The blog with the results of its statements in Redis and in Memcached. */
class BlogInObjectCacheTest {
    private static final RedisServer REDIS = RedisServer.redis();
    private static final MemcachedServer MEMCACHED = MemcachedServer.with();

    @AfterAll
    static void stop() {
        REDIS.close();
        MEMCACHED.close();
    }

    abstract static class Pages {
        @Autowired MockMvcTester site;
        @Autowired MeterRegistry metrics;

        @Test
        void secondPageNeedsNoStatementAndIsTheSame() throws Exception {
            double before = statements();
            var first = get("/blog/255/");
            double between = statements();

            var second = get("/blog/255/");

            assertThat(between - before).isEqualTo(41);
            assertThat(statements()).isEqualTo(between);
            assertThat(second).isEqualTo(first).contains("Deckle");
        }

        @Test
        void postsOfAnotherPageAreShared() throws Exception {
            get("/blog/300/");
            double before = statements();

            get("/blog/301/");

            // Its numbers, and its own post, terms, settings and comments, and the comments of 300.
            assertThat(statements() - before).isEqualTo(6);
        }

        private String get(String path) throws Exception {
            var response = site.get().uri(path).exchange().getResponse();
            return new String(response.getContentAsByteArray(), UTF_8);
        }

        private double statements() {
            return metrics.get("news.blog.statements").counter().count();
        }
    }

    @Nested
    @NewsSiteTest
    @DirtiesContext
    class InRedis extends Pages {
        @DynamicPropertySource
        static void use(DynamicPropertyRegistry properties) {
            properties.add("news.object-cache.type", () -> "redis");
            properties.add("news.object-cache.server", () -> "127.0.0.1:" + REDIS.port());
        }
    }

    @Nested
    @NewsSiteTest
    @DirtiesContext
    class InMemcached extends Pages {
        @DynamicPropertySource
        static void use(DynamicPropertyRegistry properties) {
            properties.add("news.object-cache.type", () -> "memcached");
            properties.add("news.object-cache.server", () -> "127.0.0.1:" + MEMCACHED.port());
        }
    }
}
