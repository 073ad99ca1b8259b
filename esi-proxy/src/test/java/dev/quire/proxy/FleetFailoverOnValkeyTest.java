package dev.quire.proxy;

import dev.quire.proxy.redis.RedisServer;

/** Logs whose Valkey server is replaced by its replica. */
class FleetFailoverOnValkeyTest extends FleetFailoverTest {
    @Override
    String program() {
        return RedisServer.VALKEY;
    }
}
