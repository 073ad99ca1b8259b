package dev.quire.proxy;

import dev.quire.proxy.redis.RedisServer;

/** Nodes that share a log in a Valkey server. */
class FleetLogOnValkeyTest extends FleetLogTest {
    @Override
    String program() {
        return RedisServer.VALKEY;
    }
}
